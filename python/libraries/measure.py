"""Measures models and prints a row of JSON for each: ``measure.py 200 > rows.jsonl``, then ``measure.py --sum rows.jsonl``."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any, Dict, List

import models


def main() -> None:
    if sys.argv[1] == "--sum":
        with open(sys.argv[2], encoding="utf-8") as f:
            total([json.loads(line) for line in f])
        return
    wanted = int(sys.argv[1])
    for library, share in models.SHARE.items():
        if len(sys.argv) > 2 and library not in sys.argv[2:]:
            continue
        for name in models.spaced(models.NAMES[library](), round(wanted * share)):
            print(json.dumps(models.as_dict(models.measure(library, name))), flush=True)


def total(rows: List[Dict[str, Any]]) -> None:
    for library in models.SHARE:
        mine = [r for r in rows if r["library"] == library]
        read = [r for r in mine if r["counted"] is not None]
        exact = [r for r in read if r["counted"] == r["params"]]
        agree = [r for r in read if r["runs"] is not True or r["verdict"] != "block"]
        print(
            "%s: %d models, %d read, %d counts exact, %d verdicts as the meta device's, %d without a call of declared shape"
            % (library, len(mine), len(read), len(exact), len(agree), sum(1 for r in read if not r["declared"]))
        )
        for what in ("seconds", "torchinfo", "accelerate"):
            times = [r[what] for r in read if r[what]]
            if times:
                print(
                    "  %s: median %.3f s, slowest %.2f s, of %d"
                    % (what, statistics.median(times), max(times), len(times))
                )
        for r in mine:
            if r["error"] or r["counted"] != r["params"] or r["verdict"] == "block":
                print("  %s: %s %s" % (r["name"], r["verdict"], r["error"] or r["notes"][:2]))


if __name__ == "__main__":
    main()
