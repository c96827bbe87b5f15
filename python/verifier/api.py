"""The calls of the package: ``check``, ``plan``, ``lint``, ``rank`` and ``fit``, on whatever a model is given as."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from verifier.binary import answer, run
from verifier.errors import Unreadable
from verifier.modules import Graph, from_config, is_module, read_module
from verifier.results import Check, Fit, Lint, Plan, Rank

Model = Any  # an nn.Module, a path or hub id as text, a graph as a dictionary, or a Graph

__all__ = ["Graph", "check", "fit", "lint", "plan", "rank", "read", "version"]


class Call:
    """A model as the program takes it: arguments, and what goes to its standard input."""

    def __init__(self, model: Model, inputs: Any, kwargs: Optional[Dict[str, Any]], training: bool = True) -> None:
        self.stdin: Optional[bytes] = None
        self.notes: Tuple[str, ...] = ()
        if is_module(model):
            model = read_module(model, inputs, kwargs, training=training)
        if isinstance(model, Graph):
            self.args, self.stdin, self.notes = ["-"], json.dumps(model.model).encode(), model.notes
        elif isinstance(model, dict):
            self.args, self.stdin = ["-"], json.dumps(model).encode()
        elif isinstance(model, (str, os.PathLike)):
            name = os.fspath(model)
            if isinstance(name, bytes):
                name = os.fsdecode(name)
            if not name or name.startswith("-"):
                raise Unreadable("%r is no path, hub id or bundled model" % name)
            self.args = [name]
            for text in spelled(inputs):
                self.args += ["--input", text]
        else:
            raise Unreadable(
                "a model is an nn.Module, a path, a hub id or a graph, and not a %s" % type(model).__name__
            )

    def answer(self, command: str, flags: Sequence[str] = ()) -> Dict[str, Any]:
        return answer([command, *self.args, *flags], self.stdin)

    def draw(self) -> Callable[[], str]:
        args, stdin = list(self.args), self.stdin
        return lambda: run(["export", *args, "--to", "svg"], stdin).decode("utf-8")


def spelled(inputs: Any) -> List[str]:
    """Inputs of a source file as ``--input`` takes them: text as it is, a shape with the batch in front."""
    if inputs is None:
        return []
    if isinstance(inputs, str):
        return [inputs]
    if isinstance(inputs, (tuple, list)) and inputs and all(isinstance(n, int) for n in inputs):
        return [",".join(str(n) for n in inputs)]
    if isinstance(inputs, (tuple, list)):
        return [t for x in inputs for t in spelled(x)]
    if isinstance(inputs, dict):
        return ["%s=%s" % (k, t) for k, x in inputs.items() for t in spelled(x)]
    if hasattr(inputs, "shape") and hasattr(inputs, "dtype"):
        return [",".join(str(int(n)) for n in inputs.shape) + ":" + str(inputs.dtype).replace("torch.", "")]
    raise Unreadable("inputs: a %s is neither a shape nor a tensor" % type(inputs).__name__)


def read(
    model: Model,
    inputs: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    training: bool = True,
    text_only: bool = False,
) -> Graph:
    """Reads a model and returns its graph, which every call takes in place of the model: a module is traced once then.

    ``text_only`` is for a configuration that also reads pictures or sounds: the model is called with text alone.

    >>> graph = verifier.read(torchvision.models.resnet18(), inputs=(1, 3, 224, 224))
    >>> graph.params
    11689512
    """
    if isinstance(model, Graph):
        return model
    if is_module(model):
        return read_module(model, inputs, kwargs, training=training, text_only=text_only)
    call = Call(model, inputs, kwargs)
    body = call.answer("import", ["--text-only"] if text_only else [])
    return Graph(
        body["model"], None if body.get("paramsWithheld") else body["params"], tuple(body["notes"]), str(body["kind"])
    )


def check(
    model: Model,
    inputs: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    data: Optional[Dict[str, Any]] = None,
    policy: Optional[str] = None,
) -> Check:
    """Whether a model runs in PyTorch, and what is wrong with it.

    ``inputs`` are what an ``nn.Module`` is called with: a tensor, a shape with the batch in front, or a list of them.
    ``kwargs`` are arguments by name. ``data`` is what is known of a dataset, as in ``{"seq_len": 512}``.
    """
    call = Call(model, inputs, kwargs)
    flags = (["--data", json.dumps(data)] if data is not None else []) + (["--policy", policy] if policy else [])
    body = call.answer("check", flags)
    if body["verdict"] == "block" and text_alone(model, inputs, kwargs) is not None:
        call.notes += ("called with text alone the model runs: read(model, text_only=True) is that call",)
    return Check.of(body, call.notes, call.draw())


def text_alone(model: Model, inputs: Any, kwargs: Optional[Dict[str, Any]]) -> Optional[Graph]:
    """The graph of a call with text alone, where nobody said what a model of transformers is called with and that one runs."""
    if not is_module(model) or inputs is not None or kwargs is not None:
        return None
    graph = from_config(model, text_only=True)
    return graph if graph is not None and check(graph).ok else None


def lint(
    model: Model, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None, *, policy: Optional[str] = None
) -> Lint:
    """What every rule finds in a model: refusals with their fix, warnings and notes."""
    call = Call(model, inputs, kwargs)
    return Lint.of(call.answer("lint", ["--policy", policy] if policy else []), call.notes)


def plan(
    model: Model,
    inputs: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    gpu: Optional[str] = None,
    batch: Optional[int] = None,
    precision: Optional[str] = None,
    optimizer: Optional[str] = None,
    epochs: Optional[int] = None,
    samples: Optional[int] = None,
    checkpointing: bool = False,
    attention: Optional[str] = None,
    seq_len: Optional[int] = None,
    micro_batch: Optional[int] = None,
    frozen: Optional[Sequence[str]] = None,
    lora: Optional[int] = None,
    lora_targets: Optional[Sequence[str]] = None,
    base: Optional[Union[str, "os.PathLike[str]"]] = None,
    policy: Optional[str] = None,
) -> Plan:
    """What a model is, and what training it takes in memory, time and dollars. What is left out is assumed, and the plan says so.

    >>> verifier.plan("resnet18", gpu="L4", batch=64, precision="amp").fits
    True
    """
    call = Call(model, inputs, kwargs)
    flags: List[str] = []
    given: List[Tuple[str, Any]] = [
        ("gpu", gpu),
        ("batch", batch),
        ("precision", precision),
        ("optimizer", optimizer),
        ("epochs", epochs),
        ("samples", samples),
        ("attention", attention),
        ("seq-len", seq_len),
        ("micro-batch", micro_batch),
        ("lora", lora),
        ("policy", policy),
        ("base", os.fspath(base) if base is not None else None),
        ("frozen", ",".join(frozen) if frozen else None),
        ("lora-targets", ",".join(lora_targets) if lora_targets else None),
    ]
    for name, value in given:
        if value is not None:
            flags += ["--" + name, str(value)]
    if checkpointing:
        flags.append("--checkpointing")
    return Plan.of(call.answer("plan", flags), call.notes, call.draw())


def fit(model: Model, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None, *, gpu: str, **run: Any) -> Fit:
    """Whether a training run fits a card; what changes would make it fit. ``run`` is what :func:`plan` takes.

    >>> bool(verifier.fit("resnet18", gpu="T4", batch=32))
    True
    """
    return Fit.of(plan(model, inputs, kwargs, gpu=gpu, **run))


def rank(
    models: Union[Dict[str, Model], Sequence[Model]],
    inputs: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    tie_break: Optional[str] = None,
) -> Rank:
    """Puts candidates in order by what has been measured. ``tie_break`` is ``cost`` or ``params``; without it ties stay ties."""
    named = list(models.items()) if isinstance(models, dict) else [(label(m, i), m) for i, m in enumerate(models)]
    graphs = [
        (name, read(m if not isinstance(m, dict) else Graph(m, None, (), "graph"), inputs, kwargs)) for name, m in named
    ]
    body = json.dumps({"candidates": [{"id": name, "model": g.model} for name, g in graphs]}).encode()
    flags = ["--tie-break", tie_break] if tie_break else []
    notes = tuple("%s: %s" % (name, n) for name, g in graphs for n in g.notes)
    return Rank.of(answer(["rank", "-", "--request", *flags], body), notes)


def label(model: Model, i: int) -> str:
    if isinstance(model, (str, os.PathLike)):
        return str(os.fspath(model))
    return "%d" % (i + 1) if isinstance(model, (dict, Graph)) else "%d %s" % (i + 1, type(model).__name__)


def version() -> Dict[str, Any]:
    """Version, commit and rule-set id of the program: quote them with any verdict that you keep."""
    return answer(["version"])
