"""Reads models by recording and by torch.export, and prints a row of JSON for each: ``export.py 20 > rows.jsonl``.

``hard`` in the place of a number takes modules that ask for numbers in their forward, and torch.fx too, which is asked where such a
module is too large to run on zeros. A row has the processor time of both, the steps
that each found, and of torch.export's steps how many are no tensor operation of a layer: sizes, assertions and views that it adds.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Dict, Iterator, Tuple

import models
import torch

from verifier.errors import Unreadable
from verifier.modules import read_module


class Branch(torch.nn.Module):
    """Takes one of two layers by a value."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x) if x.sum() > 1 else self.b(x)


class Masked(torch.nn.Module):
    """Works on the rows that a mask selects: how many they are is not in any shape."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x[x[:, 0] > 0])


class Item(torch.nn.Module):
    """Scales by a number that it reads from a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x) * (1.0 + x.max().item())


def cases(wanted: str) -> Iterator[Tuple[str, str, Any, Any]]:
    if wanted == "hard":
        for cls in (Branch, Masked, Item):
            with torch.device("meta"):
                yield "own", cls.__name__, cls(), (2, 8)
        return
    for library in ("torchvision", "timm"):
        for name in models.spaced(models.NAMES[library](), round(int(wanted) * models.SHARE[library])):
            model, inputs = models.build(library, name)
            yield library, name, model, inputs


def exported(model: Any, inputs: Any) -> Tuple[int, int]:
    """The steps of torch.export's graph, and those that a layer's own operation is not."""
    given = torch.empty((2, *inputs[1:]), device="meta")
    program = torch.export.export(model.train(), (given,), strict=False)
    steps = [n for n in program.graph.nodes if n.op == "call_function"]
    return len(steps), sum(1 for n in steps if "aten." not in str(n.target))


def main() -> None:
    for library, name, model, inputs in cases(sys.argv[1]):
        row: Dict[str, Any] = {"library": library, "name": name}
        for method in ("record", "fx") if library == "own" else ("record",):
            try:
                with models.timed() as t:
                    graph = read_module(model, inputs, method=method)
                row[method] = {"s": t["s"], "steps": len(graph.model["components"]), "notes": list(graph.notes)[:2]}
            except Unreadable as e:
                row[method] = {"error": str(e)[:200]}
        try:
            with models.timed() as t:
                steps, others = exported(model, inputs)
            row["export"] = {"s": t["s"], "steps": steps, "others": others}
        except Exception as e:
            row["export"] = {"error": ("%s: %s" % (type(e).__name__, e)).splitlines()[0][:200]}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
