"""How many models are measured, and where the rows go."""

import json
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--models", type=int, default=20, help="models of torchvision, timm and transformers")
    parser.addoption("--rows", default="", help="write a row of JSON for each to this file")


@pytest.fixture(scope="session")
def rows(request):
    kept = []
    yield kept
    if request.config.getoption("--rows"):
        Path(request.config.getoption("--rows")).write_text(
            "".join(json.dumps(r) + "\n" for r in kept), encoding="utf-8"
        )


def pytest_generate_tests(metafunc):
    if "model" in metafunc.fixturenames:
        import models

        wanted = metafunc.config.getoption("--models")
        cases = [
            (lib, n)
            for lib, share in models.SHARE.items()
            for n in models.spaced(models.NAMES[lib](), round(wanted * share))
        ]
        metafunc.parametrize("model", cases, ids=["%s-%s" % c for c in cases])
