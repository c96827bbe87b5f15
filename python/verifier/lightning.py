"""A callback of Lightning that checks a run before its first step.

>>> from verifier.lightning import VerifierCallback
>>> trainer = lightning.Trainer(callbacks=[VerifierCallback(gpu="L4")])

What the module is called with comes from its ``example_input_array``, else from ``inputs``.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

try:
    from lightning.pytorch import Callback
except ImportError:
    try:
        from pytorch_lightning import Callback
    except ImportError:
        raise ImportError("verifier.lightning needs Lightning: pip install lightning") from None

from verifier.gate import Gate, Refused

__all__ = ["Refused", "VerifierCallback"]


class VerifierCallback(Callback):  # type: ignore[misc]
    """Refuses a run that would crash or not fit ``gpu``, or warns with ``on_fail="warn"``; writes ``metric`` to history at the end."""

    def __init__(
        self,
        gpu: Optional[str] = None,
        *,
        inputs: Any = None,
        kwargs: Optional[Dict[str, Any]] = None,
        on_fail: str = "raise",
        metric: str = "val_loss",
        **run: Any,
    ) -> None:
        super().__init__()
        self.gate, self.inputs, self.kwargs = Gate(gpu, on_fail, metric, **run), inputs, kwargs

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        self.gate.before(pl_module, self.inputs, self.kwargs)

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        self.gate.after(dict(trainer.callback_metrics), trainer.current_epoch)
