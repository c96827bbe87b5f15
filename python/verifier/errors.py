"""What can go wrong. A model that does not run is none of it: that is an answer, with a verdict and findings."""

from __future__ import annotations

from typing import Any, Dict, List

__all__ = ["NoBinary", "Unreadable", "VerifierFault"]


class Unreadable(Exception):
    """Input that cannot be read, in the words of the program: a file that is not there, a shape that is missing, a wrong argument.

    ``code``, ``path`` and ``allowed`` are those of the program's error where it has them.
    """

    def __init__(self, message: str, body: Dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.body: Dict[str, Any] = body or {}

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))

    @property
    def path(self) -> str:
        return str(self.body.get("path", ""))

    @property
    def allowed(self) -> List[str]:
        return list(self.body.get("allowed") or [])


class NoBinary(Unreadable):
    """There is no program for this platform, or one for another."""


class VerifierFault(Exception):
    """A fault of the program itself: exit code 4, or an answer that is not JSON."""
