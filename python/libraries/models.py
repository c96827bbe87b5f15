"""Models of torchvision, timm and transformers, evenly spaced over what each library lists, built on the meta device."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, Iterator, List, Optional, Tuple

import torch

import verifier


@dataclass
class Row:
    """What was found of one model."""

    library: str
    name: str
    params: int = 0  # sum(p.numel())
    counted: Optional[int] = None  # by model-verifier
    runs: Optional[bool] = None  # on the meta device; None where that was not tried
    verdict: str = ""
    method: str = ""
    components: int = 0
    declared: int = 0  # components of declared shape alone
    seconds: float = 0.0  # of processor time, as those of the others
    torchinfo: Optional[float] = None
    accelerate: Optional[float] = None
    notes: List[str] = field(default_factory=list)
    error: str = ""


def spaced(names: List[str], n: int, skip: int = 0) -> List[str]:
    """n of the names, evenly spaced: whoever chooses them chooses nothing."""
    step = max(len(names) / max(n, 1), 1.0)
    return [names[int(i * step + skip) % len(names)] for i in range(min(n, len(names)))]


def torchvision_names() -> List[str]:
    import torchvision

    return sorted(torchvision.models.list_models(module=torchvision.models))


def timm_names() -> List[str]:
    import timm

    return sorted(timm.list_models())


def transformers_names() -> List[str]:
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    return sorted(set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values()) | set(MODEL_FOR_MASKED_LM_MAPPING_NAMES.values()))


NAMES = {"torchvision": torchvision_names, "timm": timm_names, "transformers": transformers_names}
SHARE = {"torchvision": 0.3, "timm": 0.45, "transformers": 0.25}


def build(library: str, name: str) -> Tuple[Any, Any]:
    """A model, on the meta device, and what it is called with; None where its configuration says enough."""
    try:
        with torch.device("meta"):
            return build_here(library, name)
    except (NotImplementedError, RuntimeError):
        model, inputs = build_here(library, name)
        return model.to("meta"), inputs


def build_here(library: str, name: str) -> Tuple[Any, Any]:
    if library == "torchvision":
        import torchvision

        size = 299 if name == "inception_v3" else 224
        kwargs = {"init_weights": False} if name in ("inception_v3", "googlenet") else {}
        return torchvision.models.get_model(name, **kwargs), (1, 3, size, size)
    if library == "timm":
        import timm

        model = timm.create_model(name)
        return model, (1, *model.pretrained_cfg["input_size"])
    import transformers

    cls = getattr(transformers, name)
    return cls(cls.config_class()), None


def read_as_run(model: Any, inputs: Any) -> verifier.Graph:
    """The graph of the call that :func:`meta_run` makes: without inputs that is one with text alone."""
    if inputs is not None:
        return verifier.read(model, inputs)
    try:
        return verifier.read(model, text_only=True)
    except verifier.Untraceable:
        return verifier.read(model)


def meta_run(model: Any, inputs: Any) -> bool:
    """Whether the model runs on the meta device in training mode with two samples."""
    model.train()
    given = torch.empty((2, *inputs[1:]), device="meta") if inputs is not None else None
    with torch.no_grad(), torch.device("meta"):
        model(given) if given is not None else model(input_ids=torch.zeros((2, 8), dtype=torch.int64, device="meta"))
    return True


@contextlib.contextmanager
def timed() -> Iterator[Dict[str, float]]:
    """Seconds of processor time, those of started programs too: a busy machine does not change them."""
    out: Dict[str, float] = {}
    began = sum(os.times()[:4])
    yield out
    out["s"] = round(sum(os.times()[:4]) - began, 3)


def beside(model: Any, inputs: Any, row: Row) -> None:
    """The time that torchinfo and accelerate take on the same model."""
    if inputs is not None:
        try:
            import torchinfo

            with timed() as t:
                torchinfo.summary(model, input_size=inputs, device="meta", verbose=0)
            row.torchinfo = t["s"]
        except Exception as e:
            row.notes.append("torchinfo: %s" % type(e).__name__)
    try:
        from accelerate.utils import calculate_maximum_sizes

        with timed() as t:
            calculate_maximum_sizes(model)
        row.accelerate = t["s"]
    except Exception as e:
        row.notes.append("accelerate: %s" % type(e).__name__)


def measure(library: str, name: str, others: bool = True) -> Row:
    """Everything about one model. What the library itself cannot build or run on the meta device has an error and no count."""
    row = Row(library, name)
    try:
        model, inputs = build(library, name)
        row.params = sum(p.numel() for p in model.parameters())
    except Exception as e:
        row.error = ("not built: %s: %s" % (type(e).__name__, e)).splitlines()[0][:200]
        return row
    try:
        row.runs = meta_run(model, inputs)
    except Exception as e:
        row.error = ("does not run on the meta device: %s: %s" % (type(e).__name__, e)).splitlines()[0][:200]
        if inputs is not None:
            return row
    try:
        with timed() as t:
            graph = read_as_run(model, inputs)
            result = verifier.check(graph)
        row.seconds, row.method, row.verdict, row.counted = t["s"], graph.method, result.verdict, result.params
        row.components = len(graph.model["components"])
        row.declared = sum(1 for c in graph.model["components"] if c["type"] == "customModule")
        row.notes += list(graph.notes)
    except verifier.Unreadable as e:
        row.error = row.error or ("%s: %s" % (type(e).__name__, e)).splitlines()[0][:300]
        return row
    if others:
        beside(model, inputs, row)
    return row


def as_dict(row: Row) -> Dict[str, Any]:
    return asdict(row)
