"""Reads an ``nn.Module`` by running its ``forward`` once on the meta device, and writes what it did as straight PyTorch source.

The source goes to the same reader that ``verifier check model.py:Net`` uses. So a traced module and its class give the same graph, and
an operation that the reader learns is known here, too. No weight is read and nothing runs on a GPU: the meta device has shapes alone.

- :mod:`verifier.tracing.recorder` runs the module and keeps the calls.
- :mod:`verifier.tracing.symbolic` takes them from ``torch.fx`` where the module cannot run without numbers.
- :mod:`verifier.tracing.source` writes them down.
"""

from verifier.tracing.program import Program, Untraceable

__all__ = ["Program", "Untraceable"]
