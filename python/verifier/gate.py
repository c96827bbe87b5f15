"""What the callbacks of trainers share: a check before the first step, and the outcome behind the last."""

from __future__ import annotations

import time
import warnings
from typing import Any, Dict, Optional

from verifier import history
from verifier.api import plan, text_alone
from verifier.errors import Unreadable
from verifier.results import Plan

ON_FAIL = ("raise", "warn")


class Refused(RuntimeError):
    """A run that would crash or not fit its card, stopped before its first step. ``plan`` has the findings."""

    def __init__(self, message: str, plan: Plan) -> None:
        super().__init__(message)
        self.plan = plan


class Gate:
    """Plans a run once, refuses it or warns, and keeps what became of it."""

    def __init__(self, gpu: Optional[str], on_fail: str, metric: str, **run: Any) -> None:
        if on_fail not in ON_FAIL:
            raise ValueError("on_fail is %r but takes %s" % (on_fail, " or ".join(ON_FAIL)))
        self.gpu, self.on_fail, self.metric, self.run = gpu, on_fail, metric, run
        self.plan: Optional[Plan] = None
        self.began = 0.0

    def before(self, model: Any, inputs: Any = None, kwargs: Optional[Dict[str, Any]] = None) -> None:
        """Checks the run. A model that cannot be read is a warning, and never stops a run."""
        self.began = time.monotonic()
        try:
            self.plan = plan(model, inputs, kwargs, gpu=self.gpu, **self.run)
            text = None if self.plan.legal else text_alone(model, inputs, kwargs)
            if text is not None:  # the batches of the run may have no picture in them
                self.plan = plan(text, gpu=self.gpu, **self.run)
        except Unreadable as e:
            warnings.warn("model-verifier did not check this run: %s" % e, stacklevel=2)
            return
        fault = self.fault(self.plan)
        if fault and self.on_fail == "raise":
            raise Refused(fault, self.plan)
        if fault:
            warnings.warn(fault, stacklevel=2)

    def fault(self, made: Plan) -> str:
        if not made.legal:
            return "\n".join(["this model does not run:"] + [str(f) for f in made.findings if f.severity == "block"])
        if made.fits is False:
            asked = made.raw["plan"]["cost"]["asked"]
            return "this run needs %.2f GB and %s has %.2f GB" % (
                asked["needBytes"] / 1e9,
                asked["gpu"],
                asked["memoryBytes"] / 1e9,
            )
        return ""

    def after(self, metrics: Dict[str, Any], epochs: Optional[int]) -> Optional[str]:
        """Writes the outcome to history where a service is configured and the metric was measured."""
        if self.plan is None or self.metric not in metrics or not history.configured():
            return None
        try:
            return history.write(
                self.plan.fingerprint,
                self.metric,
                float(metrics[self.metric]),
                epochs=epochs,
                wall_seconds=time.monotonic() - self.began,
            )
        except Unreadable as e:
            warnings.warn("the outcome was not written to history: %s" % e, stacklevel=2)
            return None
