"""Runs a module once on the meta device and keeps every call: a layer of torch.nn as one, everything between as the function that it was.

Works with PyTorch 1.13 and later. While it runs, the parameters and buffers of the module are exchanged for ones without numbers, and
put back whatever happens. ``nn.Module.__call__`` is wrapped meanwhile; modules of other threads pass through.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from verifier.tracing.layers import WHOLE, Layers
from verifier.tracing.program import Attribute, Call, Constant, Layer, Ref, Unwritable, Weight, Word

LOCK = threading.RLock()

# What is asked of a tensor and gives none.
QUESTIONS = frozenset(
    (
        "size",
        "dim",
        "numel",
        "nelement",
        "ndimension",
        "is_floating_point",
        "is_complex",
        "__len__",
        "stride",
        "is_contiguous",
        "data_ptr",
        "element_size",
        "storage_offset",
        "__format__",
        "__repr__",
        "__hash__",
        "__bool__",
        "item",
        "tolist",
        "get_device",
        "__set__",
        "has_names",
        "requires_grad_",
        "type",
    )
)

OPERATORS = {
    "__add__": "+",
    "__sub__": "-",
    "__mul__": "*",
    "__truediv__": "/",
    "__div__": "/",
    "__floordiv__": "//",
    "__mod__": "%",
    "__pow__": "**",
    "__matmul__": "@",
    "__and__": "&",
    "__or__": "|",
    "__xor__": "^",
    "__lt__": "<",
    "__le__": "<=",
    "__gt__": ">",
    "__ge__": ">=",
    "__eq__": "==",
    "__ne__": "!=",
}
REVERSED = {
    "__radd__": "+",
    "__rsub__": "-",
    "__rmul__": "*",
    "__rtruediv__": "/",
    "__rdiv__": "/",
    "__rfloordiv__": "//",
    "__rpow__": "**",
    "__rmatmul__": "@",
    "__rmod__": "%",
}
IN_PLACE = {
    "__iadd__": "add_",
    "__isub__": "sub_",
    "__imul__": "mul_",
    "__itruediv__": "div_",
    "__idiv__": "div_",
    "__ipow__": "pow_",
}
UNARY = {"__neg__": "-", "__invert__": "~"}


# Functions that PyTorch keeps under a private name, and the one that programs use.
PUBLIC = (
    ("torch._C._nn.", "torch.nn.functional."),
    ("torch._C._VariableFunctions.", "torch."),
    ("torch._C._fft.fft_", "torch.fft."),
    ("torch._C._linalg.linalg_", "torch.linalg."),
    ("torch._C._special.special_", "torch.special."),
    ("torch.functional.", "torch."),
)


class Recorder:
    """The calls of one run."""

    def __init__(self, torch: Any, model: Any, layers: Dict[int, Tuple[str, str]], device: str) -> None:
        self.torch, self.device = torch, device
        self.layers = layers  # by identity: name and class of those that are one call
        self.constants = {id(t) for m in model.modules() for _, t in kept_in(torch, vars(m))}
        self.calls: List[Call] = []
        self.source: Dict[int, Ref] = {}
        self.kept: List[Any] = []  # tensors, so that no identity is given out twice
        self.attributes: Dict[int, str] = {}
        self.notes: List[str] = []
        self.scope: List[str] = []
        self.inside = 0
        self.raised: Optional[BaseException] = None
        self.paths: Dict[int, str] = {}
        for name, module in model.named_modules():
            self.paths.setdefault(id(module), name)
        for name, p in named(model, "_parameters"):
            self.attributes.setdefault(id(p), name)
        for name, b in named(model, "_buffers"):
            self.attributes.setdefault(id(b), name)

    # Values.

    def tree(self, v: Any) -> Any:
        """A value as it is written: tensors as what gave them, all else as it stands."""
        torch = self.torch
        if isinstance(v, torch.Tensor):
            return self.tensor(v)
        if isinstance(v, torch.dtype) or isinstance(v, (torch.memory_format, torch.layout)):
            return Word(str(v))
        if isinstance(v, torch.Size):
            return tuple(int(n) for n in v)
        if isinstance(v, (tuple, list)):
            return type(v)(self.tree(x) for x in v) if type(v) in (tuple, list) else tuple(self.tree(x) for x in v)
        if isinstance(v, dict) and all(isinstance(k, str) for k in v):
            return {k: self.tree(x) for k, x in v.items()}
        if isinstance(v, slice):
            return slice(self.tree(v.start), self.tree(v.stop), self.tree(v.step))
        if v is None or v is Ellipsis or isinstance(v, (bool, int, float, complex, str)):
            return v
        return Unwritable(type(v).__name__)

    def tensor(self, t: Any) -> Any:
        if id(t) in self.source:
            return self.source[id(t)]
        if id(t) in self.attributes:
            return Attribute(self.attributes[id(t)])
        self.kept.append(t)
        self.inside += 1  # what is asked here is none of the forward
        try:
            if id(t) not in self.constants and (t.device.type == "meta" or self.device != "meta"):
                return self.unseen(t)
            if t.numel() == 1 and t.device.type != "meta" and t.dim() == 0 and not t.is_complex():
                return t.item()
            return self.constant(t)
        finally:
            self.inside -= 1

    def constant(self, t: Any) -> Constant:
        return Constant(tuple(int(n) for n in t.shape), str(t.dtype))

    def unseen(self, t: Any) -> Ref:
        """A step for a tensor that no recorded call gave, such as the result of a function that torch.jit compiled."""
        note = "a tensor comes of a call that PyTorch does not show: where it is connected is not known"
        if note not in self.notes:
            self.notes.append(note)
        self.add("opaque", "unseen", [Ref(0)] if self.calls else [], {}, t)
        return self.source[id(t)]

    def applied(self, original: Any, cls: Any, args: Tuple[Any, ...]) -> Any:
        """An autograd.Function, whose forward is the program's own: of its result the shape is known."""
        if self.inside:
            return original.__get__(None, cls)(*args)
        before = [self.tree(a) for a in args]
        self.inside += 1
        try:
            result = original.__get__(None, cls)(*args)
        except Exception as e:
            self.fail(e, "opaque", cls.__name__, before, {})
            raise
        finally:
            self.inside -= 1
        self.add("opaque", cls.__name__, before, {}, result)
        return result

    def add(self, kind: str, target: str, args: Sequence[Any], kwargs: Dict[str, Any], result: Any) -> None:
        """Keeps a step whose arguments were already made a tree."""
        found: List[Tuple[Tuple[Any, ...], Any]] = []
        self.inside += 1
        visit(self.torch, result, (), found)
        index = len(self.calls)
        shapes = tuple((path, tuple(int(n) for n in t.shape), str(t.dtype)) for path, t in found)
        self.inside -= 1
        self.calls.append(
            Call(kind, target, tuple(args), tuple(kwargs.items()), shapes, self.scope[-1] if self.scope else "")
        )
        for path, t in found:
            self.source[id(t)] = Ref(index, path)
            self.kept.append(t)

    # Modules.

    def module(self, call: Callable[..., Any], m: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        known = self.layers.get(id(m))
        if known is None or self.inside:
            self.scope.append(self.paths.get(id(m), ""))
            try:
                return call(m, *args, **kwargs)
            finally:
                self.scope.pop()
        before, named_before = [self.tree(a) for a in args], {k: self.tree(v) for k, v in kwargs.items()}
        self.inside += 1
        try:
            result = call(m, *args, **kwargs)
        except Exception as e:
            self.fail(e, "module", known[0], before, named_before)
            raise
        finally:
            self.inside -= 1
        self.add("module", known[0], before, named_before, result)
        return result

    def fail(self, e: BaseException, kind: str, target: str, args: Sequence[Any], kwargs: Dict[str, Any]) -> None:
        if self.raised is None:
            self.raised = e
            self.add(kind, target, args, kwargs, None)

    # Functions.

    def function(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        name = getattr(func, "__name__", "")
        if name == "__iter__" and not self.inside:
            return iter(self.function(self.torch.unbind, args, {}))
        if self.inside or name in QUESTIONS:
            return self.call(func, args, kwargs)
        if name == "__get__":
            value = self.call(func, args, kwargs)
            if not isinstance(value, self.torch.Tensor):
                return value
        before = [self.tree(a) for a in args]
        named_before = {k: self.tree(v) for k, v in kwargs.items() if k not in ("device", "pin_memory", "out")}
        kind, target = self.spelled(func, name)
        self.inside += 1
        try:
            result = self.call(func, args, kwargs)
        except Exception as e:
            self.fail(e, kind, target, before, named_before)
            raise
        finally:
            self.inside -= 1
        if kind == "setitem":
            self.add(kind, target, before, {}, args[0])
            return result
        if holds_tensor(self.torch, result):
            if target in ("to", "cuda", "cpu", "type_as") or name == "__get__":
                if target in ("cuda", "cpu") or target == "to" and places_only(self.torch, args, kwargs):
                    self.source[id(result)] = self.source.get(id(args[0])) or self.reference(args[0])
                    self.kept.append(result)
                    return result
                before = [b for b, a in zip(before, args) if not isinstance(a, (str, self.torch.device))]
            self.add(kind, target, before, named_before, result)
        return result

    def reference(self, t: Any) -> Ref:
        """A step of its own for a tensor that has none."""
        self.add("alias", "", [self.tensor(t)], {}, t)
        return self.source[id(t)]

    def spelled(self, func: Any, name: str) -> Tuple[str, str]:
        """How a function is written: as an operator, a method, a property, or by its full name."""
        if name == "__get__":
            return "property", getattr(getattr(func, "__self__", None), "__name__", "")
        if isinstance(func, self.torch._ops.OpOverload):  # such as prims.add.default, of a function that torch.jit compiled
            return "function", "torch." + func._schema.name.rpartition("::")[2]
        full = self.torch.overrides.resolve_name(func) or "%s.%s" % (getattr(func, "__module__", "") or "torch", name)
        for own in (name, full.rpartition(".")[2]):  # a wrapped function may have lost its name
            for table, kind in (
                (OPERATORS, "operator"),
                (REVERSED, "reversed"),
                (UNARY, "unary"),
                (IN_PLACE, "method"),
            ):
                if own in table:
                    return kind, table[own]
            if own in ("__getitem__", "__setitem__"):
                return own.strip("_"), ""
        for private, public in PUBLIC:
            full = full.replace(private, public)
        if full.startswith("torch.Tensor."):
            return "method", full[len("torch.Tensor.") :]
        return "function", full

    def call(self, func: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """Calls a function; what lies on the CPU is taken to the meta device where others are there already."""
        flat: List[Tuple[Tuple[Any, ...], Any]] = []
        visit(self.torch, (args, kwargs), (), flat)
        places = {t.device.type for _, t in flat}
        if "meta" in places and len(places) > 1:
            args, kwargs = self.moved(args), {k: self.moved(v) for k, v in kwargs.items()}
        return func(*args, **kwargs)

    def moved(self, a: Any) -> Any:
        if isinstance(a, self.torch.Tensor) and a.device.type != "meta":
            return a.to("meta")
        if type(a) in (tuple, list):
            return type(a)(self.moved(x) for x in a)
        return a


def visit(torch: Any, v: Any, path: Tuple[Any, ...], found: List[Tuple[Tuple[Any, ...], Any]]) -> None:
    """Finds the tensors of a value, each with the way to it."""
    if isinstance(v, torch.Tensor):
        found.append((path, v))
    elif isinstance(v, (tuple, list)):
        for i, x in enumerate(v):
            visit(torch, x, path + (i,), found)
    elif isinstance(v, dict):
        for k, x in v.items():
            if isinstance(k, (str, int)):
                visit(torch, x, path + (k,), found)
    elif hasattr(v, "__dataclass_fields__"):
        for k in v.__dataclass_fields__:
            visit(torch, getattr(v, k, None), path + ("." + k,), found)


def kept_in(torch: Any, attributes: Dict[str, Any]) -> List[Tuple[Tuple[Any, ...], Any]]:
    """The tensors that a module keeps in plain attributes, lists and dictionaries."""
    found: List[Tuple[Tuple[Any, ...], Any]] = []
    for name, v in attributes.items():
        if name not in ("_parameters", "_buffers", "_modules") and isinstance(v, (torch.Tensor, tuple, list, dict)):
            visit(torch, v, (), found)
    return found


def holds_tensor(torch: Any, v: Any) -> bool:
    found: List[Tuple[Tuple[Any, ...], Any]] = []
    visit(torch, v, (), found)
    return bool(found)


def places_only(torch: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bool:
    """Whether to() is asked for another place and nothing else."""
    others = [a for a in args[1:] if not isinstance(a, (str, bool, torch.device))] + [
        v for k, v in kwargs.items() if k == "dtype" and v is not None
    ]
    return not others


def named(model: Any, registry: str) -> Iterator[Tuple[str, Any]]:
    """Every name of every parameter or buffer, those of shared ones, too."""
    for path, module in model.named_modules(remove_duplicate=False):
        for name, v in getattr(module, registry).items():
            if v is not None:
                yield (path + "." if path else "") + name, v


@contextlib.contextmanager
def exchanged(torch: Any, model: Any, training: bool, device: str) -> Iterator[None]:
    """Exchanges parameters and buffers for ones of a device, on the CPU zeros, and puts them and the mode back at the end."""
    made: Dict[int, Any] = {}
    places: List[Tuple[Dict[str, Any], str, Any]] = []
    modes = [(m, m.training) for m in model.modules()]
    try:
        for module in list(model.modules()):
            for registry in (module._parameters, module._buffers):
                for name, t in list(registry.items()):
                    if t is None:
                        continue
                    if id(t) not in made:
                        made[id(t)] = bare(torch, t, device)
                    places.append((registry, name, t))
                    registry[name] = made[id(t)]
        for m, _ in modes:
            m.training = training
        yield
    finally:
        for registry, name, t in places:
            registry[name] = t
        for m, mode in modes:
            m.training = mode


def bare(torch: Any, t: Any, device: str) -> Any:
    """A tensor of the same kind: on the meta device without numbers, else of zeros."""
    empty = torch.zeros(tuple(t.shape), dtype=t.dtype, device=device)
    return torch.nn.Parameter(empty, requires_grad=t.requires_grad) if isinstance(t, torch.nn.Parameter) else empty


def record(
    torch: Any, model: Any, layers: Dict[int, Tuple[str, str]], args: Sequence[Any], kwargs: Dict[str, Any], device: str
) -> Tuple[Recorder, Any]:
    """Runs the model, which lies on the device, and returns what happened and the result. An exception is kept in ``raised``."""
    from torch.overrides import TorchFunctionMode

    recorder = Recorder(torch, model, layers, device)
    thread, calling = threading.get_ident(), torch.nn.Module.__call__

    class Mode(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return recorder.function(func, args, kwargs or {})

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != thread:
            return calling(self, *args, **kwargs)
        return recorder.module(calling, self, args, kwargs)

    given: List[Tuple[Tuple[Any, ...], Any]] = []
    visit(torch, (tuple(args), kwargs), (), given)
    for i, (_, t) in enumerate(given):
        recorder.add("input", "input" if i == 0 else "input%d" % (i + 1), (), {}, t)
    result = None
    with LOCK, indexing(torch, recorder), functions(torch, recorder, thread), torch.no_grad():
        torch.nn.Module.__call__ = call
        try:
            with Mode():
                result = model(*args, **kwargs)
            recorder.raised = None  # what was raised on the way was caught there
        except Exception as e:
            recorder.raised = e
        finally:
            torch.nn.Module.__call__ = calling
    return recorder, result


@contextlib.contextmanager
def functions(torch: Any, recorder: Recorder, thread: int) -> Iterator[None]:
    """A torch.autograd.Function passes by the mode."""
    function = torch.autograd.Function
    own, original = "apply" in vars(function), inspect.getattr_static(function, "apply")

    def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != thread or kwargs:
            return original.__get__(None, cls)(*args, **kwargs)
        return recorder.applied(original, cls, args)

    function.apply = classmethod(apply)
    try:
        yield
    finally:
        if own:
            function.apply = original
        else:
            del function.apply


@contextlib.contextmanager
def indexing(torch: Any, recorder: Recorder) -> Iterator[None]:
    """Indexing passes by the mode in PyTorch 1.13."""
    if int(torch.__version__.split(".")[0]) >= 2:
        yield
        return
    get, put = torch.Tensor.__getitem__, torch.Tensor.__setitem__
    torch.Tensor.__getitem__ = lambda self, at: recorder.function(get, (self, at), {})
    torch.Tensor.__setitem__ = lambda self, at, v: recorder.function(put, (self, at, v), {})
    try:
        yield
    finally:
        torch.Tensor.__getitem__, torch.Tensor.__setitem__ = get, put


def parts(
    torch: Any, model: Any
) -> Tuple[Dict[int, Tuple[str, str]], List[Layer], List[Weight], List[Tuple[str, str]]]:
    """What a module is made of: its layers by identity and in order, the weights that none of them has, and the names that share one."""
    known, layers = Layers(torch), []
    by_id: Dict[int, Tuple[str, str]] = {}
    inside: List[str] = []
    for name, m in model.named_modules():
        if any(name.startswith(w) for w in inside):
            continue
        found = known.of(m)
        if found is None:
            continue
        cls, kwargs = found
        by_id[id(m)] = (name, cls)
        layers.append(Layer(name, cls, kwargs))
        if cls in WHOLE or any(True for _ in m.children()):
            inside.append(name + "." if name else "")
    covered = {layer.name for layer in layers}
    first: Dict[int, str] = {}
    weights: List[Weight] = []
    ties: List[Tuple[str, str]] = []
    for registry in ("_parameters", "_buffers"):
        for name, t in named(model, registry):
            owner = name.rpartition(".")[0]
            whole = owner in covered or any(name.startswith(w) for w in inside)
            if id(t) in first:
                if registry == "_parameters" and first[id(t)] != name and unique(model, owner, first[id(t)]):
                    ties.append((name, first[id(t)]))
                continue
            first[id(t)] = name
            if not whole:
                weights.append(
                    Weight(name, tuple(t.shape), str(t.dtype), registry == "_buffers", bool(t.requires_grad))
                )
    return by_id, layers, weights, ties


def unique(model: Any, owner: str, first: str) -> bool:
    """Whether two names are of two modules; one module that is registered twice brings its weights along."""
    return (
        model.get_submodule(owner) is not model.get_submodule(first.rpartition(".")[0])
        or owner == first.rpartition(".")[0]
    )
