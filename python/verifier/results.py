"""Answers as plain values. Each keeps the whole body of the program in ``raw``; docs/wire.md of the project describes its members."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

from verifier import notebook
from verifier.errors import Unreadable, VerifierFault

JSON = Dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One thing that was found. ``severity`` is ``block``, ``warn`` or ``info``; a block is a crash in PyTorch."""

    severity: str
    detail: str
    rule: str = ""
    stage: str = ""
    title: str = ""
    fix: str = ""
    component: str = ""
    edit: Tuple[JSON, ...] = ()

    @classmethod
    def of(cls, body: JSON) -> Finding:
        return cls(
            body.get("severity", ""),
            body.get("detail") or body.get("message", ""),
            body.get("ruleId") or body.get("rule", ""),
            body.get("stage", ""),
            body.get("title", ""),
            body.get("fix", ""),
            body.get("component", ""),
            tuple(body.get("edit") or ()),
        )

    def __str__(self) -> str:
        text = "%s  %s  [%s]" % (self.severity, self.detail, self.rule or self.stage)
        return text + ("\n       fix: " + self.fix if self.fix else "")


@dataclass(frozen=True)
class Stage:
    """One of the five stages of a check: preflight, data, train, evaluate, deploy."""

    name: str
    status: str
    headline: str
    data: JSON = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Memory:
    """Bytes on the card in a training step; ``error_percent`` is what the peak is off by in nineteen of twenty measured runs."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    logits: int
    peak: int
    need: int
    error_percent: Optional[int]

    @classmethod
    def of(cls, body: JSON) -> Memory:
        return cls(
            weights=int(body.get("weightBytes") or 0),
            gradients=int(body.get("gradientBytes") or 0),
            optimizer=int(body.get("optimizerBytes") or 0),
            activations=int(body.get("activationBytes") or 0),
            logits=int(body.get("logitBytes") or 0),
            peak=int(body.get("peakBytes") or 0),
            need=int(body.get("needBytes") or 0),
            error_percent=body.get("errorPercent"),
        )


@dataclass(frozen=True)
class Result:
    """What all answers have: the body as it came, the notes of reading the model, and how it is shown in a notebook."""

    raw: JSON = field(repr=False)
    notes: Tuple[str, ...] = field(repr=False)

    @property
    def picture(self) -> str:
        """The model as SVG, drawn when it is asked for; "" where it cannot be drawn."""
        draw = getattr(getattr(self, "plan", self), "draw", None)
        try:
            return str(draw()) if draw else ""
        except (Unreadable, VerifierFault):
            return ""

    def _repr_html_(self) -> str:
        return notebook.page(self)


@dataclass(frozen=True)
class Check(Result):
    """Whether a model runs. ``verdict`` is ``ok``, ``ask``, ``warn`` or ``block``."""

    verdict: str
    outcome: str
    summary: str
    findings: List[Finding]
    stages: List[Stage] = field(repr=False)
    draw: Optional[Callable[[], str]] = field(repr=False, default=None, compare=False)

    @classmethod
    def of(cls, body: JSON, notes: Tuple[str, ...], draw: Optional[Callable[[], str]] = None) -> Check:
        stages = [Stage(s["stage"], s["status"], s["headline"], s.get("data") or {}) for s in body["stages"]]
        return cls(
            body,
            notes,
            body["verdict"],
            body["outcome"],
            body["summary"],
            [Finding.of(f) for f in body["findings"]],
            stages,
            draw,
        )

    @property
    def ok(self) -> bool:
        """Whether nothing refuses the model."""
        return self.verdict != "block"

    @property
    def params(self) -> Optional[int]:
        """Trained parameters, or None where some of them are not known."""
        for s in self.stages:
            if s.name == "preflight":
                return None if s.data.get("paramsWithheld") else s.data.get("params")
        return None

    @property
    def flops(self) -> Optional[int]:
        """FLOPs of one sample forward, or None where a component is not counted."""
        for s in self.stages:
            if s.name == "preflight":
                return s.data.get("flops")
        return None

    def __str__(self) -> str:
        return "\n".join(["%s: %s" % (self.verdict, self.summary)] + [str(f) for f in self.findings])


@dataclass(frozen=True)
class Lint(Result):
    """What every rule finds. ``verdict`` is ``pass``, ``warn`` or ``fail``."""

    verdict: str
    findings: List[Finding]

    @classmethod
    def of(cls, body: JSON, notes: Tuple[str, ...]) -> Lint:
        return cls(body, notes, body["verdict"], [Finding.of(f) for f in body["findings"]])

    @property
    def ok(self) -> bool:
        return self.verdict != "fail"

    def __str__(self) -> str:
        return "\n".join([str(f) for f in self.findings] + [self.verdict])


@dataclass(frozen=True)
class Plan(Result):
    """What a model is, and what training it takes."""

    summary: str
    fingerprint: str
    params: Optional[int]
    flops: Optional[int]
    legal: bool
    findings: List[Finding]
    memory: Optional[Memory]
    cost_usd: Optional[float]
    train_seconds: Optional[float]
    gpu: str
    text: str = field(repr=False)
    markdown: str = field(repr=False)
    draw: Optional[Callable[[], str]] = field(repr=False, default=None, compare=False)

    @classmethod
    def of(cls, body: JSON, notes: Tuple[str, ...], draw: Optional[Callable[[], str]] = None) -> Plan:
        p = body["plan"]
        model, cost = p["model"], p["cost"]
        found = [Finding.of(f) for f in p["run"]["blockers"] + p["run"]["warnings"]]
        memory = Memory.of(p["memory"]) if p.get("memory") else None
        return cls(
            body,
            notes,
            p["summary"],
            model["fingerprint"],
            None if model.get("paramsWithheld") else model["params"],
            p.get("flops"),
            p["run"]["legal"],
            found,
            memory,
            cost.get("estCostUsd"),
            cost.get("estTrainSec"),
            cost.get("gpu", ""),
            body["text"],
            body["markdown"],
            draw,
        )

    @property
    def fits(self) -> Optional[bool]:
        """Whether the run fits the card that was asked for; None where none was, or where not every component's memory is known."""
        asked = self.raw["plan"]["cost"].get("asked")
        return asked.get("fits") if asked else None

    @property
    def fixes(self) -> List[JSON]:
        """Changes that make the run fit, the cheapest first."""
        return list(self.raw["plan"].get("fixes") or [])

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Fit(Result):
    """Whether training a model fits a card. ``fits`` is None where not all of its memory is known."""

    gpu: str
    fits: Optional[bool]
    need_bytes: Optional[int]
    card_bytes: Optional[int]
    legal: bool
    fixes: List[JSON]
    plan: Plan = field(repr=False)

    @classmethod
    def of(cls, plan: Plan) -> Fit:
        asked = plan.raw["plan"]["cost"].get("asked") or {}
        return cls(
            plan.raw,
            plan.notes,
            asked.get("gpu", ""),
            plan.fits,
            asked.get("needBytes"),
            asked.get("memoryBytes"),
            plan.legal,
            plan.fixes,
            plan,
        )

    def __bool__(self) -> bool:
        return self.legal and bool(self.fits)

    def __str__(self) -> str:
        if not self.legal:
            return "does not run: " + self.plan.summary
        if self.fits is None:
            return "not known whether it fits %s: %s" % (self.gpu, self.plan.summary)
        word = "fits" if self.fits else "does not fit"
        text = "%s %s: needs %s of %s" % (
            word,
            self.gpu,
            notebook.size(self.need_bytes),
            notebook.size(self.card_bytes),
        )
        return "\n".join([text] + ["  " + str(f.get("change", "")) for f in self.fixes])


@dataclass(frozen=True)
class Ranked:
    """The place of one candidate. Those that nothing measured tells apart share a rank."""

    id: str
    rank: int
    tier: str
    params: Optional[int]
    cost_usd: Optional[float]
    reasons: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Rank(Result):
    """Candidates in order by what has been measured."""

    ranked: List[Ranked]

    @classmethod
    def of(cls, body: JSON, notes: Tuple[str, ...]) -> Rank:
        rows = [
            Ranked(r["id"], r["rank"], r["tier"], r.get("params"), r.get("estCostUsd"), tuple(r.get("reasons") or ()))
            for r in body["ranked"]
        ]
        return cls(body, notes, rows)

    def __str__(self) -> str:
        return "\n".join("%d  %-8s %s" % (r.rank, r.tier, r.id) for r in self.ranked)
