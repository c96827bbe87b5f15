"""What PyTorch does at the edges: rows of layers.jsonl.gz and more.jsonl with one thing changed.

python3 edges.py OUTDIR MORE.jsonl [TYPE,TYPE…]: takes legal rows of every type, sets one parameter to zero, a negative, a fraction, a word or a
list of another length, leaves one out, or gives the input another rank, and measures what comes of it as measure.py does.
"""
import gzip, json, os, random, sys
import measure
import reference

PER_TYPE, BASES = 45, 8


def mutants(r, ty, rows, keys):
    """One changed row after another, from random legal rows."""
    while True:
        b = json.loads(json.dumps(r.choice(rows)))
        p, s, d = b["params"], b["inputs"], b.get("dtypes") or ["int64" if ty in reference.TOKEN_FED else "float"] * len(b["inputs"])
        x = r.random()
        if x < 0.6 and keys:
            k = r.choice(keys)
            v = p.get(k)
            if isinstance(v, str):
                p[k] = r.choice(["x", "", v.upper(), 1])
            elif isinstance(v, list):
                p[k] = r.choice([v[:-1], v + v[-1:], v[:1], [0] * len(v), [-1] * len(v), v[0] if v else 0, [1.5] * len(v), v[::-1]])
            elif isinstance(v, bool):
                p[k] = r.choice([0, 1, not v])
            elif isinstance(v, (int, float)):
                p[k] = r.choice([0, -1, 1, 2, v + 1, v * 2, -2, 1.5, [v], [v, v], [v, v, v], "x", 0])
            else:
                p[k] = r.choice([0, -1, 1, 2, 3, True, 1.5])
        elif x < 0.7 and p:
            p.pop(r.choice(list(p)))
        elif s:
            i = r.randrange(len(s))
            q = s[i]
            s[i] = r.choice([q[1:], q[:-1], q + [r.randint(1, 3)], [r.randint(1, 3)] + q, [], [1] * len(q), [n + 1 for n in q], q[::-1]])
        yield p, s, d


def work(ty, path, rows, keys):
    r, seen, n = random.Random(ty), set(), 0
    done = [json.loads(x) for x in open(path)] if os.path.exists(path) else []
    gen = mutants(r, ty, rows, keys)
    with open(path, "a") as f:
        for i in range(PER_TYPE * 4):
            p, s, d = next(gen)
            k = json.dumps([p, s, d], sort_keys=True)

            def fn():
                if k in seen:
                    return dict(drop="again")
                a, b = measure.once(ty, p, s, d, 2), measure.once(ty, p, s, d, 3)
                if [a.get(x) for x in ("ok", "outShape", "outInt")] != [b.get(x) for x in ("ok", "outShape", "outInt")]:
                    return dict(drop="batch")
                if a["ok"] and 0 in a["outShape"]:
                    return dict(drop="empty")
                return dict(**measure.row_of(ty, p, s, d), **a)
            o = done[i] if i < len(done) else measure.step(f, fn)
            seen.add(k)
            n += "ok" in o
            if n >= PER_TYPE:
                break


def main(outdir, more, only=""):
    by = {}
    with gzip.open(os.path.join(measure.HERE, "layers.jsonl.gz"), "rt") as f:
        rows = [json.loads(x) for x in f]
    for x in rows + [json.loads(x) for x in open(more)]:
        by.setdefault(x["type"], []).append(x)
    parts = os.path.join(outdir, "edge-parts")
    os.makedirs(parts, exist_ok=True)
    tasks = []
    for ty, v in by.items():
        legal = measure.spread([x for x in v if x["ok"]], BASES)
        keys = sorted({k for x in v for k in x["params"]})
        if legal and (not only or ty in only.split(",")):
            tasks.append((ty, os.path.join(parts, ty), (legal, keys)))
    measure.in_processes(work, tasks, "edges", min(16, os.cpu_count() or 1))
    n = bad = 0
    with open(os.path.join(outdir, "edges.jsonl"), "w") as f:
        for ty, path, _ in tasks:
            for x in measure.lines(path):
                if "ok" in x:
                    n, bad = n + 1, bad + (not x["ok"])
                    f.write(measure.compact(x) + "\n")
            os.remove(path)
    os.rmdir(parts)
    print("edges", n, "rows", bad, "refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
