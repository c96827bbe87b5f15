"""Finds the numbers that follow the batch, by comparing a run of two samples with one of three."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, List, Optional, Sequence

from verifier.tracing.program import Batch, Call

SMALL, LARGE = 2, 3


class Apart(Exception):
    """The two runs took other steps, or a number depends on the batch in another way than by a multiple."""


def merge(small: Sequence[Call], large: Sequence[Call]) -> Optional[List[Call]]:
    """The calls with the batch as a symbol, or None where the runs cannot be laid over each other."""
    if len(small) != len(large):
        return None
    try:
        return [both(a, b) for a, b in zip(small, large)]
    except Apart:
        return None


def both(a: Any, b: Any) -> Any:
    """One value for two runs."""
    if type(a) is not type(b):
        raise Apart
    if isinstance(a, bool) or a is None or isinstance(a, str):
        if a != b:
            raise Apart
        return a
    if isinstance(a, int):
        if a == b:
            return a
        times, left = divmod(b - a, LARGE - SMALL)
        if left:
            raise Apart
        return Batch(times, a - times * SMALL)
    if isinstance(a, (tuple, list)):
        if len(a) != len(b):
            raise Apart
        return type(a)(both(x, y) for x, y in zip(a, b))
    if isinstance(a, dict):
        if list(a) != list(b):
            raise Apart
        return {k: both(a[k], b[k]) for k in a}
    if isinstance(a, slice):
        return slice(both(a.start, b.start), both(a.stop, b.stop), both(a.step, b.step))
    if is_dataclass(a) and not isinstance(a, type):
        return type(a)(**{f.name: both(getattr(a, f.name), getattr(b, f.name)) for f in fields(a)})
    if a != b and not (a != a and b != b):
        raise Apart
    return a
