"""Fixtures of pytest: ``assert_runs``, ``assert_fits`` and ``plan_snapshot``. They come with the package and need no import.

>>> def test_it_fits(assert_fits):
...     assert_fits(Net(), gpu="L4", inputs=(1, 3, 224, 224), batch=64)

``plan_snapshot`` compares what a model is with a file beside the test, and writes the file with ``--verifier-update``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, Optional

import pytest

from verifier.api import check, plan
from verifier.results import Check, Plan


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("model-verifier").addoption(
        "--verifier-update",
        action="store_true",
        dest="verifier_update",
        default=False,
        help="write the plans of models as they are now (model-verifier)",
    )


def assert_runs_now(model: Any, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None) -> Check:
    """Fails where PyTorch would refuse the model."""
    __tracebackhide__ = True
    result = check(model, inputs, kwargs)
    if not result.ok:
        pytest.fail(str(result), pytrace=False)
    return result


def assert_fits_now(
    model: Any, gpu: str, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None, **run: Any
) -> Plan:
    """Fails where a training run does not fit a card, or where that is not known."""
    __tracebackhide__ = True
    made = plan(model, inputs, kwargs, gpu=gpu, **run)
    if not made.legal or made.fits is not True:
        known = (
            "does not run"
            if not made.legal
            else "does not fit %s" % gpu
            if made.fits is False
            else "has parts whose memory is not known"
        )
        pytest.fail("the model %s\n%s" % (known, made.text), pytrace=False)
    return made


@pytest.fixture
def assert_runs() -> Callable[..., Check]:
    """``assert_runs(model, inputs=...)``: fails where PyTorch would refuse the model."""
    return assert_runs_now


@pytest.fixture
def assert_fits() -> Callable[..., Plan]:
    """``assert_fits(model, gpu="L4", inputs=...)``: fails where training does not fit the card."""
    return assert_fits_now


@pytest.fixture
def plan_snapshot(request: Any) -> Callable[..., Plan]:
    """``plan_snapshot(model, inputs=...)``: fails where the model is another than in the file beside the test."""
    made = 0

    def compare(model: Any, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None, **run: Any) -> Plan:
        nonlocal made
        __tracebackhide__ = True
        made += 1
        result = plan(model, inputs, kwargs, **run)
        name = request.node.name.replace("/", "_").replace("[", "-").replace("]", "") + (
            "" if made == 1 else "-%d" % made
        )
        file = (
            Path(str(request.node.path if hasattr(request.node, "path") else request.node.fspath)).parent
            / "plans"
            / (name + ".json")
        )
        text = json.dumps(kept(result), indent=2) + "\n"
        if request.config.getoption("verifier_update"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif not file.is_file():
            pytest.fail("%s is not there: run pytest --verifier-update once and commit it" % file, pytrace=False)
        elif file.read_text(encoding="utf-8") != text:
            before = json.loads(file.read_text(encoding="utf-8"))
            changed = ["%s: %s, was %s" % (k, v, before.get(k)) for k, v in kept(result).items() if before.get(k) != v]
            pytest.fail("the plan of the model changed:\n  " + "\n  ".join(changed), pytrace=False)
        return result

    return compare


def kept(made: Plan) -> Dict[str, Any]:
    """What is exact of a plan; estimates change with the program and are not compared."""
    model = made.raw["plan"]["model"]
    return {
        "fingerprint": made.fingerprint,
        "params": made.params,
        "flops": made.flops,
        "layers": model["layers"],
        "inputShape": model["inputShape"],
        "outputShape": model["outputShape"],
        "legal": made.legal,
        "findings": sorted("%s %s" % (f.severity, f.rule or f.stage) for f in made.findings),
    }
