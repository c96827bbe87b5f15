"""Measures the further types: python3 measure.py OUTDIR [--seed N] [--smoke] [--cpu]

more.jsonl: what PyTorch does with random cases of each new type (CPU, training mode, batches of 2 and 3).
costs.jsonl: FLOPs and what autograd keeps, of old and new types (CUDA). ints.jsonl: what int64 in the place of floats does.
Every type is measured in a process of its own, restarted after the row at fault if a row kills it or hangs.
"""
import argparse, gzip, json, multiprocessing, os, random, signal, subprocess, sys, time, warnings, zlib
import torch
import torch.nn as nn
import reference
import more_ops

try:
    import more_blocks
except ModuleNotFoundError as e:
    if e.name != "more_blocks":
        raise
    more_blocks = None
import more_layers
try:
    from torch.utils.flop_counter import FlopCounterMode
except ImportError:  # before torch 2.1: smoke only
    FlopCounterMode = None

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")
HERE = os.path.dirname(os.path.abspath(__file__))

NEW, CASES, FILL, ARITY = {}, {}, {}, {}
for mod in (more_ops, more_blocks, more_layers):
    if mod is not None:
        for mine, theirs in ((NEW, mod.TYPES), (CASES, mod.CASES), (FILL, getattr(mod, "FILL", {})), (ARITY, getattr(mod, "ARITY", {}))):
            mine.update(theirs)
OLD = {k: v for k, v in reference.TYPES.items() if k not in NEW}
OLD_ARITY = {k: (1, None) for k in reference.MULTI}
OLD_ARITY.update(matmul=(2, 2), crossAttention=(1, 2))
TYPES = {**OLD, **NEW}
DEV = "cuda"
LIBRARIES = ("torchvision", "torchaudio", "torch_geometric", "transformers")
ROWS, COST_ROWS, INT_ROWS = 60, 15, 3
ROW_SECONDS = 30  # a row that takes longer is killed


def says(e):
    return (type(e).__name__ + ": " + str(e).split("\n")[0])[:160]


def compact(o):
    return json.dumps(o, separators=(",", ":"))


def seed_of(*what):
    return zlib.crc32(json.dumps(what, sort_keys=True).encode())


def check_count(ty, n):
    lo, hi = ARITY.get(ty, (1, 1)) if ty in NEW else OLD_ARITY.get(ty, (1, 1))
    if n < lo or (hi is not None and n > hi):
        raise TypeError(f"{ty} takes {lo if lo == hi else f'{lo} to {hi}' if hi else f'{lo} or more'} inputs, got {n}")


def tensors(ty, p, shapes, dtypes, batch):
    g = torch.Generator().manual_seed(seed_of(ty, p, shapes, batch))
    xs = []
    for i, (s, d) in enumerate(zip(shapes, dtypes)):
        s = [batch, *s]
        if ty in FILL:
            x = FILL[ty](p, i, s, g)
            if x is None:
                x = torch.zeros(s) if d == "int64" else torch.randn(s, generator=g)
        else:
            x = torch.zeros(s) if d == "int64" else torch.randn(s, generator=g)
        xs.append(x.to(torch.long if d == "int64" else torch.float32))
    return xs


def build(ty, p):
    torch.manual_seed(seed_of(ty, p))
    return TYPES[ty](json.loads(json.dumps(p)))  # params as a reader of the file gets them


def once(ty, p, shapes, dtypes, batch):
    try:
        check_count(ty, len(shapes))
        m = build(ty, p).train()
        y = m(*tensors(ty, p, shapes, dtypes, batch))
        if y.dim() == 0 or y.shape[0] != batch:
            return dict(ok=False, error="batch axis not preserved")
        r = dict(ok=True, outShape=list(y.shape[1:]), paramCount=sum(q.numel() for q in m.parameters()))
        if y.dtype == torch.long:
            r["outInt"] = True
        return r
    except Exception as e:  # noqa: BLE001
        return dict(ok=False, error=says(e))


def row_of(ty, p, s, d):
    r = dict(type=ty, params=p, inputs=s)
    if "int64" in d:
        r["dtypes"] = d
    return r


# ------------------------------------------------- one process per type, resumed after a crash
# A worker appends one line per step to its file; lines that are there already are steps done.


def step(f, fn):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(ROW_SECONDS)
    o = fn()
    signal.alarm(0)
    f.write(compact(o) + "\n")
    f.flush()
    if "CUDA error" in o.get("skipped", "") or "device-side" in o.get("skipped", ""):
        os._exit(3)  # the context is lost: the parent starts another
    return o


def draw(ty, path, seed, rows):
    """Draws until there are enough distinct rows and both legal and refused ones are at least a quarter."""
    r, seen, ok, bad = random.Random(f"{seed}:{ty}"), set(), 0, 0
    done = [json.loads(x) for x in open(path)] if os.path.exists(path) else []
    with open(path, "a") as f:
        for i in range(rows * 100):
            n = ok + bad
            short = n >= rows and (4 * bad < n or 4 * ok < n)
            if n >= rows and not short:
                break
            p, s, d = CASES[ty](r)
            p, s, d = json.loads(json.dumps([p, s, d]))
            if i < len(done):
                o = done[i]
            else:
                k = json.dumps([p, s, d], sort_keys=True)

                def fn():
                    if k in seen:
                        return dict(drop="again")
                    a, b = once(ty, p, s, d, 2), once(ty, p, s, d, 3)
                    if [a.get(x) for x in ("ok", "outShape", "outInt")] != [b.get(x) for x in ("ok", "outShape", "outInt")]:
                        return dict(drop="batch")
                    if a["ok"] and 0 in a["outShape"]:
                        return dict(drop="empty")
                    if short and (a["ok"] if 4 * bad < n else not a["ok"]):
                        return dict(drop="enough of these")
                    return dict(**row_of(ty, p, s, d), **a)
                o = step(f, fn)
            seen.add(json.dumps([p, s, d], sort_keys=True))
            if "ok" in o:
                ok, bad = ok + o["ok"], bad + (not o["ok"])


def each(fn):
    def work(ty, path, rows):
        done = sum(1 for _ in open(path)) if os.path.exists(path) else 0
        with open(path, "a") as f:
            for r in rows[done:]:
                step(f, lambda: fn(ty, r))
    return work


def in_processes(work, tasks, label, workers):
    """tasks: (type, path, args). Restarts a worker that dies, with the step at fault marked as skipped."""
    ctx = multiprocessing.get_context("fork")
    todo, live, deaths, n = list(tasks), {}, {}, len(tasks)
    t0 = time.time()
    finished = 0
    while todo or live:
        while todo and len(live) < workers:
            ty, path, args = todo.pop(0)
            pr = ctx.Process(target=work, args=(ty, path, *args))
            pr.start()
            live[ty] = (pr, path, args)
        for ty in list(live):
            pr, path, args = live[ty]
            if pr.is_alive():
                continue
            pr.join()
            del live[ty]
            if pr.exitcode:
                deaths[ty] = deaths.get(ty, 0) + 1
                if pr.exitcode == 1:
                    print(f"{label} {ty}: an error of the harness or of CASES, see above", flush=True)
                if pr.exitcode != 3:
                    with open(path, "a") as f:
                        f.write(compact(dict(skipped=f"process ended with {pr.exitcode}", died=True)) + "\n")
                if deaths[ty] < 25 and pr.exitcode != 1:
                    todo.insert(0, (ty, path, args))
                    continue
            finished += 1
            print(f"{label} {finished}/{n} {ty} {time.time() - t0:.0f}s" + (f" ({deaths[ty]} deaths)" if ty in deaths else ""), flush=True)
        time.sleep(0.01)


def lines(path):
    return [json.loads(x) for x in open(path)] if os.path.exists(path) else []


# ------------------------------------------------- costs


def storage(x):
    return x.untyped_storage() if hasattr(x, "untyped_storage") else x.storage()._storage if hasattr(x.storage(), "_storage") else x.storage().untyped()


def ptr(x):
    return storage(x).data_ptr()


def recurrent(m, total):
    """Adds up, in total[0], the matrix products of recurrent layers, which cuDNN hides from the counter (as graphs.recurrent_flops)."""
    def hook(mod, args):
        x = args[0]
        if not x.is_cuda or not torch.backends.cudnn.is_acceptable(x):
            return  # PyTorch's own cells: counted
        gates = {"LSTM": 4, "GRU": 3}.get(mod.mode, 1)
        steps = x.shape[0] * (x.shape[1] if x.dim() == 3 else 1)
        dirs, h, i = 2 if mod.bidirectional else 1, mod.hidden_size, mod.input_size
        out = mod.proj_size or h
        for _ in range(mod.num_layers):
            total[0] += dirs * 2 * steps * (gates * h * (i + out) + (h * out if mod.proj_size else 0))
            i = dirs * out
    return [x.register_forward_pre_hook(hook) for x in m.modules() if isinstance(x, nn.RNNBase)]


def flops(m, ty, r, d):
    try:
        m.eval()
        total = [0]
        hooks = recurrent(m, total)
        xs = [x.to(DEV) for x in tensors(ty, r["params"], r["inputs"], d, 1)]
        with FlopCounterMode(display=False) as fc:
            m(*xs)
        for h in hooks:
            h.remove()
        if DEV == "cuda":
            torch.cuda.synchronize()
        return fc.get_total_flops() + total[0]
    except Exception as e:  # noqa: BLE001
        if "CUDA error" in str(e) or "device-side" in str(e):
            raise
        return -1


def kept(m, ty, r, d, batch):
    m.train()
    torch.manual_seed(seed_of(ty, batch))
    xs = [x.to(DEV) for x in tensors(ty, r["params"], r["inputs"], d, batch)]
    for x in xs:
        if x.is_floating_point():
            x.requires_grad_()
    own = {ptr(q) for q in [*m.parameters(), *m.buffers()]}
    held = []

    def pack(x):
        held.append(x)
        return x
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        y = m(*xs)
    if DEV == "cuda":
        torch.cuda.synchronize()
    own |= {ptr(q) for q in [*m.parameters(), *m.buffers()]}
    ins, out, new, seen = {}, ptr(y), [], set()
    for i, x in enumerate(xs):
        ins.setdefault(ptr(x), i)
    view = out == ptr(xs[0])
    got_in, got_out = set(), False
    for x in held:
        s = storage(x)
        k = s.data_ptr()
        if x.device.type != DEV or s.nbytes() == 0 or k in own or k in seen:
            continue
        seen.add(k)
        if k in ins:
            got_in.add(ins[k])
        elif k == out:
            got_out = True
        else:
            new.append(s.nbytes())
    return sorted(got_in), got_out, new, view


def cost(ty, r):
    d = r.get("dtypes") or ["int64" if ty in reference.TOKEN_FED else "float"] * len(r["inputs"])
    o = row_of(ty, r["params"], r["inputs"], d)
    try:
        m = build(ty, r["params"])
        m.train()(*tensors(ty, r["params"], r["inputs"], d, 2))  # builds what is taken from the input
        m.to(DEV)
        o["flops"] = flops(m, ty, r, d)
        a, b = kept(m, ty, r, d, 2), kept(m, ty, r, d, 3)
        s = {"in": a[0], "out": a[1]}
        if len(a[2]) == len(b[2]):
            s["new"] = [[y - x, x - 2 * (y - x)] for x, y in zip(a[2], b[2])]
        else:
            s["new"], s["newTotal"] = None, [sum(a[2]), sum(b[2])]
        if a[:2] != b[:2] or a[3] != b[3]:
            s["differs"] = {"in": b[0], "out": b[1]}
        o["saved"] = s
        if a[3]:
            o["view"] = True
    except Exception as e:  # noqa: BLE001
        o["skipped"] = says(e)
    return o


def as_int(ty, r):
    def go(train):
        try:
            m = build(ty, r["params"]).train(train)
            g = torch.Generator().manual_seed(seed_of(ty, r["inputs"]))
            y = m(*[torch.randint(0, 2, [2, *s], generator=g) for s in r["inputs"]])
            return ("float" if y.is_floating_point() else "int"), None
        except Exception as e:  # noqa: BLE001
            return "refused", says(e)
    (a, ea), (b, eb) = go(True), go(False)
    o = dict(type=ty, params=r["params"], inputs=r["inputs"], int=a)
    if ea:
        o["error"] = ea
    if a != b:
        o["eval"] = b  # training mode is what "int" says
        if eb:
            o["evalError"] = eb
    return o


def spread(rows, n):
    return rows if len(rows) <= n else [rows[i * len(rows) // n] for i in range(n)]


def main():
    global DEV
    ap = argparse.ArgumentParser()
    ap.add_argument("outdir")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--smoke", action="store_true")
    ap.add_argument("--rows", type=int, help=f"cases per type, {ROWS} if not given, 5 with --smoke")
    ap.add_argument("--cost-rows", type=int, help=f"legal cases per type whose costs are measured, {COST_ROWS} if not given")
    ap.add_argument("--cpu", action="store_true", help="measure costs on the CPU: for modules whose operations save the same there")
    ap.add_argument("--only", help="comma-separated types, for trying")
    ap.add_argument("--costs", action="store_true", help="for measure.py itself: the part that needs CUDA")
    a = ap.parse_args()
    rows, costs, ints = a.rows or ROWS, a.cost_rows or COST_ROWS, INT_ROWS
    if a.cpu:
        DEV = "cpu"
    if a.smoke:
        DEV, rows, costs, ints = "cpu", a.rows or 5, 2, 1
    parts = os.path.join(a.outdir, "parts")
    at = lambda kind, ty: os.path.join(parts, f"{kind}.{ty}")  # noqa: E731
    if a.costs:
        for ty, v in json.load(open(at("few", "json"))).items():
            print(f"costs {ty}", flush=True)
            each(cost)(ty, at("costs", ty), v)
        return
    only = set(a.only.split(",")) if a.only else None
    new = [k for k in NEW if not only or k in only]
    old = [k for k in OLD if not only or k in only]
    os.makedirs(parts, exist_ok=True)
    for x in os.listdir(parts):
        os.remove(os.path.join(parts, x))
    for n in LIBRARIES:
        if n not in sys.modules:
            print(f"WARNING: {n} is not imported; types built on it will be refused throughout", flush=True)
    workers = min(16, os.cpu_count() or 1)

    in_processes(draw, [(ty, at("more", ty), (a.seed, rows)) for ty in new], "more", workers)
    by, note = {ty: [] for ty in old}, {}
    with open(os.path.join(a.outdir, "more.jsonl"), "w") as f:
        for ty in new:
            got = lines(at("more", ty))
            by[ty] = [x for x in got if "ok" in x]
            note[ty] = (sum("died" in x for x in got), sum(x.get("drop") == "batch" for x in got), sum(x.get("drop") == "empty" for x in got))
            for x in by[ty]:
                f.write(compact(x) + "\n")
    with gzip.open(os.path.join(HERE, "layers.jsonl.gz"), "rt") as f:
        for x in map(json.loads, f):
            if x["type"] in by and x["type"] in OLD:
                by[x["type"]].append(x)
    legal = {ty: [x for x in v if x["ok"]] for ty, v in by.items()}

    floats = {ty: spread([x for x in v if "dtypes" not in x and ty not in reference.TOKEN_FED], ints) for ty, v in legal.items()}
    in_processes(each(as_int), [(ty, at("ints", ty), (v,)) for ty, v in floats.items() if v], "ints", workers)
    with open(os.path.join(a.outdir, "ints.jsonl"), "w") as f:
        for ty, v in floats.items():
            for r, x in zip(v, lines(at("ints", ty))):
                f.write(compact(x if "type" in x else dict(type=ty, params=r["params"], inputs=r["inputs"], int="refused", error=x["skipped"])) + "\n")

    few = {ty: spread(v, costs) for ty, v in legal.items()}
    with open(at("few", "json"), "w") as f:
        json.dump(few, f)
    for _ in range(100):  # in a process of its own: the libraries initialise CUDA when imported, and a fork cannot use it then
        if subprocess.call([sys.executable, __file__, a.outdir, "--costs"] + (["--smoke"] if a.smoke else ["--cpu"] if a.cpu else [])) == 0:
            break  # any other end is a lost context: the next process goes on behind the row at fault
    skipped, unrun = {}, {}
    with open(os.path.join(a.outdir, "costs.jsonl"), "w") as f:
        for ty, v in few.items():
            for r, x in zip(v, lines(at("costs", ty))):
                x = x if "type" in x else {**row_of(ty, r["params"], r["inputs"], r.get("dtypes", [])), **x}
                if "skipped" in x:
                    skipped.setdefault(ty, []).append(x["skipped"])
                unrun[ty] = unrun.get(ty, 0) + (x.get("flops") == -1)
                f.write(compact(x) + "\n")

    with open(os.path.join(a.outdir, "summary.txt"), "w") as f:
        flagged = []
        print("torch", torch.__version__, *[f"{n} {getattr(sys.modules.get(n), '__version__', 'MISSING')}" for n in LIBRARIES], file=f)
        for ty in new:
            n, bad = len(by[ty]), sum(not x["ok"] for x in by[ty])
            s = f"{ty}: {n} rows, {bad} refused"
            if any(note[ty]):
                s += " (died {}, dropped for the batch {}, empty {})".format(*note[ty])
            if n < 30 or 4 * bad < n or 4 * (n - bad) < n:
                s += "  FLAG"
                flagged.append(ty)
            print(s, file=f)
        print(f"\nflagged: {' '.join(flagged) or 'none'}", file=f)
        for ty in few:
            if not few[ty]:
                print(f"no legal row: {ty}", file=f)
            if ty in skipped:
                print(f"costs skipped: {ty} {len(skipped[ty])} of {len(few[ty])}: {skipped[ty][0]}", file=f)
            if unrun.get(ty):
                print(f"no FLOPs: {ty} {unrun[ty]} of {len(few[ty])}", file=f)
    for x in os.listdir(parts):
        os.remove(os.path.join(parts, x))
    os.rmdir(parts)
    print(open(os.path.join(a.outdir, "summary.txt")).read()[-3000:])


if __name__ == "__main__":
    sys.path.insert(0, HERE)
    main()
