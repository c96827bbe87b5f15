"""Reads an ``nn.Module``: a model of transformers from its configuration, every other by tracing it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Set, Tuple

from verifier.binary import answer
from verifier.errors import Unreadable
from verifier.tracing.program import Program, Untraceable

ROUNDS = 24  # of writing a call as one of declared shape, where the reader does not know it


@dataclass(frozen=True)
class Graph:
    """A model as it was read. ``model`` is the graph, ``params`` the number of its parameters, ``notes`` what a reader should know."""

    model: Dict[str, Any] = field(repr=False)
    params: Optional[int]
    notes: Tuple[str, ...]
    method: str
    source: str = field(repr=False, default="")  # the traced forward as PyTorch source


def is_module(x: Any) -> bool:
    """Whether a value is an ``nn.Module``, without importing PyTorch."""
    return any(c.__name__ == "Module" and c.__module__ == "torch.nn.modules.module" for c in type(x).__mro__)


def read_module(
    model: Any,
    inputs: Any = None,
    kwargs: Optional[Dict[str, Any]] = None,
    *,
    training: bool = True,
    text_only: bool = False,
    method: Optional[str] = None,
) -> Graph:
    """The graph of a module. ``method`` is ``config``, ``record`` or ``fx``; without it the first that can."""
    import torch

    from verifier.tracing import trace

    if method in (None, "config") and inputs is None and kwargs is None:
        found = from_config(model, text_only)
        if found is not None or method == "config":
            if found is None:
                raise Untraceable("the model is not one that its configuration describes")
            return found
    if text_only:
        raise Untraceable("text_only is for a model that its configuration describes: give the text as inputs or kwargs")
    if method not in (None, "config", "record", "fx"):
        raise Untraceable("method is %r but takes config, record or fx" % method)
    inputs, kwargs = example(model, inputs, kwargs)
    given = trace.arguments(torch, inputs, kwargs)
    return read_program(traced(torch, model, given, training, method))


def traced(torch: Any, model: Any, given: Any, training: bool, method: Optional[str]) -> Program:
    """The program of a module by the first method that can follow it."""
    from verifier.tracing import symbolic, trace

    if method == "fx":
        return symbolic.trace(torch, model, given, training=training)
    try:
        return trace.trace(torch, model, given, training=training)
    except Untraceable as e:
        if method == "record":
            raise
        try:
            program = symbolic.trace(torch, model, given, training=training)
        except Untraceable:
            raise e from None
        program.notes.append("%s; the forward was read by torch.fx" % e)
        return program


def example(model: Any, inputs: Any, kwargs: Optional[Dict[str, Any]]) -> Tuple[Any, Optional[Dict[str, Any]]]:
    """What the module is called with: what was given, else what the libraries that it may come from keep for that."""
    if inputs is not None or kwargs is not None:
        return inputs, kwargs
    own = getattr(model, "example_input_array", None)  # of Lightning
    if own is not None:
        return own, None
    cfg = getattr(model, "pretrained_cfg", None) or getattr(model, "default_cfg", None)  # of timm
    if isinstance(cfg, dict) and cfg.get("input_size"):
        return (1, *cfg["input_size"]), None
    dummy = getattr(model, "dummy_inputs", None)  # of transformers
    if isinstance(dummy, dict) and dummy:
        return None, dict(dummy)
    raise Untraceable("%s: give what it is called with, as in inputs=(1, 3, 224, 224)" % type(model).__name__)


def from_config(model: Any, text_only: bool = False) -> Optional[Graph]:
    """The graph of a transformers model from its configuration, where that gives the parameters which the model has."""
    config: Any = getattr(model, "config", None)
    if not type(model).__module__.startswith("transformers.") or not hasattr(config, "to_dict"):
        return None
    body = dict(config.to_dict(), architectures=[type(model).__name__])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as f:
            json.dump(body, f, default=str)
        try:
            read = answer(["import", folder] + (["--text-only"] if text_only else []))
        except Unreadable:
            return None
    params = sum(p.numel() for p in {id(p): p for p in model.parameters()}.values())
    if read.get("paramsWithheld") or read["params"] != params:
        return None
    return Graph(read["model"], params, tuple(read["notes"]), "config")


PLACE = re.compile(r"\bmodel\.py:(\d+)")


def read_program(program: Program) -> Graph:
    """The graph of a recorded module. A call that the reader does not know becomes a component of declared shape, and a note says so."""
    from verifier.tracing.source import Writer

    opaque: Set[int] = set()
    failed: Dict[Tuple[str, str], int] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.py")
        for _ in range(ROUNDS):
            writer = Writer(program, opaque)
            source = writer.write()
            with open(path, "w", encoding="utf-8") as f:
                f.write(source)
            args = ["import", "%s:%s" % (path, program.name)]
            for text in program.inputs:
                args += ["--input", text]
            body = answer(args)
            notes = [str(n) for n in body["notes"]]
            at = stopped(notes, writer.line_of, program)
            if at is None or program.method == "fx":  # which has no shapes to declare
                break
            call = program.calls[at]
            key = (call.kind, call.target)
            failed[key] = failed.get(key, 0) + 1
            opaque.add(at)
            if failed[key] > 1:
                opaque.update(i for i, c in enumerate(program.calls) if (c.kind, c.target) == key)
    said = list(program.notes) + [
        PLACE.sub("the traced forward, line \\1", n).replace(folder + os.sep, "")
        for n in notes
        if not n.startswith("read for a batch")
    ]
    opaque |= {i for i, c in enumerate(program.calls) if c.kind == "opaque"}
    names = sorted({program.calls[i].target or program.calls[i].kind for i in opaque})
    if names:
        said.append(
            "%s with the shape alone, FLOPs and memory are not known: %s"
            % (
                "1 call stands in the graph" if len(opaque) == 1 else "%d calls stand in the graph" % len(opaque),
                ", ".join(names),
            )
        )
    if not program.failed and (body.get("paramsWithheld") or body["params"] != program.params):
        raise Untraceable(
            "%s has %d parameters and its trace %s: this is a fault of the tracer, please report it"
            % (program.name, program.params, body["params"])
        )
    return Graph(body["model"], program.params, tuple(said), program.method, source)


def stopped(notes: List[str], line_of: Dict[int, int], program: Program) -> Optional[int]:
    """The call that the reader stopped at, None where it went to the end, or to the call that raised."""
    for n in notes:
        places = [int(p) for p in PLACE.findall(n) if int(p) in line_of]
        if places and not informs(n):
            at = line_of[places[-1]]  # the cause stands behind what came of it
            last = len(program.calls) - 1
            return None if program.failed and at == last else at
    return None


def informs(note: str) -> bool:
    """Whether a note says something of a place that was read all the same."""
    return "read for a batch" in note or "is taken from" in note or "no --input" in note
