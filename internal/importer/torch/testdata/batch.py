"""Runs the modules of a text file in the PyTorch at hand and prints a line of JSON for each: parameters, results and FLOPs.

    python3 batch.py testdata/batch.txt >testdata/batch.jsonl
    python3 batch.py testdata/arguments.txt >testdata/arguments.jsonl
"""
import ast
import json
import sys
import warnings

import torch
from torch.utils.flop_counter import FlopCounterMode

warnings.simplefilter("ignore")
torch.backends.mha.set_fastpath_enabled(False)
PREAMBLE = "import torch\nimport torch.nn as nn\n"


def apart(text: str) -> list:
    """Cuts a text at the semicolons that are in no bracket."""
    out, depth = [""], 0
    for c in text:
        depth += (c in "[({") - (c in "])}")
        if c == ";" and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return out


TIMES = 1  # how often the batch is taken


def tensor(text: str) -> torch.Tensor:
    shape, *words = text.split(":")
    sizes = [2 * TIMES if n == "B" else int(n) for n in shape.replace("x", ",").strip("()").split(",") if n]
    if "," in shape and "B" not in shape and "unbatched" not in words and sizes[0] > 1:
        sizes[0] *= TIMES
    kind = getattr(torch, ([w for w in words if w != "unbatched"] or ["float32"])[0])
    return torch.rand(sizes).to(kind) if kind.is_floating_point else torch.zeros(sizes, dtype=kind)


def given(text: str, named: bool = False):
    """Reads an argument as --input spells it."""
    ends = text[:1] + text[-1:]
    if ends == "{}":
        return {k: given(v, True) for k, v in (i.split("=", 1) for i in apart(text[1:-1]))}
    if ends in ("[]", "()") and ";" in text:
        return {"[]": list, "()": tuple}[ends](given(i, True) for i in apart(text[1:-1]))
    if named and "," not in text and ":" not in text:
        return ast.literal_eval(text)
    return tensor(text)


def arguments(text: str) -> tuple:
    pos, kw = [], {}
    for part in apart(text):
        name, equals, value = part.partition("=")
        if equals and name.isidentifier():
            kw[name] = given(value, True)
        else:
            pos.append(given(part[1:], True) if part.startswith("=") else given(part))
    return pos, kw


def shapes(value) -> list:
    if isinstance(value, torch.Tensor):
        return [list(value.shape)]
    if isinstance(value, dict):
        value = list(value.values())
    return [s for v in value for s in shapes(v)] if isinstance(value, (list, tuple)) else []


def axes(net, inputs: str, results: list) -> list:
    """The first axis of each result that doubles with the batch, -1 where none does; nothing where the module takes one batch only."""
    global TIMES
    TIMES = 2
    try:
        pos, kw = arguments(inputs)
        doubled = shapes(net(*pos, **kw))
    except (RuntimeError, ValueError):
        return None
    finally:
        TIMES = 1
    return [next((i for i, n in enumerate(a) if b[i] == 2 * n), -1) for a, b in zip(results, doubled)]


def main(path: str) -> None:
    for part in open(path).read().split("### ")[1:]:
        head, source = part.split("\n", 1)
        name, inputs = head.split()[:2]
        names = {"__name__": name}
        exec(compile(PREAMBLE + source, name, "exec"), names)
        torch.manual_seed(0)
        net = names["Net"]()
        with FlopCounterMode(display=False) as counter:
            pos, kw = arguments(inputs)
            results = net(*pos, **kw)
        params = sum(p.numel() for p in net.parameters())
        results = shapes(results)
        row = {"name": name, "params": params, "results": results, "flops": counter.get_total_flops(), "axes": axes(net, inputs, results)}
        print(json.dumps(row))


main(sys.argv[1])
