"""The calls of a forward from ``torch.fx``, for a module that cannot run without numbers: nothing runs, and the reader finds the shapes."""

from __future__ import annotations

import importlib
import operator
from typing import Any, Dict, List, Tuple

from verifier.tracing.program import Attribute, Call, Program, Ref, Untraceable, Unwritable, Word
from verifier.tracing.recorder import parts
from verifier.tracing.trace import Arguments, begun, numbered, samples, spelled, words

OPERATORS = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.matmul: "@",
    operator.pow: "**",
    operator.mod: "%",
    operator.iadd: "+",
    operator.isub: "-",
    operator.imul: "*",
    operator.lt: "<",
    operator.gt: ">",
    operator.eq: "==",
}


def trace(torch: Any, model: Any, given: Arguments, *, training: bool = True) -> Program:
    """Follows the module with symbols in the place of tensors."""
    importlib.import_module("torch.fx")  # which PyTorch does not import by itself
    program = begun(torch, model)
    program.method = "fx"
    by_id, program.layers, program.weights, program.ties = parts(torch, model)

    class Tracer(torch.fx.Tracer):  # type: ignore[misc]
        running = [""]

        def is_leaf_module(self, m: Any, name: str) -> bool:
            return id(m) in by_id

        def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
            self.running.append(self.path_of_module(m))
            try:
                return super().call_module(m, forward, args, kwargs)
            finally:
                self.running.pop()

        def create_node(self, *args: Any, **kwargs: Any) -> Any:
            node = super().create_node(*args, **kwargs)
            node.meta["scope"] = self.running[-1]
            return node

    mode = model.training
    try:
        model.train(training)
        graph = Tracer().trace(model)
    except Exception as e:
        raise Untraceable("%s cannot be followed by torch.fx: %s" % (program.name, words(e))) from None
    finally:
        model.train(mode)
    fill(torch, program, graph, given)
    return program


def fill(torch: Any, program: Program, graph: Any, given: Arguments) -> None:
    order: List[Any] = []
    samples([v for _, v in given], order)
    refs = iter(range(len(order)))
    program.arguments = [(n, numbered(v, refs)) for n, v in given]
    program.inputs = [(n + "=" if n else "") + spelled(v).lstrip("=" if n else "") for n, v in given]
    program.inputs_batched = next((i for i, s in enumerate(order) if s.batched), -1)
    program.calls = [Call("input", "input", shapes=(((), tuple(s.shape), s.dtype),)) for s in order]
    values: Dict[Any, Any] = {}
    placed = [tree for _, tree in program.arguments]
    named = dict((n, tree) for n, tree in program.arguments if n)
    for node in graph.nodes:
        if node.op == "placeholder":
            values[node] = (
                named[node.name]
                if node.name in named
                else placed.pop(0)
                if placed
                else (node.args[0] if node.args else None)
            )
            continue
        if node.op == "output":
            found: List[Ref] = []
            outputs(value(torch, values, node.args[0]), found)
            program.outputs = found
            continue
        if node.op == "get_attr":
            values[node] = Attribute(node.target)
            continue
        kind, target = spelling(torch, node)
        args = tuple(value(torch, values, a) for a in node.args)
        kwargs = tuple((k, value(torch, values, v)) for k, v in node.kwargs.items() if k != "device")
        program.calls.append(Call(kind, target, args, kwargs, (((), (), ""),), node.meta.get("scope", "")))
        values[node] = Ref(len(program.calls) - 1)
    if not program.outputs:
        raise Untraceable("%s gives no tensor that comes of its inputs" % program.name)


def spelling(torch: Any, node: Any) -> Tuple[str, str]:
    if node.op == "call_module":
        return "module", str(node.target)
    if node.op == "call_method":
        return "method", str(node.target)
    if node.target in OPERATORS:
        return "operator", OPERATORS[node.target]
    if node.target is operator.getitem:
        return "getitem", ""
    if node.target is getattr:
        return "attribute", ""
    full = torch.overrides.resolve_name(node.target) or "%s.%s" % (node.target.__module__, node.target.__name__)
    full = full.replace("torch._C._nn.", "torch.nn.functional.").replace("torch._C._VariableFunctions.", "torch.")
    return ("method", full[len("torch.Tensor.") :]) if full.startswith("torch.Tensor.") else ("function", full)


def value(torch: Any, values: Dict[Any, Any], v: Any) -> Any:
    if isinstance(v, torch.fx.Node):
        return values[v]
    if isinstance(v, (torch.dtype, torch.memory_format, torch.layout)):
        return Word(str(v))
    if isinstance(v, (tuple, list)):
        return (
            tuple(value(torch, values, x) for x in v) if isinstance(v, tuple) else [value(torch, values, x) for x in v]
        )
    if isinstance(v, dict):
        return {k: value(torch, values, x) for k, x in v.items()}
    if isinstance(v, slice):
        return slice(value(torch, values, v.start), value(torch, values, v.stop), value(torch, values, v.step))
    if v is None or v is Ellipsis or isinstance(v, (bool, int, float, str)):
        return v
    return Unwritable(type(v).__name__)


def outputs(v: Any, found: List[Ref]) -> None:
    if isinstance(v, Ref):
        found.append(v)
    elif isinstance(v, (tuple, list)):
        for x in v:
            outputs(x, found)
    elif isinstance(v, dict):
        for x in v.values():
            outputs(x, found)
