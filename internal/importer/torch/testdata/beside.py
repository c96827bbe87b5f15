"""Runs the modules of beside.txt in the PyTorch at hand, with the packages that they use, and prints what each does: a line of JSON each.

    python3 beside.py testdata/beside.txt >testdata/beside.jsonl

A module whose package is not installed is left out.
"""
import importlib
import json
import os
import sys
import tempfile
import traceback
import types
import warnings

import torch

warnings.simplefilter("ignore")
PREAMBLE = "import torch\nimport torch.nn as nn\n"


def tensors(v):
    if isinstance(v, torch.Tensor):
        return [v]
    if isinstance(v, dict):
        v = list(v.values())
    return [t for x in (v if isinstance(v, (tuple, list)) else []) for t in tensors(x)]


def arguments(inputs: str) -> list:
    out = []
    for i in inputs.split(";"):
        shape, _, dtype = i.partition(":")
        sizes = [2] + ([] if shape == "scalar" else [int(n) for n in shape.split("x")])
        out.append(torch.zeros(sizes, dtype=getattr(torch, dtype)) if dtype else torch.randn(sizes))
    return out


def run(name: str, inputs: str, source: str) -> dict:
    row = {"name": name, "raises": "", "line": 0, "params": -1, "outputs": []}
    with tempfile.TemporaryDirectory() as folder:
        parts = source.split("#### ")
        for part in parts[1:]:
            file, text = part.split("\n", 1)
            os.makedirs(os.path.dirname(os.path.join(folder, file)) or folder, exist_ok=True)
            open(os.path.join(folder, file), "w").write(text)
        path = os.path.join(folder, "net.py")
        open(path, "w").write(parts[0])
        sys.path.insert(0, folder)
        before, argv, was = set(sys.modules), sys.argv, list(sys.path)
        sys.argv = ["net.py"]
        try:
            net = importlib.import_module("net").Net()
            row["params"] = sum(p.numel() for p in net.parameters())
            row["outputs"] = [list(t.shape)[1:] for t in tensors(net(*arguments(inputs)))]
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
            row["raises"], row["line"] = type(error).__name__, lines[-1] if lines else 0
            row["said"] = str(error).split("\n")[0][:120]
        finally:
            sys.argv, sys.path = argv, was
            sys.path.remove(folder)
            for m in set(sys.modules) - before:
                if getattr(sys.modules[m], "__file__", None) and str(sys.modules[m].__file__).startswith(folder):
                    del sys.modules[m]
    return row


def main(path: str) -> None:
    for part in open(path).read().split("\n### ")[1:]:
        head, source = part.split("\n", 1)
        name, inputs = head.split()[:2]
        missing = [p for p in head.split()[3:] if not isinstance(found(p), types.ModuleType)]
        if not missing:
            print(json.dumps(run(name, inputs, PREAMBLE + source + "\n")))


def found(package: str):
    try:
        return importlib.import_module(package)
    except ImportError:
        return None


main(sys.argv[1])
