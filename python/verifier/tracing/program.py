"""What was recorded of a module: its parts, and the calls of its forward in their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Union

from verifier.errors import Unreadable


class Untraceable(Unreadable):
    """A module whose forward could not be followed, with the reason in the words of PyTorch where it is its own."""


@dataclass(frozen=True)
class Ref:
    """A tensor that an earlier step gave: by the number of the step, and where it is in its result."""

    step: int
    path: Tuple[Union[int, str], ...] = ()


@dataclass(frozen=True)
class Attribute:
    """A parameter or buffer of the module, by its name there."""

    name: str


@dataclass(frozen=True)
class Constant:
    """A tensor that the forward takes from nowhere that is recorded: of it the shape and dtype are known."""

    shape: Tuple[Any, ...]
    dtype: str


@dataclass(frozen=True)
class Word:
    """A value that is written as it is, such as ``torch.float32``."""

    text: str


@dataclass(frozen=True)
class Batch:
    """A number that follows the batch: ``times * batch + plus``."""

    times: int
    plus: int


@dataclass(frozen=True)
class Unwritable:
    """A value that has no form in source."""

    what: str


@dataclass(frozen=True)
class Call:
    """One step: a layer, a function, a method of its first argument, an operator, or something that has no form in source."""

    kind: str  # input, module, function, method, property, operator, reversed, item, setitem, opaque
    target: str
    args: Tuple[Any, ...] = ()
    kwargs: Tuple[Tuple[str, Any], ...] = ()
    shapes: Tuple[
        Tuple[Tuple[Union[int, str], ...], Tuple[Any, ...], str], ...
    ] = ()  # of each tensor of the result: path, shape, dtype
    scope: str = ""


@dataclass
class Layer:
    """A module of torch.nn that is constructed with these arguments."""

    name: str
    cls: str
    kwargs: Dict[str, Any]


@dataclass
class Weight:
    """A parameter or buffer that no layer brings along."""

    name: str
    shape: Tuple[int, ...]
    dtype: str
    buffer: bool
    trained: bool = True


@dataclass
class Program:
    """A module as it was recorded. ``failed`` is the exception that its last step raised."""

    name: str
    inputs: List[str] = field(default_factory=list)  # as --input takes them
    layers: List[Layer] = field(default_factory=list)
    weights: List[Weight] = field(default_factory=list)
    ties: List[Tuple[str, str]] = field(default_factory=list)  # of two names of one parameter: the later and the first
    calls: List[Call] = field(default_factory=list)
    arguments: List[Tuple[Optional[str], Any]] = field(
        default_factory=list
    )  # of forward: name, or None, and tree of Refs
    outputs: List[Ref] = field(default_factory=list)
    params: int = 0
    failed: Optional[Tuple[str, str]] = None  # class and words of the exception
    notes: List[str] = field(default_factory=list)
    method: str = "record"
    inputs_batched: int = -1  # the call of the first input that has a batch, -1 where none has
