"""Runs the modules of a text file in the PyTorch at hand and prints a line of JSON for each: parameters, results and FLOPs.

    python3 batch.py testdata/batch.txt >testdata/batch.jsonl
"""
import json
import sys
import warnings

import torch
from torch.utils.flop_counter import FlopCounterMode

warnings.simplefilter("ignore")
torch.backends.mha.set_fastpath_enabled(False)
PREAMBLE = "import torch\nimport torch.nn as nn\n"


def given(text: str) -> torch.Tensor:
    shape, _, dtype = text.partition(":")
    sizes = [int(n) for n in shape.split(",")]
    kind = getattr(torch, dtype or "float32")
    return torch.rand(sizes) if kind.is_floating_point else torch.zeros(sizes, dtype=kind)


def shapes(value) -> list:
    if isinstance(value, torch.Tensor):
        return [list(value.shape)]
    if isinstance(value, dict):
        value = list(value.values())
    return [s for v in value for s in shapes(v)] if isinstance(value, (list, tuple)) else []


def main(path: str) -> None:
    for part in open(path).read().split("### ")[1:]:
        head, source = part.split("\n", 1)
        name, inputs = head.split()[:2]
        names = {"__name__": name}
        exec(compile(PREAMBLE + source, name, "exec"), names)
        torch.manual_seed(0)
        net = names["Net"]()
        with FlopCounterMode(display=False) as counter:
            results = net(*[given(i) for i in inputs.split(";")])
        params = sum(p.numel() for p in net.parameters())
        print(json.dumps({"name": name, "params": params, "results": shapes(results), "flops": counter.get_total_flops()}))


main(sys.argv[1])
