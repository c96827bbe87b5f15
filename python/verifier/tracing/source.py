"""Writes a recorded module as PyTorch source: the layers in ``__init__``, the calls in ``forward``, one on a line."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Set, Tuple

from verifier.tracing.program import Attribute, Batch, Call, Constant, Program, Ref, Unwritable, Word

OPAQUE = "verifier_trace.opaque"


class Writer:
    """Source of one program. ``opaque`` are the calls that are not written out: a part of declared shape stands for each."""

    def __init__(self, program: Program, opaque: Set[int]) -> None:
        self.program, self.opaque = program, opaque
        self.lines: List[str] = []
        self.line_of: Dict[int, int] = {}  # line number, from 1: the call
        self.holders: Set[str] = {""}
        self.scope = ""

    def write(self) -> str:
        p = self.program
        self.lines = [
            "import torch",
            "import torch.nn.functional",
            "from torch import nn",
            "import verifier_trace",
            "",
            "",
            "class Part(nn.Module):",
            "    def forward(self):",
            "        pass",
            "",
            "",
            "class %s(nn.Module):" % p.name,
            "    def __init__(self):",
            "        super().__init__()",
        ]
        for layer in p.layers:
            arguments = ", ".join("%s=%s" % (k, self.text(v)) for k, v in layer.kwargs.items())
            self.part(layer.name, "nn.%s(%s)" % (layer.cls, arguments))
        for w in p.weights:
            self.weight(w.name, w.shape, w.dtype, w.buffer)
        for later, first in p.ties:
            holder, _, name = later.rpartition(".")
            self.hold(holder)
            self.lines.append("        %s.%s = %s" % (self.at(holder), name, self.at(first)))
        names = ["input" if i == 0 else "input%d" % (i + 1) for i in range(len(p.arguments))]
        self.lines += [
            "",
            "    def forward(self, %s):" % ", ".join(n or names[i] for i, (n, _) in enumerate(p.arguments)),
        ]
        for i, (n, tree) in enumerate(p.arguments):
            self.unpack(n or names[i], tree)
        if p.inputs_batched >= 0:
            self.lines.append("        B = %s.shape[0]" % self.ref(Ref(p.inputs_batched)))
        for i, call in enumerate(p.calls):
            if call.kind not in ("input", "unused"):
                self.call(i, call)
        if p.failed:
            self.lines.append("        raise %s(%r)" % p.failed)
        else:
            self.lines.append("        return %s" % ", ".join(self.ref(o) for o in p.outputs))
        return "\n".join(self.lines) + "\n"

    # The constructor.

    def hold(self, name: str) -> None:
        """Makes the modules that hold others."""
        if name in self.holders:
            return
        self.holders.add(name)
        self.part(name, "Part()")

    def part(self, name: str, made: str) -> None:
        holder, _, last = name.rpartition(".")
        if not name:
            holder, last = "", "layer"
        self.hold(holder)
        self.holders.add(name)
        self.lines.append("        %s.add_module(%r, %s)" % (self.at(holder), last, made))

    def weight(self, name: str, shape: Tuple[int, ...], dtype: str, buffer: bool) -> None:
        holder, _, last = name.rpartition(".")
        self.hold(holder)
        made = "torch.empty(%s, dtype=%s)" % (self.text(tuple(shape)), dtype)
        if buffer:
            self.lines.append(
                "        %s.register_buffer(%r, torch.zeros(%s, dtype=%s))"
                % (self.at(holder), last, self.text(tuple(shape)), dtype)
            )
        else:
            self.lines.append("        %s.register_parameter(%r, nn.Parameter(%s))" % (self.at(holder), last, made))

    def at(self, name: str) -> str:
        out = "self"
        for part in name.split(".") if name else []:
            out = "%s.%s" % (out, part) if part.isidentifier() else "getattr(%s, %r)" % (out, part)
        return out

    # The forward.

    def unpack(self, text: str, tree: Any) -> None:
        """Names the tensors of an argument."""
        if isinstance(tree, Ref):
            self.lines.append("        %s = %s" % (self.ref(tree), text))
        elif isinstance(tree, (tuple, list)):
            for i, x in enumerate(tree):
                self.unpack("%s[%d]" % (text, i), x)
        elif isinstance(tree, dict):
            for k, x in tree.items():
                self.unpack("%s[%r]" % (text, k), x)

    def ref(self, r: Ref) -> str:
        return "v%d" % r.step if not r.path else "v%d_%s" % (r.step, "_".join(str(p).strip(".") for p in r.path))

    def call(self, i: int, call: Call) -> None:
        opaque = (
            call.kind == "opaque"
            or i in self.opaque
            or any(unwritable(a) for a in list(call.args) + [v for _, v in call.kwargs])
        )
        if call.scope != self.scope and call.kind != "module":
            self.line(i, "verifier_trace.within(%r)" % call.scope)
            self.scope = call.scope
        if opaque:
            for (path, _, _), text in zip(call.shapes, self.opaquely(call)):
                self.line(i, "%s = %s" % (self.ref(Ref(i, path)), text))
            return
        if call.kind == "setitem":
            self.line(i, self.expression(call))
            self.line(i, "v%d = %s" % (i, self.text(call.args[0])))
            return
        self.line(i, "v%d = %s" % (i, self.expression(call)))
        for path, _, _ in call.shapes:
            if path:
                way = "".join(p if isinstance(p, str) and p.startswith(".") else "[%r]" % (p,) for p in path)
                self.line(i, "%s = v%d%s" % (self.ref(Ref(i, path)), i, way))

    def line(self, i: int, text: str) -> None:
        self.lines.append("        " + text)
        self.line_of[len(self.lines)] = i

    def expression(self, call: Call) -> str:
        args = [self.text(a) for a in call.args]
        named = ["%s=%s" % (k, self.text(v)) for k, v in call.kwargs]
        inside = ", ".join(args + named)
        if call.kind == "module":
            return "%s(%s)" % (self.at(call.target) if call.target else "self.layer", inside)
        if call.kind == "function":
            return "%s(%s)" % (call.target, inside)
        if call.kind == "method":
            return "%s.%s(%s)" % (args[0], call.target, ", ".join(args[1:] + named))
        if call.kind == "property":
            return "%s.%s" % (args[0], call.target)
        if call.kind == "attribute":
            return "%s.%s" % (args[0], call.args[1])
        if call.kind == "operator":
            return "%s %s %s" % (args[0], call.target, args[1])
        if call.kind == "reversed":
            return "%s %s %s" % (args[1], call.target, args[0])
        if call.kind == "unary":
            return "%s%s" % (call.target, args[0])
        if call.kind == "alias":
            return args[0]
        if call.kind == "getitem":
            return "%s[%s]" % (args[0], self.index(call.args[1]))
        if call.kind == "setitem":
            return "%s[%s] = %s" % (args[0], self.index(call.args[1]), args[2])
        raise AssertionError(call.kind)

    def opaquely(self, call: Call) -> List[str]:
        """A part of declared shape for each tensor of the result, which reads every tensor of the arguments."""
        found: List[str] = []
        tensors(self, list(call.args) + [v for _, v in call.kwargs], found)
        name = (call.target.rpartition(".")[2] or call.kind) if call.kind != "module" else call.target
        return [
            "%s(%r, %s, %s%s)" % (OPAQUE, name, self.text(tuple(shape)), dtype, "".join(", " + t for t in found))
            for _, shape, dtype in call.shapes
        ]

    def index(self, v: Any) -> str:
        if isinstance(v, tuple):
            return ", ".join(self.index(x) for x in v) + ("," if len(v) == 1 else "") if v else "()"
        if isinstance(v, slice):
            text = ["" if x is None else self.text(x) for x in (v.start, v.stop, v.step)]
            return ":".join(text if text[2] else text[:2])
        return self.text(v)

    def text(self, v: Any) -> str:
        if isinstance(v, Ref):
            return self.ref(v)
        if isinstance(v, Attribute):
            return self.at(v.name)
        if isinstance(v, Word):
            return v.text
        if isinstance(v, Batch):
            times = "B" if v.times == 1 else "%d * B" % v.times
            return times if not v.plus else "(%s %s %d)" % (times, "+" if v.plus > 0 else "-", abs(v.plus))
        if isinstance(v, Constant):
            return "torch.zeros(%s, dtype=%s)" % (self.text(tuple(v.shape)), v.dtype)
        if isinstance(v, float):
            return "float(%r)" % str(v) if not math.isfinite(v) else repr(v)
        if isinstance(v, tuple):
            return "(%s%s)" % (", ".join(self.text(x) for x in v), "," if len(v) == 1 else "")
        if isinstance(v, list):
            return "[%s]" % ", ".join(self.text(x) for x in v)
        if isinstance(v, dict):
            return "{%s}" % ", ".join("%r: %s" % (k, self.text(x)) for k, x in v.items())
        if isinstance(v, slice):
            return "slice(%s, %s, %s)" % (self.text(v.start), self.text(v.stop), self.text(v.step))
        if v is Ellipsis:
            return "..."
        return repr(v)


def tensors(w: Writer, v: Any, found: List[str]) -> None:
    if isinstance(v, (Ref, Attribute)):
        if w.text(v) not in found:
            found.append(w.text(v))
    elif isinstance(v, (tuple, list)):
        for x in v:
            tensors(w, x, found)
    elif isinstance(v, dict):
        for x in v.values():
            tensors(w, x, found)


def unwritable(v: Any) -> bool:
    if isinstance(v, Unwritable):
        return True
    if isinstance(v, (tuple, list)):
        return any(unwritable(x) for x in v)
    if isinstance(v, dict):
        return any(unwritable(x) for x in v.values())
    return isinstance(v, slice) and (unwritable(v.start) or unwritable(v.stop) or unwritable(v.step))
