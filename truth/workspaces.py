"""What cuDNN takes beside inputs and results, on the GPU: python3 workspaces.py OUT.jsonl [--kind conv|rnn] [--seconds N] [--seed S] [--part 0/8] [--room F] [--of net]

A row of a convolution has the bytes that were asked for while each of its three passes ran, beside what the pass returns: forward, the gradient
of the input, that of the weight. Its `source` says where it is from: `drawn` of a graph that draw.py draws, `net` of a network of torchvision or
transformers, `grid` drawn by itself; --of chooses some. A row of a recurrent layer has what is held for the backward pass, and the most of either pass. Bytes are those requested
of the allocator, without its rounding. Parts can run at once on one card. workspaces_fit.py makes internal/op/cudnn.json of the convolutions.
"""
import argparse, gc, json, math, os, random, sys, time
import torch
from torch.utils._python_dispatch import TorchDispatchMode

DTYPES = dict(fp32=torch.float32, bf16=torch.bfloat16, fp16=torch.float16)
CHANNELS = [8, 16, 24, 32, 40, 48, 64, 64, 80, 96, 112, 128, 128, 160, 192, 256, 256, 320, 384, 512, 576, 768, 960, 1024, 2048]
SIDES = {1: [25, 50, 100, 125, 128, 250, 400, 500, 1000, 2000, 4000], 3: [8, 16, 28],
         2: [4, 6, 7, 8, 10, 12, 14, 15, 16, 20, 24, 28, 30, 32, 40, 48, 56, 63, 64, 80, 96, 112, 128, 160, 224]}
KERNELS = {1: [1, 3, 3, 5, 7, 9, 2, 4, 15], 2: [1, 1, 3, 3, 3, 5, 7, 2, 4], 3: [1, 3, 3]}
NETS = """resnet18 resnet34 resnet50 resnext50_32x4d wide_resnet50_2 vgg11_bn vgg16 densenet121 mobilenet_v2 mobilenet_v3_large efficientnet_b0 efficientnet_b3 efficientnet_v2_s
convnext_tiny regnet_y_400mf regnet_x_3_2gf googlenet squeezenet1_1 shufflenet_v2_x1_0 mnasnet1_0 alexnet inception_v3 vit_b_16""".split()
VISION = """resnet swiftformer efficientnet mobilenet_v1 mobilenet_v2 regnet convnext convnextv2 levit mobilevit mobilevitv2 poolformer pvt pvt_v2 cvt segformer
focalnet bit hgnet_v2 swin swinv2 beit vit deit dinov2 vit_msn data2vec-vision hiera donut-swin textnet""".split()
BATCHES = [1, 2, 4, 8, 8, 12, 16, 16, 24, 32, 32, 48, 64, 96, 128]


def requested(which="current"):
    return torch.cuda.memory_stats()[f"requested_bytes.all.{which}"]


def most(do):
    """What a call asks for at the most beside what it returns, and what it returns."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before, out = requested(), do()
    torch.cuda.synchronize()
    held = sum(t.numel() * t.element_size() for t in (out if isinstance(out, (list, tuple)) else [out]) if t is not None)
    return requested("peak") - before - held, out


def conv(c, source):
    """A row of convolution c; None of one that is too large."""
    if max(math.prod(c["x"]), 2 * math.prod(c["w"])) > 1 << 27:
        return None
    x, w = (torch.zeros(c[k], device="cuda", dtype=DTYPES[c["dtype"]]) for k in "xw")
    args = (c["stride"], c["padding"], c["dilation"], c["transposed"], c.get("outputPadding", [0] * (x.dim() - 2)), c["groups"])
    forward, y = most(lambda: torch.ops.aten.convolution(x, w, None, *args))
    if y.numel() > 1 << 27:
        return None
    g, row = torch.zeros_like(y), dict(c, forward=forward, y=list(y.shape))
    for name, mask in (("input", [True, False, False]), ("weight", [False, True, False])):
        row[name], _ = most(lambda: torch.ops.aten.convolution_backward(g, x, w, None, *args, mask))
    return dict(row, source=source)


def alone(r):
    """A convolution that is drawn by itself; None of one that does not run."""
    n = r.choices([1, 2, 3], [0.2, 0.74, 0.06])[0]
    groups, transposed, k = 1, r.random() < 0.06, r.choice(KERNELS[n])
    cin = r.choice([1, 2, 3, 3, 3, 4]) if r.random() < 0.12 else r.randint(5, 700) if r.random() < 0.1 else r.choice(CHANNELS)
    cout = r.randint(2, 700) if r.random() < 0.1 else r.choice(CHANNELS)
    if r.random() < 0.25 and cin > 4:
        groups = r.choice([g for g in (2, 4, 8, 16, 32, cin) if cin % g == 0])
        cout = cin if groups == cin else max(1, cout // groups) * groups
    image = [r.choice(SIDES[n])] * n if r.random() < 0.9 else [r.choice(SIDES[n]) for _ in range(n)]
    stride, dilation = r.choice([1, 1, 1, 2]), r.choice([2, 2, 4]) if k > 1 and r.random() < 0.08 else 1
    stride = 2 if k in (2, 4) and r.random() < 0.7 else stride
    padding = r.choice([k // 2] * 4 + [1, 0]) * dilation
    if r.random() < 0.05 and n == 2:  # patches
        cin, k, groups, dilation, transposed, cout = 3, r.choice([4, 8, 14, 16, 32]), 1, 1, False, r.choice([96, 192, 256, 384, 512, 768, 1024])
        stride, padding, image = k, 0, [r.choice([7, 8, 14, 16]) * k] * 2
    batch = r.choice([1, 2, 4, 8, 8, 16, 24, 32, 64, 128])
    if min(image) + 2 * padding < dilation * (k - 1) + 1:
        return None
    return dict(x=[batch, cin] + image, w=([cin, cout // groups] if transposed else [cout, cin // groups]) + [k] * n, stride=[stride] * n, padding=[padding] * n,
                dilation=[dilation] * n, groups=groups, transposed=transposed, dtype=r.choice(["fp32", "fp32", "bf16", "bf16", "fp16"]))


class Record(TorchDispatchMode):
    """The convolutions that run inside."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.convolution.default:
            x, w, _, stride, padding, dilation, transposed, more, groups = args
            wide = lambda v: list(v) * (x.dim() - 2) if len(v) == 1 else list(v)
            c = dict(x=list(x.shape), w=list(w.shape), stride=wide(stride), padding=wide(padding), dilation=wide(dilation), groups=groups, transposed=transposed)
            self.found.append(dict(c, outputPadding=wide(more)) if any(more) else c)
        return func(*args, **(kwargs or {}))


def recorded(m, x, dtype):
    with torch.no_grad(), Record() as r:
        m(x)
    return [dict(c, dtype=dtype) for c in r.found]


def of_graph(seed, k):
    """The convolutions of a graph that draw.py draws."""
    import draw, reference
    r = random.Random(f"graph/{seed}/{k}")
    g, batch = r.choice([draw.image, draw.image, draw.dense, draw.vision_transformer])(r, f"{seed}.{k}")
    dtype = dict(fp32="fp32", tf32="fp32", amp="bf16", bf16="bf16", fp16="fp16")[draw.way(r)["precision"]]
    with torch.device("meta"):
        m = reference.Graph(g).train()
    return recorded(m, m.inputs(batch, "meta"), dtype)


def of_net(r):
    import torchvision
    name, dtype = r.choice(NETS), r.choice(["fp32", "bf16", "bf16", "fp16"])
    side, batch = r.choice([96, 128, 160, 192, 224, 224, 256]), r.choice(BATCHES)
    side = dict(inception_v3=299, vit_b_16=224).get(name, side)
    with torch.device("meta"):
        m = torchvision.models.get_model(name, weights=None).eval()
    return recorded(m, torch.zeros(batch, 3, side, side, device="meta"), dtype)


def of_transformers(r):
    """The convolutions of a network of transformers, as its config has it when nothing is said."""
    import transformers
    c, dtype, batch = transformers.AutoConfig.for_model(r.choice(VISION)), r.choice(["fp32", "bf16", "bf16", "fp16"]), r.choice(BATCHES)
    side = getattr(c, "image_size", None) or r.choice([160, 192, 224, 224, 256])
    side = [side, side] if isinstance(side, int) else list(side)
    with torch.device("meta"):
        m = transformers.AutoModel.from_config(c).eval()
    return recorded(m, torch.zeros(batch, getattr(c, "num_channels", 3), *side, device="meta"), dtype)


def convolutions(a, r):
    """Convolutions to measure, without an end."""
    import memory
    memory.further_types()
    part, parts = map(int, a.part.split("/"))
    for k in range(part, 1 << 30, parts):
        if "drawn" in a.of:
            yield from ((c, "drawn") for c in guarded(of_graph, a.seed, k) or [])
        if "grid" in a.of:
            yield from ((c, "grid") for c in (alone(r) for _ in range(6)) if c)
        if "net" in a.of and (a.of == ["net"] or r.random() < 0.12):
            yield from ((c, "net") for c in guarded(r.choice([of_net, of_transformers]), r) or [])


def layer(r):
    """A row of a recurrent layer: behind convolutions, of a language model, or any."""
    kind, both, layers = r.choice(["LSTM"] * 3 + ["GRU"] * 2 + ["RNN"]), False, 1
    if r.random() < 0.35:
        batch, seq, cin, hidden, both = r.choice([8, 16, 32]), r.choice([125, 250, 500, 1000, 2000, 4000]), r.choice([32, 64, 128, 256, 512]), 256, r.random() < 0.5
    elif r.random() < 0.6:
        cin = hidden = r.choice([4, 8, 12]) * r.choice([32, 48, 64, 96, 128])
        seq = r.choice([96, 128, 250, 256, 384, 512, 1024])
        batch = max(2, r.choice([2048, 4096, 8192]) // seq)
    else:
        batch, seq, cin = r.choice([4, 8, 16, 32, 64]), r.choice([16, 50, 100, 128, 256, 500, 1000]), r.choice([16, 40, 64, 100, 128, 256, 300, 512])
        hidden, layers, both = r.choice([32, 64, 100, 128, 200, 256, 384, 512, 768, 1024]), r.choice([1, 1, 2, 3]), r.random() < 0.3
    dtype, amp = r.choice([("fp32", ""), ("fp32", "bf16"), ("bf16", ""), ("fp32", "fp16")])
    first, turned = r.random() < 0.8, r.random() < 0.4
    if batch * seq * hidden * layers > 1 << 26:
        return None
    m = getattr(torch.nn, kind)(cin, hidden, layers, bidirectional=both, batch_first=first).cuda().to(DTYPES[dtype]).train()
    x = torch.zeros([batch, cin, seq], device="cuda", dtype=DTYPES[dtype]).permute((0, 2, 1) if first else (2, 0, 1))
    x = (x if turned else x.contiguous()).requires_grad_(True)
    row = dict(kind=kind, batch=batch, seq=seq, cin=cin, hidden=hidden, layers=layers, bidirectional=both, batchFirst=first, turned=turned, dtype=dtype, amp=amp, weights=sum(p.numel() for p in m.parameters()))
    for _ in range(2):
        m.zero_grad(set_to_none=True)
        x.grad = None
        torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
        before = requested()
        with torch.autocast("cuda", DTYPES[amp or "bf16"], enabled=bool(amp)):
            y = m(x)[0]
        torch.cuda.synchronize()
        row["forwardMost"], row["kept"], g = requested("peak") - before, requested() - before, torch.zeros_like(y)
        torch.cuda.reset_peak_memory_stats()
        start = requested()
        y.backward(g)
        torch.cuda.synchronize()
        row["backwardMost"], row["after"] = requested("peak") - start, requested() - start
        del y, g
    return row


def guarded(do, *args):
    try:
        return do(*args)
    except Exception as e:
        print(do.__name__, type(e).__name__, str(e)[:150].replace("\n", " "), flush=True)
        if "CUDA error" in str(e):  # nothing runs in this process any more
            os._exit(1)
        e = None
        gc.collect()
        return None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--seconds", type=float, default=60); ap.add_argument("--seed", default="cudnn"); ap.add_argument("--part", default="0/1"); ap.add_argument("--kind", default="conv"); ap.add_argument("--room", type=float, default=1.0)
    ap.add_argument("--of", nargs="+", default=["drawn", "net", "grid"])
    a = ap.parse_args()
    r, begun, seen, n = random.Random(f"{a.seed}/{a.part.split('/')[0]}"), time.time(), set(), 0
    torch.cuda.set_per_process_memory_fraction(a.room)
    with open(a.out, "w") as f:
        for c, source in convolutions(a, r) if a.kind == "conv" else iter(lambda: (None, ""), None):
            if time.time() - begun > a.seconds:
                break
            key = json.dumps(c, sort_keys=True)
            row = guarded(layer, r) if a.kind == "rnn" else guarded(conv, c, source) if key not in seen else None
            seen.add(key)
            if row:
                f.write(json.dumps(row, separators=(",", ":")) + "\n"); f.flush()
                n += 1
            if n % 400 == 0:
                torch.cuda.empty_cache()
    print(a.kind, a.part, n, "rows", torch.__version__, torch.backends.cudnn.version())


if __name__ == "__main__":
    main()
