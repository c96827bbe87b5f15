"""Runs the modules of counts.txt in the PyTorch at hand and prints what each has and gives: a line of JSON each.

    python3 counts.py testdata/counts.txt >testdata/counts-<version>.jsonl

Parameters are those of the module as it was constructed. FLOPs are of one sample, where the release counts them.
"""
import json
import sys
import tempfile
import warnings

import torch

try:
    from torch.utils.flop_counter import FlopCounterMode
except ImportError:
    FlopCounterMode = None

warnings.simplefilter("ignore")
PREAMBLE = "import copy\nimport math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
BATCH = 2


def tensor(spec: str) -> torch.Tensor:
    shape, _, dtype = spec.partition(":")
    sizes = [BATCH] + [int(n) for n in shape.split("x") if n != "scalar"]
    if dtype:
        return torch.ones(sizes, dtype=getattr(torch, dtype))
    return torch.randn(sizes)


def first(value):
    if isinstance(value, torch.Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    for item in value if isinstance(value, (list, tuple)) else ():
        found = first(item)
        if found is not None:
            return found
    return None


def run(name: str, inputs: str, source: str) -> dict:
    row = {"name": name, "params": -1, "output": None, "flops": -1, "raises": ""}
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(source)
        f.flush()
        names = {"__name__": name}
        try:
            exec(compile(source, f.name, "exec"), names)
            net = names["Net"]
            if isinstance(net, type) or not isinstance(net, torch.nn.Module):
                net = net()
            row["params"] = sum(p.numel() for p in net.parameters())
            given = [tensor(i) for i in inputs.split(";")]
            if FlopCounterMode is None:
                out = net(*given)
            else:
                with FlopCounterMode(display=False) as counter:
                    out = net(*given)
                row["flops"] = counter.get_total_flops() // BATCH
            row["output"] = first(out)
        except Exception as error:
            row["raises"] = type(error).__name__
    return row


def main(path: str) -> None:
    for part in open(path).read().split("### ")[1:]:
        head, source = part.split("\n", 1)
        name, inputs, *_ = head.split()
        torch.manual_seed(0)
        print(json.dumps(run(name, inputs, PREAMBLE + source)))


main(sys.argv[1])
