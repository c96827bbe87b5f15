"""From a module to its program: what is constructed, what it is called with, and what its forward does."""

from __future__ import annotations

import keyword
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from verifier.tracing import merge
from verifier.tracing.program import Attribute, Call, Program, Ref, Untraceable
from verifier.tracing.recorder import Recorder, exchanged, parts, record, visit

SMALL = 1 << 26  # parameters of a module that runs on zeros where the meta device cannot do all of it


class Sample:
    """One argument tensor: its shape without the batch, its dtype, and whether it has a batch at all."""

    def __init__(self, shape: Sequence[int], dtype: str, batched: bool) -> None:
        self.shape, self.dtype, self.batched = tuple(int(n) for n in shape), dtype, batched

    def spelled(self) -> str:
        """As ``--input`` takes it."""
        sizes = ("2," if self.batched else "") + ",".join(str(n) for n in self.shape)
        if not self.shape and not self.batched:
            sizes = "()"
        elif not self.batched and len(self.shape) == 1:
            sizes = "%d" % self.shape[0]
        kind = {"torch.int32": "int64", "torch.uint8": "int64", "torch.int16": "int64", "torch.int8": "int64"}.get(
            self.dtype, self.dtype
        )
        dtype = "" if kind == "torch.float32" else ":" + kind.replace("torch.", "")
        return sizes + dtype + ("" if self.batched else ":unbatched")

    def tensor(self, torch: Any, batch: int, device: str) -> Any:
        shape = ((batch,) if self.batched else ()) + self.shape
        return torch.zeros(shape, dtype=getattr(torch, self.dtype.replace("torch.", "")), device=device)


Arguments = List[Tuple[Optional[str], Any]]  # name, or None by position; trees of Samples and plain values


def arguments(torch: Any, inputs: Any, kwargs: Optional[Dict[str, Any]] = None) -> Arguments:
    """What forward is called with, from tensors, shapes with the batch in front, or trees of them.

    A tensor has a batch where its first axis is as long as that of the first tensor.
    """
    given: Arguments = []
    if isinstance(inputs, dict):
        given = [(str(k), v) for k, v in inputs.items()]
    elif isinstance(inputs, torch.Tensor) or is_shape(inputs):
        given = [(None, inputs)]
    elif inputs is not None:
        given = [(None, v) for v in inputs]
    given += list((kwargs or {}).items())
    first: List[int] = []
    return [(n, sampled(torch, v, first)) for n, v in given]


def is_shape(v: Any) -> bool:
    return (
        isinstance(v, (tuple, list)) and len(v) > 0 and all(isinstance(n, int) and not isinstance(n, bool) for n in v)
    )


def sampled(torch: Any, v: Any, first: List[int]) -> Any:
    """A tree of Samples for one of tensors and shapes."""
    dtype = "torch.float32"
    if isinstance(v, tuple) and len(v) == 2 and is_shape(v[0]) and (isinstance(v[1], (str, torch.dtype))):
        v, dtype = v[0], str(v[1]) if str(v[1]).startswith("torch.") else "torch." + str(v[1])
        if not isinstance(getattr(torch, dtype.replace("torch.", ""), None), torch.dtype):
            raise Untraceable("inputs: %s is no dtype of torch" % dtype.replace("torch.", ""))
    if isinstance(v, torch.Tensor):
        shape, dtype = tuple(v.shape), str(v.dtype)
    elif is_shape(v):
        shape = tuple(v)
    elif isinstance(v, (tuple, list)):
        return type(v)(sampled(torch, x, first) for x in v)
    elif isinstance(v, dict):
        return {k: sampled(torch, x, first) for k, x in v.items()}
    else:
        return v
    if any(n < 1 for n in shape):
        raise Untraceable("inputs: %s has an axis without elements" % (list(shape),))
    if not first:
        first.append(shape[0] if shape else 0)
    batched = bool(shape) and shape[0] == first[0]
    return Sample(shape[1:] if batched else shape, dtype, batched)


def made(torch: Any, v: Any, batch: int, device: str) -> Any:
    """The tensors of a tree of Samples for a number of samples."""
    if isinstance(v, Sample):
        return v.tensor(torch, batch, device)
    if isinstance(v, (tuple, list)):
        return type(v)(made(torch, x, batch, device) for x in v)
    if isinstance(v, dict):
        return {k: made(torch, x, batch, device) for k, x in v.items()}
    return v


def spelled(v: Any) -> str:
    """A tree as ``--input`` takes it."""
    if isinstance(v, Sample):
        return v.spelled()
    if isinstance(v, (tuple, list)):
        inside = ";".join(spelled(x) for x in v) + (";" if len(v) == 1 else "")
        return "[%s]" % inside if isinstance(v, list) else "(%s)" % inside
    if isinstance(v, dict):
        return "{%s}" % ";".join("%s=%s" % (k, spelled(x)) for k, x in v.items())
    return "=%r" % (v,)


def trace(torch: Any, model: Any, given: Arguments, *, training: bool = True) -> Program:
    """Runs the module on the meta device, for two batches, and returns its program."""
    if isinstance(model, torch.jit.ScriptModule):
        raise Untraceable(
            "the module is compiled by torch.jit: its forward cannot be followed; give the module that it was made of"
        )
    name = type(model).__name__
    program = begun(torch, model)
    runs = run_twice(torch, model, given, training, "meta", program)
    raised = runs[-1][0].raised
    if raised is not None:
        # The meta device lacks operations and refuses some that run, so an exception there is none of the module yet.
        if program.params > SMALL:
            raise Untraceable(
                "%s cannot be followed on the meta device, and is too large to run on numbers: %s"
                % (name, words(raised))
            )
        runs = run_twice(torch, model, given, training, "cpu", program)
        if runs[-1][0].raised is None:
            program.notes.append(
                "the forward ran on zeros, because the meta device cannot do all of it: %s" % words(raised)
            )
    finish(torch, program, runs, given)
    return program


def begun(torch: Any, model: Any) -> Program:
    """A program with the name and the parameters of a module."""
    name = type(model).__name__
    if any(
        isinstance(t, torch.nn.parameter.UninitializedTensorMixin)
        for t in list(model.parameters()) + list(model.buffers())
    ):
        raise Untraceable("%s has lazy layers that were not called yet: their parameters have no shape" % name)
    program = Program(
        name if name.isidentifier() and not keyword.iskeyword(name) and name not in ("Part", "B") else "Model"
    )
    program.params = sum(p.numel() for p in unique_parameters(model))
    return program


Run = Tuple[Recorder, Any]


def run_twice(torch: Any, model: Any, given: Arguments, training: bool, device: str, program: Program) -> List[Run]:
    """One run for each of two batches; the first alone where it raises."""
    runs: List[Run] = []
    with exchanged(torch, model, training, device):
        layers, program.layers, program.weights, program.ties = parts(torch, model)
        for batch in (merge.SMALL, merge.LARGE):
            args = [made(torch, v, batch, device) for n, v in given if n is None]
            kwargs = {n: made(torch, v, batch, device) for n, v in given if n is not None}
            runs.append(record(torch, model, layers, args, kwargs, device))
            if runs[-1][0].raised is not None:
                break
    return runs


def unique_parameters(model: Any) -> List[Any]:
    return list({id(p): p for p in model.parameters()}.values())


def words(e: BaseException) -> str:
    first = (str(e).strip().splitlines() or [""])[0].partition(". This could be")[0][:300]
    return "%s: %s" % (type(e).__name__, first) if first else type(e).__name__


def finish(torch: Any, program: Program, runs: List[Run], given: Arguments) -> None:
    run, result = runs[-1] if runs[-1][0].raised is not None else runs[0]
    calls: Optional[List[Call]] = None
    if len(runs) == 2 and run is runs[0][0]:
        calls = merge.merge(run.calls, runs[1][0].calls)
        if calls is None:
            program.notes.append(
                "the forward takes other steps for another batch: it was read for a batch of %d" % merge.SMALL
            )
    program.calls = calls if calls is not None else list(run.calls)
    refs = iter(range(sum(1 for c in run.calls if c.kind == "input")))
    program.arguments = [(n, numbered(v, refs)) for n, v in given]
    program.inputs = [(n + "=" if n else "") + spelled(v).lstrip("=" if n else "") for n, v in given]
    order: List[Any] = []
    samples([v for _, v in given], order)
    program.inputs_batched = next((i for i, s in enumerate(order) if s.batched), -1)
    program.notes += run.notes
    if run.raised is not None:
        kind = type(run.raised).__name__
        known = kind in (
            "RuntimeError",
            "ValueError",
            "TypeError",
            "IndexError",
            "KeyError",
            "AttributeError",
            "AssertionError",
            "ZeroDivisionError",
        )
        program.failed = (kind if known else "RuntimeError", words(run.raised)[:300].partition(": ")[2] or kind)
        return
    found: List[Tuple[Tuple[Any, ...], Any]] = []
    visit(torch, result, (), found)
    for _, t in found:
        if id(t) not in run.source:
            if id(t) not in run.attributes:
                continue
            program.calls.append(Call("alias", "", (run.tensor(t),), (), (((), tuple(t.shape), str(t.dtype)),)))
            run.source[id(t)] = Ref(len(program.calls) - 1)
        if run.source[id(t)] not in program.outputs:
            program.outputs.append(run.source[id(t)])
    if not program.outputs:
        raise Untraceable("%s gives no tensor that comes of its inputs" % program.name)
    prune(program)


def numbered(v: Any, refs: Any) -> Any:
    if isinstance(v, Sample):
        return Ref(next(refs))
    if isinstance(v, (tuple, list)):
        return type(v)(numbered(x, refs) for x in v)
    if isinstance(v, dict):
        return {k: numbered(x, refs) for k, x in v.items()}
    return v


def samples(v: Any, out: List[Any]) -> None:
    if isinstance(v, Sample):
        out.append(v)
    elif isinstance(v, (tuple, list)):
        for x in v:
            samples(x, out)
    elif isinstance(v, dict):
        for x in v.values():
            samples(x, out)


def prune(program: Program) -> None:
    """Takes out what is made of no input and no weight and never read, such as a mask for a branch that was not taken."""
    needed = {o.step for o in program.outputs}
    derived = [False] * len(program.calls)
    for i, call in enumerate(program.calls):
        values = list(call.args) + [v for _, v in call.kwargs]
        read: Set[int] = set()
        reads(values, read)
        derived[i] = (
            call.kind in ("input", "module", "setitem") or any(derived[r] for r in read) or holds_attribute(values)
        )
    for i in range(len(program.calls) - 1, -1, -1):
        call = program.calls[i]
        if i in needed or derived[i]:
            reads(list(call.args) + [v for _, v in call.kwargs], needed)
        else:
            program.calls[i] = replace(call, kind="unused")


def holds_attribute(v: Any) -> bool:
    if isinstance(v, (tuple, list)):
        return any(holds_attribute(x) for x in v)
    return isinstance(v, Attribute)


def reads(v: Any, needed: Any) -> None:
    if isinstance(v, Ref):
        needed.add(v.step)
    elif isinstance(v, (tuple, list)):
        for x in v:
            reads(x, needed)
    elif isinstance(v, dict):
        for x in v.values():
            reads(x, needed)
    elif isinstance(v, slice):
        reads((v.start, v.stop, v.step), needed)
