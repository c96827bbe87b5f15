"""Runs the PyTorch expressions that the catalogue emits: go test ./truth -run TestEmission -emit rows.jsonl && python3 emission.py rows.jsonl

Every expression is built and called on the row's inputs with a batch of 2; the shape of the result, the number of parameters and the
names and shapes of the state_dict must be those of the row. Prints a line for each type that fails, and the totals.
"""
import collections, json, math, sys, warnings
import torch
import torch.nn as nn
import torch.nn.functional as F

import measure

warnings.filterwarnings("ignore")
torch.set_num_threads(1)


def run(r):
    scope = dict(torch=torch, nn=nn, F=F, math=math)
    exec(r["module"] or "", scope)  # noqa: S102: our own emitted source
    m = eval(r["torch"], scope)  # noqa: S307
    d = r["dtypes"] or ["int64" if r["type"] in ("embedding", "embeddingBag") else "float"] * len(r["inputs"])
    y = m(*measure.tensors(r["type"], r["params"], r["inputs"], d, 2))
    if list(y.shape) != [2, *r["outShape"]]:
        return f"gives {list(y.shape)[1:]}, not {r['outShape']}"
    if not isinstance(m, nn.Module):
        return "" if r["paramCount"] == 0 else "is no module but has weights"
    n = sum(p.numel() for p in m.parameters())
    if n != r["paramCount"]:
        return f"has {n} weights, not {r['paramCount']}"
    names = {f"{k} [{','.join(map(str, v.shape))}]" for k, v in m.named_parameters()}
    lost = sorted(set(r["weights"]) - names)
    return f"names: no {lost[:3]} among {sorted(names)[:4]}" if lost else ""


def main(path):
    good, bad, why = collections.Counter(), collections.Counter(), {}
    for r in map(json.loads, open(path)):
        try:
            e = run(r)
        except Exception as x:  # noqa: BLE001
            e = f"{type(x).__name__}: {str(x)[:150]}"
        if e:
            bad[r["type"]] += 1
            why.setdefault(r["type"], (r["torch"], json.dumps(r["params"]), e))
        else:
            good[r["type"]] += 1
    for ty in sorted(bad):
        print(f"{ty}: {bad[ty]} of {bad[ty] + good[ty]} fail", *why[ty], sep="\n    ")
    print(f"{sum(good.values())} of {sum(good.values()) + sum(bad.values())} rows, {len(set(good) - set(bad))} types whole, {len(bad)} not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
