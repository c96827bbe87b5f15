"""Says before a run whether a neural network works in PyTorch, what it costs, and what the one fix is.

>>> import verifier
>>> verifier.check(model, inputs=(1, 3, 224, 224)).verdict
'ok'
>>> verifier.plan("resnet18", gpu="L4").fits
True

A model is an ``nn.Module``, a path, a hub id or a graph. Nothing needs a GPU, and no weight is read. The package needs the standard library
alone; PyTorch is imported only where a module is given.
"""

from verifier.api import Graph, check, fit, lint, plan, rank, read, version
from verifier.errors import NoBinary, Unreadable, VerifierFault
from verifier.many import check_many
from verifier.results import Check, Finding, Fit, Lint, Memory, Plan, Rank, Ranked, Stage
from verifier.tracing import Untraceable

__all__ = [
    "Check",
    "Finding",
    "Fit",
    "Graph",
    "Lint",
    "Memory",
    "NoBinary",
    "Plan",
    "Rank",
    "Ranked",
    "Stage",
    "Unreadable",
    "Untraceable",
    "VerifierFault",
    "check",
    "check_many",
    "fit",
    "lint",
    "plan",
    "rank",
    "read",
    "version",
]
