"""Runs the modules of raises.txt in the PyTorch at hand and prints what each does: a line of JSON each.

    python3 raises.py testdata/raises.txt >testdata/raises-<version>.jsonl
"""
import json
import sys
import tempfile
import traceback
import warnings

import torch

warnings.simplefilter("ignore")
PREAMBLE = "import torch\nimport torch.nn as nn\n"


def run(name: str, inputs: str, source: str) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(source)
        f.flush()
        names = {"__name__": name}
        try:
            exec(compile(source, f.name, "exec"), names)
            net = names["Net"]()
            net(*[torch.randn(2, *map(int, i.split("x"))) for i in inputs.split(";")])
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == f.name]
            return {"name": name, "raises": type(error).__name__, "line": lines[-1] if lines else 0}
        return {"name": name, "raises": "", "line": 0}


def main(path: str) -> None:
    for part in open(path).read().split("### ")[1:]:
        head, source = part.split("\n", 1)
        name, inputs, _ = head.split()
        print(json.dumps(run(name, inputs, PREAMBLE + source)))


main(sys.argv[1])
