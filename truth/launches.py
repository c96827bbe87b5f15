"""Counts the operations that training steps start, without a card: python3 launches.py OUT.jsonl [--types] [--rows FILE] [--only ID] [--part 0/2]

The host calls operations one after the other, and in small runs that takes longer than the card takes for them. What counts is how many
change or make a tensor, since each starts a kernel or a few; views cost less. As in replay.py the modules run on fake CUDA tensors. --types counts
every component of costs.jsonl.gz, alone: `forward` and `backward`, in fp32 and under autocast. --rows counts the steps of a file of memory.py, as
launches.jsonl.gz has them; recurrent layers are one operation on a card and many here, and are left out of it.
"""
import argparse, contextlib, gzip, json, os, signal
import replay
from replay import Autocast, late, memory, torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

FREE = {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty", "aten::new_empty_strided", "aten::detach", "aten::alias", "aten::_local_scalar_dense", "aten::lift_fresh", "aten::_unsafe_view"}


class Counter(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.launches = self.views = self.experts = 0

    def add(self, t, func):
        """Replay's workspaces are no operations."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = replay.Tracker.run(self, func, args, kwargs or {})
        name = func._schema.name
        if name in FREE or not name.startswith("aten::") or not any(getattr(t, "device", None) is not None and t.device.type == "cuda" for t in replay.tree_flatten((args, kwargs, out))[0] if isinstance(t, torch.Tensor)):
            return out
        back = [r.alias_info for r in func._schema.returns]
        if back and all(a is not None and not a.is_write for a in back):
            self.views += 1
        else:
            self.launches += 1
        return out

    def take(self):
        got = self.launches, self.views
        self.launches = self.views = 0
        return got


def count_type(row, counter, precision):
    cast = Autocast("cuda", torch.bfloat16, precision == "amp")
    ty = memory.reference.TYPES[row["type"]]
    m = ty(dict(row["params"]))
    ints = row.get("dtypes", [])
    xs = [torch.zeros([2] + list(s), dtype=torch.long) if k < len(ints) and ints[k] == "int" or row["type"] in memory.reference.TOKEN_FED and k == 0
          else torch.zeros([2] + list(s), requires_grad=True) for k, s in enumerate(row["inputs"])]
    counter.take()
    with cast:
        y = m(*xs)
    forward = counter.take()
    y = y[0] if isinstance(y, tuple) else y
    if not y.requires_grad:
        return dict(forward=forward[0], backward=0)
    g = torch.zeros_like(y)
    counter.take()
    y.backward(g)
    return dict(forward=forward[0], views=forward[1], backward=counter.take()[0])


def count_row(row, counter):
    counter.experts = max([c["params"]["numExperts"] for c in row.get("graph", {}).get("components", ()) if "numExperts" in c.get("params", {})], default=0)
    _, loss_of = replay.run_of(dict(row, checkpointing=row.get("checkpointing", False)))
    replay.pretend()
    dtype = {"amp": torch.bfloat16, "fp16": torch.float16}.get(row["precision"])
    counter.take()
    with Autocast("cuda", dtype, dtype is not None):
        loss, _ = loss_of()
    forward = counter.take()
    loss.backward()
    backward = counter.take()
    return dict(file=row["file"], operations=forward[0] + backward[0], views=forward[1] + backward[1])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--types", action="store_true"); ap.add_argument("--rows", default=""); ap.add_argument("--only", default=""); ap.add_argument("--part", default="0/1")
    a = ap.parse_args()
    memory.further_types()
    signal.signal(signal.SIGALRM, late)
    name = a.rows or os.path.join(os.path.dirname(os.path.abspath(__file__)), "costs.jsonl.gz")
    with (gzip.open(name, "rt") if name.endswith(".gz") else open(name)) as f:
        rows = [dict(json.loads(line), file=os.path.basename(name)) for line in f]
    part, parts = map(int, a.part.split("/"))
    rows = [r for r in rows if a.only in r.get("id", r.get("type", ""))][part::parts]
    with open(a.out, "w") as f:
        for row in rows:
            for precision in ("fp32", "amp") if a.types else (row["precision"],):
                counter = Counter()
                try:
                    signal.alarm(60)
                    with FakeTensorMode(allow_non_fake_inputs=True), counter, torch.device("cuda") if a.types else contextlib.nullcontext():
                        torch._C._set_only_lift_cpu_tensors(True)
                        replay.pretend()
                        got = count_type(row, counter, precision) if a.types else count_row(row, counter)
                except Exception as e:
                    print("failed", row.get("id", row.get("type")), precision, type(e).__name__, str(e)[:150].replace("\n", " "), flush=True)
                    continue
                finally:
                    signal.alarm(0)
                f.write(json.dumps(dict({k: row[k] for k in ("id", "type", "params", "inputs") if k in row}, precision=precision, **got), separators=(",", ":")) + "\n"); f.flush()


if __name__ == "__main__":
    main()
