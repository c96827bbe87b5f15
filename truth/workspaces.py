"""What cuDNN takes beside inputs and results, on the GPU: python3 workspaces.py OUT.jsonl [--seconds N] [--seed N] [--kind conv|rnn]

A row of a convolution has the bytes that were asked for while each of its three passes ran, beside what the pass returns: forward, the
gradient of the input, that of the weight. A row of a recurrent layer has what is held for the backward pass, and the most of either pass.
Bytes are those requested of the allocator, without its rounding.
"""
import argparse, gc, json, random, time
import torch

a = argparse.ArgumentParser()
a.add_argument("out")
a.add_argument("--seconds", type=float, default=60)
a.add_argument("--seed", default="1")
a.add_argument("--kind", default="conv")
A = a.parse_args()
R = random.Random(A.seed)
DTYPES = dict(fp32=torch.float32, bf16=torch.bfloat16, fp16=torch.float16)
CHANNELS = [8, 16, 24, 32, 40, 48, 64, 64, 80, 96, 112, 128, 128, 160, 192, 256, 256, 320, 384, 512, 576, 768, 960, 1024, 2048]


def requested():
    return torch.cuda.memory_stats()["requested_bytes.all.current"]


def most(do):
    """What a call asks for at the most beside what it returns, and what it returns."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = requested()
    out = do()
    torch.cuda.synchronize()
    return torch.cuda.memory_stats()["requested_bytes.all.peak"] - before - sum(t.numel() * t.element_size() for t in (out if isinstance(out, (list, tuple)) else [out]) if t is not None)


def conv():
    dims = R.choices([1, 2, 3], [0.15, 0.8, 0.05])[0]
    groups, transposed = 1, R.random() < 0.06
    cin = R.choice([1, 3, 3, 3, 4]) if R.random() < 0.12 else R.choice(CHANNELS)
    cout = R.choice(CHANNELS)
    k = R.choice([1, 1, 3, 3, 3, 5, 7] if dims < 3 else [1, 3, 3])
    if R.random() < 0.25 and cin > 4:
        groups = R.choice([g for g in (2, 4, 8, 16, 32, cin) if cin % g == 0])
        cout = cin if groups == cin else max(1, cout // groups) * groups
    side = R.choice([4, 7, 8, 12, 14, 16, 24, 28, 32, 48, 56, 64, 96, 112, 128, 224]) if dims == 2 else R.choice([50, 100, 128, 250, 400, 1000, 4000]) if dims == 1 else R.choice([8, 16, 28])
    stride, padding = R.choice([1, 1, 1, 2]), R.choice([k // 2, k // 2, k // 2, 1, 0])
    batch = R.choice([1, 2, 4, 8, 8, 16, 24, 32, 64, 128])
    dtype = R.choice(["fp32", "fp32", "bf16", "bf16", "fp16"])
    if batch * max(cin, cout) * side ** dims > 1 << 28 or side < k:
        return None
    d = DTYPES[dtype]
    x = torch.zeros([batch, cin] + [side] * dims, device="cuda", dtype=d)
    w = torch.zeros(([cin, cout // groups] if transposed else [cout, cin // groups]) + [k] * dims, device="cuda", dtype=d)
    args = ([stride] * dims, [padding] * dims, [1] * dims, transposed, [0] * dims, groups)
    y = None
    rows = {}

    def forward():
        nonlocal y
        y = torch.ops.aten.convolution(x, w, None, *args)
        return y

    rows["forward"] = most(forward)
    g = torch.zeros_like(y)
    for name, mask in (("input", [True, False, False]), ("weight", [False, True, False]), ("both", [True, True, False])):
        rows[name] = most(lambda: torch.ops.aten.convolution_backward(g, x, w, None, *args, mask))
    return dict(kind="conv", dims=dims, batch=batch, cin=cin, cout=cout, kernel=k, stride=stride, padding=padding, groups=groups, transposed=transposed, side=side, dtype=dtype, **rows)


def rnn():
    kind = R.choice(["LSTM", "LSTM", "GRU", "RNN"])
    batch, seq = R.choice([4, 8, 16, 32, 64]), R.choice([16, 50, 100, 128, 256, 500, 1000, 4000])
    cin, hidden = R.choice([16, 40, 64, 100, 128, 256, 512]), R.choice([32, 64, 100, 128, 200, 256, 512, 1024])
    layers, both = R.choice([1, 1, 2, 3]), R.random() < 0.3
    dtype, amp = R.choice([("fp32", False), ("fp32", True), ("bf16", False), ("fp16", False)])
    first = R.random() < 0.7
    if batch * seq * hidden * layers > 1 << 27:
        return None
    d = DTYPES[dtype]
    m = getattr(torch.nn, kind)(cin, hidden, layers, bidirectional=both, batch_first=first).cuda().to(d).train()
    x = torch.zeros([batch, seq, cin] if first else [seq, batch, cin], device="cuda", dtype=d, requires_grad=True)
    rows = {}
    for again in range(2):
        m.zero_grad(set_to_none=True)
        x.grad = None
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = requested()
        with torch.autocast("cuda", torch.bfloat16, enabled=amp):
            y = m(x)[0]
        torch.cuda.synchronize()
        rows["forwardMost"], rows["kept"] = torch.cuda.memory_stats()["requested_bytes.all.peak"] - before, requested() - before
        g = torch.zeros_like(y)
        torch.cuda.reset_peak_memory_stats()
        start = requested()
        y.backward(g)
        torch.cuda.synchronize()
        rows["backwardMost"], rows["after"] = torch.cuda.memory_stats()["requested_bytes.all.peak"] - start, requested() - start
        del y, g
    weights = sum(p.numel() for p in m.parameters())
    return dict(kind=kind, batch=batch, seq=seq, cin=cin, hidden=hidden, layers=layers, bidirectional=both, batchFirst=first, dtype=dtype, amp=amp, weights=weights, **rows)


def main():
    begun, n = time.time(), 0
    torch.zeros(1, device="cuda")
    with open(A.out, "w") as f:
        while time.time() - begun < A.seconds:
            try:
                row = conv() if A.kind == "conv" else rnn()
            except Exception as e:
                print(type(e).__name__, str(e)[:120].replace("\n", " "), flush=True)
                if "CUDA error" in str(e):
                    break
                row, e = None, None
                gc.collect()
            if row:
                f.write(json.dumps(row, separators=(",", ":")) + "\n")
                n += 1
            if n % 500 == 0:
                torch.cuda.empty_cache()
    print(A.kind, A.seed, n, "rows")


main()
