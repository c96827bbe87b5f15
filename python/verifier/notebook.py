"""How answers draw themselves in a notebook: verdict, findings, the memory bar and the picture. Plain HTML that needs no script."""

from __future__ import annotations

from html import escape
from typing import Any, List, Optional

COLOURS = {
    "block": "#b3261e",
    "fail": "#b3261e",
    "warn": "#8a5a00",
    "ask": "#3b5bdb",
    "ok": "#1b7f3b",
    "pass": "#1b7f3b",
    "info": "#555",
}
PARTS = (
    ("weights", "#3b5bdb"),
    ("gradients", "#7048e8"),
    ("optimizer", "#0b7285"),
    ("activations", "#e8590c"),
    ("logits", "#c2255c"),
)


def size(n: Optional[int]) -> str:
    """Bytes in the unit that a card's memory is told in."""
    return "unknown" if n is None else "%.2f GB" % (n / 1e9) if n >= 1e7 else "%.2f MB" % (n / 1e6)


def word(text: str) -> str:
    return '<b style="color:%s">%s</b>' % (COLOURS.get(text, "inherit"), escape(text))


def findings(found: List[Any]) -> str:
    if not found:
        return ""
    rows = "".join(
        "<li>%s %s <code>%s</code>%s</li>"
        % (word(f.severity), escape(f.detail), escape(f.rule or f.stage), "<br>fix: " + escape(f.fix) if f.fix else "")
        for f in found
    )
    return "<ul>%s</ul>" % rows


def bar(memory: Any, card: Optional[int]) -> str:
    """The parts of a training step beside each other, as long as the card or, where that is smaller, as what is needed."""
    whole = max(card or 0, memory.need, memory.peak, 1)
    cells, legend = [], []
    for name, colour in PARTS:
        n = getattr(memory, name)
        if n > 0:
            cells.append(
                '<div title="%s %s" style="width:%.3f%%;background:%s"></div>'
                % (name, size(n), 100 * n / whole, colour)
            )
            legend.append('<span style="color:%s">■</span> %s %s' % (colour, name, size(n)))
    return (
        '<div role="img" aria-label="%s" style="display:flex;height:14px;max-width:640px;border:1px solid #888">%s</div>'
        '<div style="font-size:smaller">%s; needs %s%s</div>'
    ) % (
        "memory of a training step",
        "".join(cells),
        " ".join(legend),
        size(memory.need),
        " of " + size(card) if card else "",
    )


def page(result: Any) -> str:
    """The HTML of a result."""
    out: List[str] = []
    verdict = getattr(result, "verdict", "")
    if verdict:
        out.append("<p>%s %s</p>" % (word(verdict), escape(getattr(result, "summary", ""))))
    elif getattr(result, "ranked", None) is not None:
        rows = "".join(
            "<tr><td>%d</td><td>%s</td><td>%s</td></tr>" % (r.rank, escape(r.tier), escape(r.id)) for r in result.ranked
        )
        out.append("<table><tr><th>rank</th><th>tier</th><th>candidate</th></tr>%s</table>" % rows)
    else:
        out.append("<p>%s</p>" % escape(str(result) if hasattr(result, "need_bytes") else result.summary))
    plan = getattr(result, "plan", result)
    out.append(findings(getattr(plan, "findings", None) or []))
    memory = getattr(plan, "memory", None)
    if memory is not None:
        asked = plan.raw["plan"]["cost"].get("asked") or {}
        out.append(bar(memory, asked.get("memoryBytes")))
    for note in result.notes:
        out.append('<div style="font-size:smaller">note: %s</div>' % escape(note))
    picture = result.picture
    if picture:
        out.append("<details><summary>picture</summary>%s</details>" % picture)
    return '<div class="model-verifier">%s</div>' % "".join(out)
