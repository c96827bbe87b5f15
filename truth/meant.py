"""The intact graph behind every broken one of graphs.jsonl: what graphs.py had drawn before it broke it. Needs no PyTorch.

    python3 meant.py SEED graphs.jsonl.gz graphs-meant.jsonl.gz

The random numbers of graphs.py depend on the seed alone (101 for graphs.jsonl.gz), so the same draws are made again. Every row must
come out as it was kept, or nothing is written.
"""
import gzip, json, random, sys, types

for name in ("torch", "torch.utils", "torch.utils.flop_counter", "reference"):  # graphs.py imports them to run graphs, not to draw them
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch"].set_num_threads = lambda n: None
sys.modules["torch.utils.flop_counter"].FlopCounterMode = None
sys.modules["reference"].Graph = None
import graphs  # noqa: E402


def main(seed, rows_file, out):
    rows = [json.loads(line) for line in gzip.open(rows_file)]
    r, kept = random.Random(seed), []
    for i, row in enumerate(rows):
        g = r.choice(graphs.FAMILIES)(r)
        kind, broken = graphs.break_it(r, g) if i % 2 else ("clean", g)
        if kind != row["variant"] or broken != row["graph"]:
            sys.exit(f"{row['id']} is another graph: wrong seed, or graphs.py has changed")
        if kind != "clean":
            kept.append(dict(id=row["id"], graph=g))
    with open(out, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
        for k in kept:
            z.write((json.dumps(k, separators=(",", ":")) + "\n").encode())
    print(len(kept), "graphs")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
