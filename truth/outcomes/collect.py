"""Joins designs and their runs, a line a design: python3 collect.py OUT.jsonl.gz DESIGNS RUNS [DESIGNS RUNS ...]

The first line says what everything was measured with. A design that was not trained is left out.
"""

from __future__ import annotations

import gzip
import json
import sys
from typing import Any

ABOUT = {
    "about": "designs drawn by truth/outcomes, trained by truth/outcomes/fit.py",
    "torch": "2.11.0+cu130",
    "device": "NVIDIA H200",
    "precision": "float32 with TF32 matrix products",
    "recipes": {"adam": "Adam, peak 0.001", "sgd": "SGD, peak 0.05, Nesterov momentum 0.9, weight decay 0.0005"},
    "schedule": "5 % linear warm-up, then half a cosine to 0",
    "batch": {"mnist": 128, "fashion": 128, "cifar10": 128, "digits": 64, "cancer": 32},
    "epochs": {"mnist": 5, "fashion": 6, "cifar10": 8, "digits": 20, "cancer": 30},
    "curve": ["training loss", "validation loss", "validation accuracy"],
}


def read(path: str) -> list[dict[str, Any]]:
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as f:
        return [json.loads(line) for line in f]


def main(out: str, *paths: str) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for designs, runs in zip(paths[::2], paths[1::2], strict=True):
        for d in read(designs):
            rows[d["id"]] = {k: v for k, v in d.items() if k not in ("source", "class")} | {"runs": []}
        for r in read(runs):
            if "error" in r:
                raise SystemExit(f"{r['id']}: {r['error']}")
            row = rows[r["id"]]
            curve = [[round(v, 4) if v is not None else None for v in point] for point in r["curve"]]
            row["runs"].append({"recipe": r["recipe"], "seed": r["seed"], "curve": curve})
            if "scores" in r:
                row["scores"] = {k: None if v is None else float(f"{v:.6g}") for k, v in r["scores"].items()}
    with gzip.GzipFile(out, "wb", compresslevel=9, mtime=0) as f:
        f.write(json.dumps(ABOUT).encode() + b"\n")
        for row in rows.values():
            if row["runs"]:
                row["runs"].sort(key=lambda r: (r["recipe"], r["seed"]))
                f.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
