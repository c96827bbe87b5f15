"""A callback of transformers' Trainer that checks a run before its first step.

>>> from verifier.trainer import VerifierCallback
>>> trainer = transformers.Trainer(model=model, args=args, callbacks=[VerifierCallback(gpu="L4")])

Batch, precision, optimizer and gradient checkpointing are read from the arguments of the Trainer.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

try:
    from transformers import TrainerCallback
except ImportError:
    raise ImportError("verifier.trainer needs transformers: pip install transformers") from None

from verifier.gate import Gate, Refused

__all__ = ["Refused", "VerifierCallback"]

OPTIMIZERS = {
    "adamw_torch": "adamw",
    "adamw_torch_fused": "adamw-fused",
    "adamw_hf": "adamw",
    "sgd": "sgd-plain",
    "adafactor": "adafactor",
    "adamw_bnb_8bit": "adamw-8bit",
    "adamw_8bit": "adamw-8bit",
}


class VerifierCallback(TrainerCallback):  # type: ignore[misc]
    """Refuses a run that would crash or not fit ``gpu``, or warns with ``on_fail="warn"``; writes ``metric`` to history at the end."""

    def __init__(
        self,
        gpu: Optional[str] = None,
        *,
        inputs: Any = None,
        kwargs: Optional[Dict[str, Any]] = None,
        on_fail: str = "raise",
        metric: str = "eval_loss",
        **run: Any,
    ) -> None:
        self.gate, self.inputs, self.kwargs = Gate(gpu, on_fail, metric, **run), inputs, kwargs

    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **kwargs: Any) -> None:
        run = described(args)
        run.update(self.gate.run)
        self.gate.run = run
        self.gate.before(model, self.inputs, self.kwargs)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        metrics: Dict[str, Any] = {}
        for row in state.log_history:
            metrics.update(row)
        self.gate.after(metrics, int(state.epoch or 0))


def described(args: Any) -> Dict[str, Any]:
    """The run as ``plan`` takes it."""
    micro = int(args.per_device_train_batch_size)
    run: Dict[str, Any] = {"batch": micro * int(args.gradient_accumulation_steps)}
    if args.gradient_accumulation_steps > 1:
        run["micro_batch"] = micro
    run["precision"] = "amp" if args.bf16 else "fp16" if args.fp16 else "fp32"
    name = str(getattr(args.optim, "value", args.optim))
    if name in OPTIMIZERS:
        run["optimizer"] = OPTIMIZERS[name]
    if args.gradient_checkpointing:
        run["checkpointing"] = True
    return run
