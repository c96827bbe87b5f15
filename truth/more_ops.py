"""Reference semantics of further component types (operations), in the manner of reference.py, with random cases for each.

Shapes in a case carry no batch axis; tensors have it at axis 0; axes in params count it.
"""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from reference import FromInput, Fn, RNN, conv, glob, need, reduce_merge, simple, t

try:
    import torchvision.ops as vops
except Exception:  # noqa: BLE001
    vops = None
try:
    import torchaudio
except Exception:  # noqa: BLE001
    torchaudio = None
try:
    import torch_geometric.nn as gnn
except Exception:  # noqa: BLE001
    gnn = None

# ---------------------------------------------------------------- the types


def opt(v):
    """A list as a tuple, anything else as it is."""
    return tuple(v) if isinstance(v, list) else v


class Deformable(nn.Module):
    """Offsets (and, modulated, a sigmoid mask: DCNv2) predicted by a convolution of the same geometry, then torchvision's DeformConv2d."""

    def __init__(self, p):
        super().__init__()
        c, k = need(p, "inChannels"), need(p, "kernelSize")
        kh, kw = k if isinstance(k, list) else (k, k)
        geo = dict(stride=t(p.get("stride", 1)), padding=t(p.get("padding", 0)), dilation=t(p.get("dilation", 1)))
        self.n, self.mod = p.get("offsetGroups", 1) * kh * kw, p.get("modulated", False)
        self.offset = nn.Conv2d(c, (3 if self.mod else 2) * self.n, (kh, kw), bias=True, **geo)
        self.m = vops.DeformConv2d(c, need(p, "outChannels"), (kh, kw), groups=p.get("groups", 1), bias=p.get("bias", True), **geo)

    def forward(self, x):
        o = self.offset(x)
        if not self.mod:
            return self.m(x, o)
        return self.m(x, o[:, : 2 * self.n], torch.sigmoid(o[:, 2 * self.n:]))


def lppool(nd):
    def make(p):
        return getattr(nn, f"LPPool{nd}d")(p.get("normType", 2), t(need(p, "kernelSize")), stride=t(p.get("stride")), ceil_mode=p.get("ceilMode", False))
    return make


def interpolate(p):
    kw = dict(size=opt(p.get("size")), scale_factor=opt(p.get("scaleFactor")), mode=p.get("mode", "nearest"), antialias=p.get("antialias", False))
    if p.get("alignCorners") is not None:
        kw["align_corners"] = p["alignCorners"]
    return Fn(lambda x: F.interpolate(x, **kw))


def grid_sample(p):
    return Fn(lambda x, g: F.grid_sample(x, g, mode=p.get("mode", "bilinear"), padding_mode=p.get("paddingMode", "zeros"), align_corners=p.get("alignCorners", False)))


def roi_align(p):
    size = opt(need(p, "outputSize"))

    def f(x, boxes):
        if x.dim() != 4 or boxes.dim() != 3:
            raise ValueError("roiAlign takes [batch, channels, h, w] and boxes [batch, regions, 4]")
        y = vops.roi_align(x, list(boxes.unbind(0)), size, spatial_scale=p.get("spatialScale", 1.0), sampling_ratio=p.get("samplingRatio", -1), aligned=p.get("aligned", False))
        return y.reshape(boxes.shape[0], boxes.shape[1], *y.shape[1:])
    return Fn(f)


def normed(norm):
    """A layer whose weight is reparametrised by torch.nn.utils.parametrizations."""
    def make(p):
        i, o, b = need(p, "inFeatures"), need(p, "outFeatures"), p.get("bias", True)
        kind = p.get("layer", "linear")
        if kind == "linear":
            m = nn.Linear(i, o, bias=b)
        elif kind in ("conv1d", "conv2d"):
            m = (nn.Conv1d if kind == "conv1d" else nn.Conv2d)(i, o, t(p.get("kernelSize", 1)), stride=t(p.get("stride", 1)), padding=t(p.get("padding", 0)), bias=b)
        else:
            raise ValueError(f"unknown layer {kind}")
        u = torch.nn.utils
        return getattr(u.parametrizations, norm, None)(m) if hasattr(u.parametrizations, norm) else getattr(u, norm)(m)
    return make


class GRN(nn.Module):
    """Global response normalisation of ConvNeXt V2 (facebookresearch/ConvNeXt-V2, models/utils.py GRN)."""

    def __init__(self, p):
        super().__init__()
        self.d, self.last = need(p, "dim"), p.get("channelsLast", True)
        s = (1, 1, 1, self.d) if self.last else (1, self.d, 1, 1)
        self.gamma, self.beta = nn.Parameter(torch.zeros(s)), nn.Parameter(torch.zeros(s))

    def forward(self, x):
        c = 3 if self.last else 1
        if x.dim() != 4 or x.shape[c] != self.d:
            raise ValueError("grn takes an image of dim channels")
        g = torch.norm(x, p=2, dim=(1, 2) if self.last else (2, 3), keepdim=True)
        n = g / (g.mean(dim=c, keepdim=True) + 1e-6)
        return self.gamma * (x * n) + self.beta + x


def einsum(p):
    eq = need(p, "equation")

    def f(*xs):
        ops, _, res = eq.replace(" ", "").partition("->")
        first = {o[:1] for o in ops.split(",")} | ({res[:1]} if "->" in eq else set())
        if len(first) != 1 or not min(first).isalpha():
            raise ValueError("the first letter of every operand and of the result is the batch")
        return torch.einsum(eq, *xs)
    return Fn(f)


def slice_(p):
    def f(x):
        i = [slice(None)] * x.dim()
        i[p.get("dim", 1)] = slice(p.get("start", 0), p.get("end"), p.get("step", 1))
        return x[tuple(i)]
    return Fn(f)


def reduction(f):
    def make(p):
        d, k = opt(need(p, "dim")), p.get("keepDim", False)
        return Fn(lambda x: f(x, d, k))
    return make


def vector_norm(p):
    d = opt(need(p, "dim"))
    return Fn(lambda x: torch.linalg.vector_norm(x, p.get("p", 2), dim=d, keepdim=p.get("keepDim", False)))


def flip(p):
    d = need(p, "dims")
    return Fn(lambda x: torch.flip(x, tuple(d) if isinstance(d, list) else (d,)))


def roll(p):
    s, d = opt(need(p, "shifts")), opt(need(p, "dims"))
    return Fn(lambda x: torch.roll(x, s, d))


def with_param(name, f):
    """A function of the input and one required param."""
    def make(p):
        v = need(p, name)
        return Fn(lambda x: f(x, v, p))
    return make


class STFT(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.n = need(p, "nFft")
        self.hop, self.win = p.get("hopLength", self.n // 4), p.get("winLength", self.n)
        self.kw = dict(center=p.get("center", True), normalized=p.get("normalized", False), onesided=p.get("onesided", True))
        self.register_buffer("window", torch.hann_window(self.win))

    def forward(self, x):
        if x.dim() != 2:
            raise ValueError("stft takes [batch, samples]")
        return torch.stft(x, self.n, self.hop, self.win, self.window, return_complex=True, **self.kw).abs()


def mel(p):
    return torchaudio.transforms.MelSpectrogram(sample_rate=p.get("sampleRate", 16000), n_fft=p.get("nFft", 400), win_length=p.get("winLength"), hop_length=p.get("hopLength"),
                                                n_mels=p.get("nMels", 128), center=p.get("center", True), power=p.get("power", 2.0))


def mfcc(p):
    return torchaudio.transforms.MFCC(sample_rate=p.get("sampleRate", 16000), n_mfcc=p.get("nMfcc", 40),
                                      melkwargs=dict(n_fft=p.get("nFft", 400), hop_length=p.get("hopLength"), n_mels=p.get("nMels", 128)))


class GraphLayer(nn.Module):
    """torch_geometric's layer on a batch of graphs: their nodes in one list, the edges' ends shifted to match."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x, e):
        if x.dim() != 3 or e.dim() != 3:
            raise ValueError("graph layers take [batch, nodes, features] and [batch, 2, edges]")
        B, N, _ = x.shape
        e = e + (torch.arange(B, device=e.device) * N)[:, None, None].to(e.dtype)
        e = e.permute(1, 0, 2).reshape(e.shape[1], -1)
        return self.m(x.reshape(B * N, x.shape[2]), e).reshape(B, N, -1)


def gin(p):
    i, o, b = need(p, "inChannels"), need(p, "outChannels"), p.get("bias", True)
    h = p.get("hiddenChannels", o)
    mlp = nn.Sequential(nn.Linear(i, h, bias=b), nn.ReLU(), nn.Linear(h, o, bias=b))
    return GraphLayer(gnn.GINConv(mlp, train_eps=p.get("trainEps", False)))


def graph_layer(name, **defaults):
    """defaults: params passed on under the same name."""
    return lambda p: GraphLayer(getattr(gnn, name)(need(p, "inChannels"), need(p, "outChannels"), bias=p.get("bias", True), **{k: p.get(k, d) for k, d in defaults.items()}))


class Interaction(nn.Module):
    """DLRM's dot interaction (facebookresearch/dlrm, interact_features): the lower triangle of T T^t after the dense vector."""

    def __init__(self, p):
        super().__init__()
        self.own, self.dense = p.get("selfInteraction", False), p.get("concatDense", True)

    def forward(self, *xs):
        if len(xs) == 1:
            T = xs[0]
        else:
            if any(x.dim() != 2 for x in xs):
                raise ValueError("several inputs must be [batch, d] each")
            T = torch.stack(xs, 1)
        if T.dim() != 3:
            raise ValueError("one input must be [batch, n, d]")
        n = T.shape[1]
        Z = torch.bmm(T, T.transpose(1, 2))
        o = 1 if self.own else 0
        li = torch.tensor([i for i in range(n) for j in range(i + o)], dtype=torch.long, device=T.device)
        lj = torch.tensor([j for i in range(n) for j in range(i + o)], dtype=torch.long, device=T.device)
        Z = Z[:, li, lj]
        return torch.cat([T[:, 0] if len(xs) == 1 else xs[0], Z], 1) if self.dense else Z


class Cross(nn.Module):
    """Deep & Cross networks, as torchrec.modules.crossnet CrossNet (version 2) and VectorCrossNet (version 1)."""

    def __init__(self, p):
        super().__init__()
        d, n, self.v = need(p, "inputDim"), p.get("numLayers", 1), p.get("version", 2)
        if self.v not in (1, 2) or n < 1 or d < 1:
            raise ValueError("crossNetwork: version is 1 or 2, inputDim and numLayers at least 1")
        self.d = d
        self.w = nn.ParameterList([nn.Parameter(torch.randn(d, d if self.v == 2 else 1) / d) for _ in range(n)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(d, 1)) for _ in range(n)])

    def forward(self, x):
        if x.dim() != 2 or x.shape[1] != self.d:
            raise ValueError("crossNetwork takes [batch, inputDim]")
        x0 = x.unsqueeze(2)
        xl = x0
        for w, b in zip(self.w, self.b):
            if self.v == 2:
                xl = x0 * (torch.matmul(w, xl) + b) + xl
            else:
                xl = torch.matmul(x0, torch.tensordot(xl, w, dims=([1], [0]))) + b + xl
        return xl.squeeze(2)


def projection(p):
    i, o, b, h = need(p, "inFeatures"), need(p, "outFeatures"), p.get("bias", False), p.get("hiddenFeatures")
    if h is None:
        return nn.Linear(i, o, bias=b)
    return nn.Sequential(nn.Linear(i, h, bias=b), nn.ReLU(), nn.Linear(h, o, bias=b))


class Fusion(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.f, o, self.mode = need(p, "inFeatures"), need(p, "outFeatures"), p.get("mode", "concat")
        if self.mode not in ("concat", "sum", "product"):
            raise ValueError(f"unknown fusion {self.mode}")
        if self.mode != "concat" and len(set(self.f)) != 1:
            raise ValueError("sum and product need equal inFeatures")
        self.m = nn.Linear(sum(self.f) if self.mode == "concat" else self.f[0], o, bias=p.get("bias", True))

    def forward(self, *xs):
        if [x.shape[-1] for x in xs] != list(self.f):
            raise ValueError("inFeatures do not match the inputs")
        if self.mode == "concat":
            return self.m(torch.cat(xs, -1))
        return self.m(reduce_merge(torch.add if self.mode == "sum" else torch.mul)(*xs))


class Tensor(nn.Module):
    """A tensor of the model itself, as nn.Parameter holds it, or a constant, as register_buffer does. The input only tells the batch."""

    def __init__(self, p):
        super().__init__()
        x = torch.zeros(opt(need(p, "shape")))
        if p.get("trainable", True):
            self.weight = nn.Parameter(x)
        else:
            self.register_buffer("weight", x)

    def forward(self, x):
        return self.weight.expand(x.shape[0], *self.weight.shape)


def attend(*xs, **kw):
    """F.scaled_dot_product_attention. Legal is what its math backend runs, the one that every device has and that holds to the documentation: the
    fused kernel for CPUs reads beyond keys that are fewer than the values, and some take a mask together with is_causal."""
    if xs[0].is_cuda:
        return F.scaled_dot_product_attention(*xs, **kw)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return F.scaled_dot_product_attention(*xs, **kw)


def sdpa(p):
    """A tensor without a sequence behind the batch would attend along the batch."""
    kw = dict(is_causal=p.get("causal", False), scale=p.get("scale"), enable_gqa=p.get("enableGqa", False))

    def f(*xs):
        if any(x.dim() < 3 for x in xs[:3]):
            raise ValueError("scaledDotProductAttention takes [batch, ..., sequence, features] three times")
        return attend(*xs, **kw)
    return Fn(f)


class AttentionCore(nn.Module):
    """What transformers' attention does between its maps: heads side by side, keys and values repeated for the heads that share them, a bias of the
    scores, a window, and the scores that gpt-oss trains (sinks), for which the scores are made in memory."""

    def __init__(self, p):
        super().__init__()
        self.h = need(p, "numHeads")
        self.kv = opt(p.get("numKVHeads")) or self.h
        self.causal, self.window = p.get("causal", False), p.get("windowSize")
        if self.window is not None and (type(self.window) is not int or self.window < 1):
            raise ValueError("attentionCore takes a windowSize of at least 1")
        self.sinks = nn.Parameter(torch.zeros(self.h)) if p.get("sinks", False) else None

    def forward(self, *xs):
        if any(not x.is_floating_point() for x in xs):
            raise TypeError("attentionCore takes numbers with a fraction")
        if any(x.dim() != 3 for x in xs[:3]):
            raise ValueError("attentionCore takes [batch, sequence, features] three times")
        q, k, v = (x.unflatten(2, (n, x.shape[2] // n)).transpose(1, 2) for x, n in zip(xs, (self.h, self.kv, self.kv)))
        if self.h % self.kv:
            raise ValueError("heads that do not divide")
        if self.h > self.kv:
            k, v = k.repeat_interleave(self.h // self.kv, 1), v.repeat_interleave(self.h // self.kv, 1)
        mask = xs[3] if len(xs) == 4 else None
        if mask is not None and mask.dim() != 4:
            raise ValueError("a bias takes [batch, heads, queries, keys]")
        away = torch.arange(q.shape[2], device=q.device)[:, None] - torch.arange(k.shape[2], device=q.device)
        band = None
        if self.window is not None or (self.causal and (mask is not None or self.sinks is not None)):
            band = (away >= 0) & (away < (self.window or 2 ** 40))
        if self.sinks is not None:
            scores = q * q.shape[-1] ** -0.5 @ k.transpose(2, 3)
            if mask is not None:
                scores = scores + mask
            if band is not None:
                scores = scores.masked_fill(~band, -1e30)
            both = torch.cat((scores, self.sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)), -1)
            return (both.softmax(-1)[..., :-1] @ v).transpose(1, 2).flatten(2)
        if mask is not None and band is not None:
            mask = mask.masked_fill(~band, -1e30)
        y = attend(q, k, v, attn_mask=band if mask is None else mask, is_causal=bool(self.causal) and mask is None and band is None)
        return y.transpose(1, 2).flatten(2)


TYPES = {
    "bilinear": lambda p: nn.Bilinear(need(p, "in1Features"), need(p, "in2Features"), need(p, "outFeatures"), bias=p.get("bias", True)),
    "unflatten": lambda p: nn.Unflatten(need(p, "dim"), opt(need(p, "unflattenedSize"))),
    "dilatedConv2d": lambda p: conv(nn.Conv2d)({"dilation": 2, **p}),
    "deformableConv2d": lambda p: Deformable(p) if p.get("inChannels") is not None else FromInput(Deformable, "inChannels", p),
    "adaptiveAvgPool3d": lambda p: nn.AdaptiveAvgPool3d(t(need(p, "outputSize"))),
    "adaptiveMaxPool1d": lambda p: nn.AdaptiveMaxPool1d(t(need(p, "outputSize"))),
    "adaptiveMaxPool3d": lambda p: nn.AdaptiveMaxPool3d(t(need(p, "outputSize"))),
    "globalAvgPool3d": lambda p: glob(lambda x: x.mean((2, 3, 4)), 5),
    "globalMaxPool1d": lambda p: glob(lambda x: x.amax(2), 3),
    "globalMaxPool3d": lambda p: glob(lambda x: x.amax((2, 3, 4)), 5),
    "lpPool1d": lppool(1), "lpPool2d": lppool(2), "lpPool3d": lppool(3),
    "fold": lambda p: nn.Fold(t(need(p, "outputSize")), t(need(p, "kernelSize")), dilation=t(p.get("dilation", 1)), padding=t(p.get("padding", 0)), stride=t(p.get("stride", 1))),
    "unfold": lambda p: nn.Unfold(t(need(p, "kernelSize")), dilation=t(p.get("dilation", 1)), padding=t(p.get("padding", 0)), stride=t(p.get("stride", 1))),
    "interpolate": interpolate, "gridSample": grid_sample, "roiAlign": roi_align,
    "weightNorm": normed("weight_norm"), "spectralNorm": normed("spectral_norm"), "grn": GRN,
    "celu": simple(nn.CELU, ("alpha", "alpha", 1.0)),
    "rrelu": simple(nn.RReLU, ("lower", "lower", 1 / 8), ("upper", "upper", 1 / 3)),
    "hardtanh": simple(nn.Hardtanh, ("minVal", "min_val", -1.0), ("maxVal", "max_val", 1.0)),
    "hardShrink": simple(nn.Hardshrink, ("lambd", "lambd", 0.5)), "softShrink": simple(nn.Softshrink, ("lambd", "lambd", 0.5)),
    "tanhShrink": simple(nn.Tanhshrink), "softsign": simple(nn.Softsign), "softmin": simple(nn.Softmin, ("dim", "dim", -1)),
    "softmax2d": simple(nn.Softmax2d), "threshold": lambda p: nn.Threshold(need(p, "threshold"), need(p, "value")),
    "logSigmoid": simple(nn.LogSigmoid),
    "quickGelu": lambda p: Fn(lambda x: x * torch.sigmoid(1.702 * x)),  # openai/CLIP model.py QuickGELU
    "squaredRelu": lambda p: Fn(lambda x: F.relu(x) ** 2),  # So et al. 2021, Primer
    "dropout1d": simple(nn.Dropout1d, ("p", "p", 0.5)), "dropout3d": simple(nn.Dropout3d, ("p", "p", 0.5)),
    "alphaDropout": simple(nn.AlphaDropout, ("p", "p", 0.5)), "featureAlphaDropout": simple(nn.FeatureAlphaDropout, ("p", "p", 0.5)),
    "dropPath": lambda p: vops.StochasticDepth(p.get("p", 0.0), "row"),
    "einsum": einsum,
    "split": with_param("splitSize", lambda x, v, p: torch.split(x, v, p.get("dim", 1))[p.get("index", 0)]),
    "chunk": with_param("chunks", lambda x, v, p: torch.chunk(x, v, p.get("dim", 1))[p.get("index", 0)]),
    "slice": slice_, "select": with_param("index", lambda x, v, p: torch.select(x, p.get("dim", 1), v)),
    "sum": reduction(lambda x, d, k: torch.sum(x, d, keepdim=k)),
    "max": reduction(lambda x, d, k: torch.amax(x, d, keepdim=k)), "min": reduction(lambda x, d, k: torch.amin(x, d, keepdim=k)),
    "logSumExp": reduction(lambda x, d, k: torch.logsumexp(x, d, keepdim=k)),
    "std": reduction(lambda x, d, k: torch.std(x, dim=d, keepdim=k)), "var": reduction(lambda x, d, k: torch.var(x, dim=d, keepdim=k)),
    "argmax": reduction(lambda x, d, k: torch.argmax(x, d, keepdim=k)),
    "norm": vector_norm, "cumsum": lambda p: Fn(lambda x: torch.cumsum(x, p.get("dim", 1))), "flip": flip, "roll": roll,
    "expand": with_param("shape", lambda x, v, p: x.expand(x.shape[0], *v)), "repeat": with_param("repeats", lambda x, v, p: x.repeat(1, *v)),
    "clamp": lambda p: Fn(lambda x: torch.clamp(x, p.get("min"), p.get("max"))), "pow": with_param("exponent", lambda x, v, p: torch.pow(x, v)),
    "exp": lambda p: Fn(torch.exp), "log": lambda p: Fn(torch.log), "sqrt": lambda p: Fn(torch.sqrt), "abs": lambda p: Fn(torch.abs), "neg": lambda p: Fn(torch.neg),
    "divide": lambda p: Fn(reduce_merge(torch.div)), "maximum": lambda p: Fn(reduce_merge(torch.maximum)), "minimum": lambda p: Fn(reduce_merge(torch.minimum)),
    "gather": lambda p: Fn(lambda x, i: torch.gather(x, p.get("dim", 1), i)),
    "topK": with_param("k", lambda x, v, p: torch.topk(x, v, p.get("dim", -1))[p.get("index", 0)]),
    "bidirectionalRNN": lambda p: RNN(nn.RNN, p, True),
    "stft": STFT, "melSpectrogram": mel, "mfcc": mfcc,
    "gcn": graph_layer("GCNConv"), "graphConv": graph_layer("GraphConv", aggr="add"), "gat": graph_layer("GATConv", heads=1, concat=True),
    "graphSAGE": graph_layer("SAGEConv", aggr="mean"), "gin": gin,
    "featureInteraction": Interaction, "crossNetwork": Cross, "projection": projection, "fusion": Fusion,
    "parameter": Tensor, "scaledDotProductAttention": sdpa, "attentionCore": AttentionCore,
}

ARITY = {k: (2, 2) for k in ("bilinear", "gridSample", "roiAlign", "gather", "gcn", "graphConv", "gat", "graphSAGE", "gin")}
ARITY.update({k: (1, None) for k in ("einsum", "divide", "maximum", "minimum", "featureInteraction")})
ARITY["fusion"] = (2, None)
ARITY["scaledDotProductAttention"] = ARITY["attentionCore"] = (3, 4)


def fill_boxes(p, i, shape, g):
    if i != 1 or shape[-1] != 4:
        return torch.randn(shape, generator=g)
    a = torch.rand([*shape[:-1], 2], generator=g) * 4
    return torch.cat([a, a + torch.rand([*shape[:-1], 2], generator=g) * 4 + 0.5], -1)


def fill_edges(p, i, shape, g):
    """Edges between nodes 0 and 1, never a loop (gcn and gat replace loops, so that sizes would depend on the values)."""
    if i != 1:
        return torch.randn(shape, generator=g)
    e = torch.randint(0, 2, shape, generator=g)
    if shape[1] > 1:
        e[:, 1] = 1 - e[:, 0]
    return e


FILL = {"roiAlign": fill_boxes}
FILL.update({k: fill_edges for k in ("gcn", "graphConv", "gat", "graphSAGE", "gin")})

# ---------------------------------------------------------------- the cases


def dims(r, n, lo=1, hi=9):
    return [r.randint(lo, hi) for _ in range(n)]


def shape(r, lo=1, hi=4, top=9):
    return dims(r, r.randint(lo, hi), 1, top)


def maybe(r, p, name, f, prob=0.5):
    if r.random() < prob:
        p[name] = f() if callable(f) else r.choice(f)


def flag(r, p, *names, prob=0.4):
    for n in names:
        maybe(r, p, n, [True, False], prob)


def either(r, nd, lo, hi, prob=0.6):
    """One number, or one for each of nd axes."""
    return r.randint(lo, hi) if r.random() < prob else dims(r, nd, lo, hi)


BREAK = 0.4


def case(legal, req=(), bad=None, only=None, prob=BREAK):
    """A legal case, broken in one way with probability prob: a required param left out, a bad value, a wrong number of
    inputs, int64 for floats, a wrong size or a wrong rank. only: the kinds to choose from."""
    kinds = list(only) if only else ["count", "int", "size", "size", "rank"]
    kinds += ["drop"] * bool(req) + ["bad", "bad"] * bool(bad)

    def f(r):
        p, xs, *d = legal(r)
        dt = list(d[0]) if d else ["float"] * len(xs)
        if r.random() >= prob:
            return p, xs, dt
        k = r.choice(kinds)
        if k == "drop":
            p.pop(r.choice(list(req)), None)
        elif k == "bad":
            n = r.choice(list(bad))
            p[n] = r.choice(bad[n])
        elif k == "count":
            x = r.random()
            if x < 0.7:
                xs, dt = xs + [list(xs[-1])], dt + [dt[-1]]
            elif len(xs) > 1 or x < 0.8:
                xs, dt = xs[:-1], dt[:-1]
            else:
                xs, dt = xs + [list(xs[0]), list(xs[0])], dt + [dt[0], dt[0]]
        elif k == "int":
            i = r.randrange(len(xs))
            dt[i] = "float" if dt[i] == "int64" else "int64"
        elif k == "size":
            x = r.choice([x for x in xs if x] or [[]])
            if x:
                i = r.choice([0, len(x) - 1, r.randrange(len(x))])
                x[i] = max(1, x[i] + r.choice([-1, 1, 1, 2, 3]))
        elif k == "rank":
            x = r.choice(xs)
            if len(x) > 1 and r.random() < 0.5:
                x.pop(r.choice([0, -1]))
            else:
                x.insert(r.choice([0, len(x)]), r.randint(1, 4))
        return p, xs, dt
    return f


ALONE = ["count"] * 4 + ["int"] * 2  # for what no shape can break
NUMB = ["big", [1, 2]]  # where a number belongs


def unary(params=None, lo=1, hi=4):
    def f(r):
        p = {}
        for n, v in (params or {}).items():
            maybe(r, p, n, v, 0.6)
        return p, [shape(r, lo, hi)]
    return f


def axis(r, s, zero=0.04, out=0.06):
    """An axis of a tensor with a batch before s: seldom the batch itself, seldom out of range."""
    x = r.random()
    if x < zero:
        return r.choice([0, -len(s) - 1])
    if x < zero + out:
        return r.choice([len(s) + 1, -len(s) - 2])
    a = r.randint(1, len(s))
    return a if r.random() < 0.6 else a - len(s) - 1


def axes(r, s):
    if r.random() < 0.55:
        return axis(r, s)
    d = [a if r.random() < 0.6 else a - len(s) - 1 for a in r.sample(range(1, len(s) + 1), r.randint(1, len(s)))]
    if r.random() < 0.12:
        d.append(d[0])
    return d


def l_bilinear(r):
    a, b, lead = r.randint(1, 16), r.randint(1, 16), dims(r, r.randint(0, 2), 1, 6)
    p = dict(in1Features=a, in2Features=b, outFeatures=r.randint(1, 16))
    flag(r, p, "bias")
    return p, [lead + [a], list(lead) + [b]]


def l_unflatten(r):
    s = shape(r, 1, 3)
    u = dims(r, r.randint(1, 3), 1, 4)
    i = r.randrange(len(s))
    s[i] = math.prod(u)
    if r.random() < 0.3:
        u[r.randrange(len(u))] = -1
    return dict(dim=i + 1 if r.random() < 0.6 else i - len(s), unflattenedSize=u), [s]


def l_dilated(r):
    g = r.choice([1, 1, 1, 2, 3])
    ci, co = g * r.randint(1, 6), g * r.randint(1, 6)
    p = dict(inChannels=ci, outChannels=co, kernelSize=either(r, 2, 1, 4))
    if r.random() < 0.2:
        p.pop("inChannels")
    maybe(r, p, "stride", lambda: either(r, 2, 1, 3))
    maybe(r, p, "padding", lambda: r.choice(["same", "valid"]) if r.random() < 0.15 and p.get("stride", 1) == 1 else either(r, 2, 0, 4), 0.6)
    maybe(r, p, "dilation", lambda: either(r, 2, 1, 3), 0.4)
    if g > 1:
        p["groups"] = g
    flag(r, p, "bias", prob=0.3)
    maybe(r, p, "paddingMode", ["zeros", "reflect", "replicate", "circular"], 0.15)
    return p, [[ci, r.randint(5, 16), r.randint(5, 16)]]


def l_deform(r):
    g, o = r.choice([1, 1, 2]), r.choice([1, 1, 2, 3])
    ci, co = g * o * r.randint(1, 3), g * r.randint(1, 6)
    p = dict(inChannels=ci, outChannels=co, kernelSize=either(r, 2, 1, 3))
    if r.random() < 0.25:
        p.pop("inChannels")
    maybe(r, p, "stride", lambda: either(r, 2, 1, 3))
    maybe(r, p, "padding", lambda: either(r, 2, 0, 2))
    maybe(r, p, "dilation", lambda: either(r, 2, 1, 2), 0.3)
    if g > 1 or r.random() < 0.1:
        p["groups"] = g
    if o > 1 or r.random() < 0.1:
        p["offsetGroups"] = o
    flag(r, p, "bias", "modulated")
    return p, [[ci, r.randint(4, 14), r.randint(4, 14)]]


def l_adaptive(nd):
    return lambda r: (dict(outputSize=either(r, nd, 1, 7)), [[r.randint(1, 6)] + dims(r, nd, 1, 10)])


def l_global(nd):
    return lambda r: ({}, [[r.randint(1, 8)] + dims(r, nd, 1, 8)])


def l_lppool(nd):
    def f(r):
        p = dict(kernelSize=r.randint(1, 4) if nd == 1 else either(r, nd, 1, 4))
        maybe(r, p, "normType", [1, 2, 3, 1.5, 4])
        maybe(r, p, "stride", lambda: r.randint(1, 3) if nd == 1 else either(r, nd, 1, 3))
        flag(r, p, "ceilMode")
        return p, [[r.randint(1, 6)] + dims(r, nd, 4, 12)]
    return f


def l_unfold(r):
    p = dict(kernelSize=either(r, 2, 1, 3))
    maybe(r, p, "dilation", lambda: either(r, 2, 1, 2))
    maybe(r, p, "padding", lambda: either(r, 2, 0, 2))
    maybe(r, p, "stride", lambda: either(r, 2, 1, 3))
    return p, [[r.randint(1, 6)] + dims(r, 2, 4, 10)]


def l_fold(r):
    p, (s,) = l_unfold(r)
    out = s[1] if r.random() < 0.4 else s[1:]
    pair = lambda v: v if isinstance(v, list) else [v, v]  # noqa: E731
    k, n = pair(p["kernelSize"]), 1
    for o, kk, d, pd, st in zip(pair(out), k, pair(p.get("dilation", 1)), pair(p.get("padding", 0)), pair(p.get("stride", 1))):
        n *= (o + 2 * pd - d * (kk - 1) - 1) // st + 1
    return dict(outputSize=out, **p), [[s[0] * k[0] * k[1], max(1, n)]]


LINEAR = {1: ["linear"], 2: ["bilinear", "bicubic"], 3: ["trilinear"]}


def l_interpolate(r):
    n = r.choice([1, 2, 2, 3])
    p = {}
    maybe(r, p, "mode", ["nearest", "nearest-exact", "area"] + LINEAR[n] * (3 if n == 2 else 5), 0.75)
    m = p.get("mode", "nearest")
    s = [r.randint(1, 4)] + dims(r, n, 2, 10)
    if r.random() < 0.5:
        p["scaleFactor"] = r.choice([2, 3, 1.5, 0.5, 0.7]) if r.random() < 0.6 else [r.choice([1, 2, 3, 1.5, 0.5, 0.75]) for _ in range(n)]
    else:
        p["size"] = either(r, n, 1, 12, 0.4)
    if m in LINEAR[n]:
        flag(r, p, "alignCorners", prob=0.5)
    if m in ("bilinear", "bicubic"):
        flag(r, p, "antialias", prob=0.3)
    return p, [s]


def l_grid(r):
    n = r.choice([2, 2, 2, 3])
    p = {}
    maybe(r, p, "mode", ["bilinear", "nearest"] + ["bicubic"] * (n == 2))
    maybe(r, p, "paddingMode", ["zeros", "border", "reflection"])
    flag(r, p, "alignCorners")
    return p, [[r.randint(1, 6)] + dims(r, n, 1, 8), dims(r, n, 1, 8) + [n]]


def l_roi(r):
    p = dict(outputSize=either(r, 2, 1, 5))
    maybe(r, p, "spatialScale", [1.0, 0.5, 0.25])
    maybe(r, p, "samplingRatio", [-1, 0, 1, 2])
    flag(r, p, "aligned")
    return p, [[r.randint(1, 6), r.randint(6, 14), r.randint(6, 14)], [r.randint(1, 6), 4]]


def l_normed(r):
    p = {}
    maybe(r, p, "layer", ["linear", "conv1d", "conv2d", "conv1d", "conv2d"], 0.75)
    i = r.randint(1, 16)
    p.update(inFeatures=i, outFeatures=r.randint(1, 16))
    flag(r, p, "bias")
    k = p.get("layer", "linear")
    if k == "linear":
        return p, [dims(r, r.randint(0, 2), 1, 8) + [i]]
    n = int(k[4])
    maybe(r, p, "kernelSize", lambda: either(r, n, 1, 3), 0.7)
    maybe(r, p, "stride", lambda: either(r, n, 1, 2))
    maybe(r, p, "padding", lambda: r.choice(["same", "valid"]) if r.random() < 0.15 and "stride" not in p else either(r, n, 0, 2))
    return p, [[i] + dims(r, n, 3, 10)]


def l_grn(r):
    p = dict(dim=r.randint(1, 16))
    flag(r, p, "channelsLast", prob=0.6)
    hw = dims(r, 2, 1, 8)
    return p, [hw + [p["dim"]] if p.get("channelsLast", True) else [p["dim"]] + hw]


def l_softmin(r):
    s = shape(r, 1, 4)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.75)
    return p, [s]


def l_threshold(r):
    return dict(threshold=r.choice([0, 0.1, 0.5, 1, -1]), value=r.choice([0, 1, -2.5, 20])), [shape(r)]


EQUATIONS = ["bij,bjk->bik", "bi,bj->bij", "bij->bji", "bij->bi", "bij->b", "bij,bij->bij", "bij,bij->b", "bhqd,bhkd->bhqk", "bhqk,bhkd->bhqd", "bii->bi", "bii->b",
             "bij,bjk,bkl->bil", "bij,bj->bi", "bi,bi,bi->bi", "nchw->nhwc", "bchw,bdhw->bcd", "b i j, b j k -> b i k", "bij", "bji", "bqd,bkd->bqk", "bnd,bde->bne", "BiJ->BJi"]
WRONG = ["bij,bjk->bil", "bij,bjk->ik", "bij,cjk->bik", "bij,bjk", "bij,bjk->bbik", "ij,jk->ik", "bij->jbi", "b1j->bj", "bij,bjk->bikk"]


def l_einsum(r):
    eq = r.choice(EQUATIONS) if r.random() > 0.15 else r.choice(WRONG)
    size, xs = {}, []
    for o in eq.replace(" ", "").split("->")[0].split(","):
        xs.append([size.setdefault(c, r.randint(1, 6)) for c in o[1:]])
    x = r.random()
    if x < 0.06:
        xs.append(list(xs[0]))
    elif x < 0.1 and len(xs) > 1:
        xs.pop()
    elif x < 0.16 and xs[-1]:
        xs[-1].pop()
    elif x < 0.22 and xs[-1]:
        xs[-1][0] += r.randint(1, 2)
    elif x < 0.25:
        xs[0].append(r.randint(1, 3))
    return dict(equation=eq), xs


def l_split(r):
    s = shape(r, 1, 3)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.7)
    n = s[(p.get("dim", 1) - 1) if p.get("dim", 1) > 0 else min(len(s) - 1, max(-len(s), p["dim"]))] if abs(p.get("dim", 1)) <= len(s) else 3
    if r.random() < 0.5:
        p["splitSize"] = r.randint(1, n + 1)
        k = -(-n // p["splitSize"])
    else:
        a = r.randint(1, n)
        p["splitSize"] = [a, n - a] if n > a else [n]
        if r.random() < 0.15:
            p["splitSize"][0] += 1
        k = len(p["splitSize"])
    maybe(r, p, "index", lambda: r.randint(-k, k - 1) if r.random() < 0.85 else r.choice([k, -k - 1]), 0.7)
    return p, [s]


def l_chunk(r):
    s = shape(r, 1, 3)
    p = dict(chunks=r.randint(1, 4))
    maybe(r, p, "dim", lambda: axis(r, s), 0.7)
    maybe(r, p, "index", lambda: r.randint(-1, p["chunks"] - 1) if r.random() < 0.85 else p["chunks"], 0.7)
    return p, [s]


def l_slice(r):
    s = shape(r, 1, 4)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.75)
    maybe(r, p, "start", lambda: r.randint(-4, 3), 0.7)
    maybe(r, p, "end", lambda: r.choice([None, -1, r.randint(1, 12), r.randint(2, 9)]), 0.6)
    maybe(r, p, "step", lambda: r.randint(1, 3), 0.5)
    return p, [s]


def l_select(r):
    s = shape(r, 1, 4)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.75)
    p["index"] = r.choice([0, 0, -1, 1, r.randint(-3, 4)])
    return p, [s]


def l_reduce(one=False):
    def f(r):
        s = shape(r, 1, 4)
        p = dict(dim=axis(r, s) if one else axes(r, s))
        flag(r, p, "keepDim")
        return p, [s]
    return f


def l_norm(r):
    p, s = l_reduce()(r)
    maybe(r, p, "p", [1, 2, 3, 0.5, 0, 1.5, -1], 0.6)
    return p, s


def l_cumsum(r):
    s = shape(r, 1, 4)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.75)
    return p, [s]


def l_flip(r):
    s = shape(r, 1, 4)
    return dict(dims=axes(r, s)), [s]


def l_roll(r):
    s = shape(r, 1, 4)
    d = axes(r, s)
    sh = [r.randint(-5, 5) for _ in d] if isinstance(d, list) else r.randint(-5, 5)
    if r.random() < 0.12:
        sh = sh + [1] if isinstance(sh, list) else [sh, 1]
    return dict(shifts=sh, dims=d), [s]


def l_expand(r):
    s = [r.choice([1, d]) for d in shape(r, 1, 4)]
    e = [(r.choice([r.randint(1, 6), -1, 1]) if d == 1 else r.choice([d, -1, d])) for d in s]
    x = r.random()
    if x < 0.1:
        e[r.randrange(len(e))] += 1
    elif x < 0.2:
        e = e[:-1]
    elif x < 0.3:
        e = [r.randint(2, 4)] + e
    return dict(shape=e), [s]


def l_repeat(r):
    s = shape(r, 1, 4, 6)
    e = dims(r, len(s), 1, 3)
    x = r.random()
    if x < 0.12:
        e = e[:-1]
    elif x < 0.22:
        e = [r.randint(1, 2)] + e
    return dict(repeats=e), [s]


def l_clamp(r):
    p = {}
    x = r.random()
    if x < 0.7:
        p["min"] = r.choice([-1, 0, -0.5, 2])
    if x > 0.4:
        p["max"] = r.choice([1, 0, 0.5, 6])
    return p, [shape(r)]


def l_merge(r):
    s = shape(r, 1, 4)
    xs = [list(s) for _ in range(r.choice([1, 2, 2, 2, 3, 4]))]
    if len(xs) > 1 and r.random() < 0.6:
        x = r.choice(xs)
        i = r.randrange(len(s))
        x[i] = r.choice([1, 1, s[i] + 1])
    if len(xs) > 1 and r.random() < 0.2:
        xs[1] = xs[1][1:]
    return {}, xs, ["int64" if r.random() < 0.08 else "float" for _ in xs]


def l_gather(r):
    s = shape(r, 1, 4)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.75)
    d = p.get("dim", 1)
    i = [r.randint(1, n) if r.random() < 0.4 else n for n in s]
    a = d - 1 if d > 0 else d + len(s)
    if 0 <= a < len(s):
        i[a] = r.randint(1, 12)
    return p, [s, i], ["int64" if r.random() < 0.06 else "float", "int64"]


def l_topk(r):
    s = shape(r, 1, 3)
    p = {}
    maybe(r, p, "dim", lambda: axis(r, s), 0.6)
    d = p.get("dim", -1)
    n = s[d - 1 if d > 0 else d] if 1 <= abs(d) <= len(s) else 2
    p["k"] = r.randint(1, n) if r.random() < 0.88 else n + 1
    maybe(r, p, "index", [0, 1], 0.6)
    return p, [s]


def l_birnn(r):
    p = dict(inputSize=r.randint(1, 16), hiddenSize=r.randint(1, 16))
    maybe(r, p, "numLayers", [1, 2, 3])
    flag(r, p, "bias", "returnSequences")
    return p, [[r.randint(1, 12), p["inputSize"]]]


def l_stft(r):
    n = r.choice([4, 8, 16, 20, 32, 64, 15])
    p = dict(nFft=n)
    maybe(r, p, "hopLength", lambda: r.randint(1, n), 0.6)
    maybe(r, p, "winLength", lambda: r.randint(1, n), 0.4)
    flag(r, p, "center", "normalized", "onesided")
    return p, [[r.randint(n, 4 * n + 40)]]


def audio(r, n):
    return dims(r, r.choice([0, 0, 0, 1, 1, 2]), 1, 3) + [r.randint(n, 4 * n)]


def l_mel(r):
    p = {}
    maybe(r, p, "sampleRate", [8000, 16000, 22050, 44100])
    maybe(r, p, "nFft", [64, 128, 200, 256, 400, 512], 0.7)
    n = p.get("nFft", 400)
    maybe(r, p, "winLength", lambda: r.randint(n // 2, n), 0.4)
    maybe(r, p, "hopLength", lambda: r.randint(n // 8, n), 0.5)
    maybe(r, p, "nMels", [1, 8, 20, 40, 64, 80, 128], 0.7)
    flag(r, p, "center")
    maybe(r, p, "power", [1.0, 2.0, 3.0], 0.4)
    return p, [audio(r, n)]


def l_mfcc(r):
    p = {}
    maybe(r, p, "sampleRate", [8000, 16000, 22050])
    maybe(r, p, "nMels", [23, 40, 64, 80, 128], 0.7)
    maybe(r, p, "nMfcc", lambda: r.choice([1, 8, 13, 20, 40]), 0.7)
    maybe(r, p, "nFft", [128, 200, 256, 400, 512], 0.7)
    n = p.get("nFft", 400)
    maybe(r, p, "hopLength", lambda: r.randint(n // 8, n), 0.5)
    return p, [audio(r, n)]


def l_graph(kind):
    def f(r):
        i = r.randint(1, 16)
        p = dict(inChannels=i, outChannels=r.randint(1, 16))
        flag(r, p, "bias")
        if kind == "gat":
            maybe(r, p, "heads", [1, 2, 3, 4], 0.6)
            flag(r, p, "concat")
        elif kind in ("graphSAGE", "graphConv"):
            maybe(r, p, "aggr", ["add", "mean", "max", "sum"])
        elif kind == "gin":
            maybe(r, p, "hiddenChannels", lambda: r.randint(1, 16))
            flag(r, p, "trainEps")
        xs = [[r.randint(2, 9), i], [2, r.randint(1, 12)]]
        dt = ["float", "int64"]
        if r.random() < 0.38:  # broken here, so that the number of nodes never drops below the two that the edges name
            k = r.choice(["drop", "bad", "count", "int", "size", "rank", "edges", "features", "swap"])
            if k == "drop":
                p.pop(r.choice(["inChannels", "outChannels"]))
            elif k == "bad":
                p.update(r.choice([dict(outChannels=-1), dict(inChannels=-2), dict(inChannels=0)] + ([dict(heads=-1)] if kind == "gat" else []) +
                                  ([dict(aggr="bogus")] if kind in ("graphSAGE", "graphConv") else []) + ([dict(hiddenChannels=-3)] if kind == "gin" else [])))
            elif k == "count":
                if r.random() < 0.5:
                    xs, dt = xs[:1], dt[:1]
                else:
                    xs, dt = xs + [list(xs[1])], dt + ["int64"]
            elif k == "int":
                dt = r.choice([["int64", "int64"], ["float", "float"]])
            elif k in ("size", "features"):
                xs[0][1] += r.randint(1, 3)
            elif k == "rank":
                x = xs[r.randrange(2)]
                x.insert(0, 2) if r.random() < 0.5 else x.pop()
            elif k == "edges":
                xs[1][0] = r.choice([1, 3])
            else:
                xs, dt = xs[::-1], dt[::-1]
        return p, xs, dt
    return f


def l_interaction(r):
    p = {}
    flag(r, p, "selfInteraction", "concatDense", prob=0.5)
    d = r.randint(1, 16)
    if r.random() < 0.35:
        return p, [[r.randint(2, 8), d]]
    return p, [[d] for _ in range(r.randint(2, 6))]


def l_cross(r):
    p = dict(inputDim=r.randint(1, 32))
    maybe(r, p, "numLayers", [1, 2, 3, 4], 0.6)
    maybe(r, p, "version", [1, 2], 0.6)
    return p, [[p["inputDim"]]]


def l_projection(r):
    p = dict(inFeatures=r.randint(1, 32), outFeatures=r.randint(1, 32))
    flag(r, p, "bias")
    maybe(r, p, "hiddenFeatures", lambda: r.choice([None, r.randint(1, 32), r.randint(1, 32)]), 0.6)
    return p, [dims(r, r.randint(0, 3), 1, 6) + [p["inFeatures"]]]


def l_fusion(r):
    p = {}
    maybe(r, p, "mode", ["concat", "sum", "product"], 0.75)
    n, lead = r.randint(2, 4), dims(r, r.randint(0, 2), 1, 6)
    f = dims(r, n, 1, 16) if p.get("mode", "concat") == "concat" else [r.randint(1, 16)] * n
    p.update(inFeatures=f, outFeatures=r.randint(1, 32))
    flag(r, p, "bias")
    xs = [list(lead) + [d] for d in f]
    if lead and r.random() < 0.15:
        xs[1][0] = 1
    return p, xs


def l_parameter(r):
    p = dict(shape=r.randint(1, 9) if r.random() < 0.08 else dims(r, r.choice([0, 1, 1, 2, 2, 3, 4]), 1, 9))
    flag(r, p, "trainable", prob=0.5)
    return p, [shape(r, 0, 4)], ["int64" if r.random() < 0.2 else "float"]


def l_sdpa(r):
    """Queries, keys and values, at times a mask; then, in two of five, one of the ways to get it wrong, and seldom one that stretches an axis."""
    lead = dims(r, r.choice([0, 1, 1, 1, 1, 2]), 1, 6)
    n, m, e = r.randint(1, 9), r.randint(1, 12), r.choice([1, 3, 4, 5, 8, 8, 12, 16])
    v = e if r.random() < 0.6 else r.choice([1, 2, 4, 6, 8, 20])
    p = {}
    flag(r, p, "causal", "enableGqa", prob=0.35)
    maybe(r, p, "scale", [0.125, 1, 0.5, 0, -0.5, 2.0], 0.3)
    kv, vl = list(lead), list(lead)
    if lead and p.get("enableGqa") and r.random() < 0.8:
        k = r.randint(1, 3)
        lead[-1] = k * r.choice([1, 2, 3])
        kv[-1], vl[-1] = k, k if r.random() < 0.85 else lead[-1]
    xs = [lead + [n, e], kv + [m, e], vl + [m, v]]
    if not p.get("causal") and r.random() < 0.4:
        xs.append([d if r.random() < 0.6 else 1 for d in lead] + [n if r.random() < 0.8 else 1, m if r.random() < 0.9 else 1])
    x = r.random()
    if x < 0.1:
        xs[r.randrange(2)][-1] += r.randint(1, 3)
    elif x < 0.18:
        xs[r.choice([1, 2])][-2] += r.randint(1, 3)
    elif x < 0.26 and lead:
        xs[r.randrange(3)][0] += r.randint(1, 2)
    elif x < 0.32 and lead:
        xs[r.randrange(3)][r.randrange(len(lead))] = 1
    elif x < 0.38:
        q = r.choice(xs)
        q.insert(0, r.choice([1, 2, 4])) if r.random() < 0.4 or len(q) < 2 else q.pop(0)
    elif x < 0.44 and len(xs) == 4:
        i = r.randrange(len(xs[3]))
        xs[3][i] = xs[3][i] + 1 if r.random() < 0.7 else 2 * xs[3][i] + 1
    elif x < 0.48:
        p["causal"] = True
        xs = xs[:3] + [lead + [n, m]]
    return p, xs


def l_core(r):
    """Heads side by side; then, in about a third, one of the ways to get it wrong."""
    kv, times = r.randint(1, 3), r.choice([1, 1, 2, 3])
    h, e = kv * times, r.choice([1, 3, 4, 8, 8, 12, 16])
    n, v = r.randint(1, 9), e if r.random() < 0.6 else r.choice([1, 2, 4, 6, 8])
    m = n if r.random() < 0.6 else r.randint(1, 12)
    p = dict(numHeads=h)
    if times > 1 or r.random() < 0.4:
        p["numKVHeads"] = kv
    flag(r, p, "causal", "sinks", prob=0.35)
    maybe(r, p, "windowSize", [1, 2, 3, 5], 0.25)
    xs = [[n, h * e], [m, kv * e], [m, kv * v]]
    if r.random() < 0.35:
        xs.append([h if r.random() < 0.6 else 1, n if r.random() < 0.8 else 1, m if r.random() < 0.9 else 1])
    x = r.random()
    if x < 0.1:
        xs[r.randrange(3)][1] += r.randint(1, 3)
    elif x < 0.16:
        xs[1][1] += kv
    elif x < 0.24:
        xs[r.choice([1, 2])][0] += r.randint(1, 3)
    elif x < 0.3:
        r.choice(xs).insert(0, r.choice([1, 2]))
    elif x < 0.36 and len(xs) == 4:
        xs[3][r.randrange(3)] += 1
    elif x < 0.4:
        p["numKVHeads"] = h + 1
    return p, xs


def c_activation(params=None, bad=None, req=()):
    return case(unary(params), req=req, bad=bad, only=ALONE)


KBAD = [0, -1]
CASES = {
    "bilinear": case(l_bilinear, ("in1Features", "in2Features", "outFeatures"), dict(in1Features=KBAD, outFeatures=[-1])),
    "unflatten": case(l_unflatten, ("dim", "unflattenedSize"), dict(dim=[0, 5, -6, "x"], unflattenedSize=[[2, 3, 5, 7], [-1, -1], 4, []]), ["count", "size", "size", "rank"]),
    "dilatedConv2d": case(l_dilated, ("outChannels", "kernelSize"), dict(kernelSize=[0, 12, [3, 3, 3], -1], stride=[0, -1], groups=[4, 0], dilation=[0, 9], paddingMode=["mirror"], padding=["full"])),
    "deformableConv2d": case(l_deform, ("outChannels", "kernelSize"), dict(kernelSize=[0, 20, -1], stride=[0, -1], groups=[4, 0], offsetGroups=[0, 5], dilation=[0, 16])),
    "globalAvgPool3d": case(l_global(3), only=["count", "int", "rank", "rank"]), "globalMaxPool1d": case(l_global(1), only=["count", "rank", "rank"]),
    "globalMaxPool3d": case(l_global(3), only=["count", "rank", "rank"]),
    "fold": case(l_fold, ("outputSize", "kernelSize"), dict(kernelSize=[0, 9, [1, 2, 3]], stride=[0], dilation=[0, 12], padding=[-1], outputSize=[1, [5]])),
    "unfold": case(l_unfold, ("kernelSize",), dict(kernelSize=[0, 20, [1, 2, 3], -1], stride=[0], dilation=[0, 20], padding=[-1])),
    "interpolate": case(l_interpolate, (), dict(mode=["cubic", "bilinear", "trilinear", "linear", "bicubic"], size=[4, [3], [2, 2, 2], 0, -2], scaleFactor=[2, [2, 2, 2, 2], 0, -1], alignCorners=[True, False], antialias=[True]),
                        ["count", "int", "rank"], prob=0.5),
    "gridSample": case(l_grid, (), dict(mode=["linear", "bicubic"], paddingMode=["constant", "reflect"])),
    "roiAlign": case(l_roi, ("outputSize",), dict(outputSize=[-1, [2, 2, 2], "x"])),
    "grn": case(l_grn, ("dim",), dict(dim=[-1, 0, 33])),
    "celu": c_activation(dict(alpha=[0.5, 1.0, 2.0, -1.0]), dict(alpha=[0, 0.0] + NUMB)),
    "rrelu": c_activation(dict(lower=[0.05, 0.1, 0.125], upper=[0.3, 0.5, 0.4]), dict(lower=[0.6, 2.0], upper=[0.0, -1])),
    "hardtanh": c_activation(dict(minVal=[-2, -1.0, -0.5, 0], maxVal=[0.5, 1, 6]), dict(minVal=[7, 6.5], maxVal=[-3, -2, -5])),
    "hardShrink": c_activation(dict(lambd=[0, 0.1, 0.5, 2, -1]), dict(lambd=NUMB)), "softShrink": c_activation(dict(lambd=[0, 0.1, 0.5, 2]), dict(lambd=[-0.5, -1, -2])),
    "softmin": case(l_softmin, (), dict(dim=[6, -7, "x"]), ALONE),
    "softmax2d": case(lambda r: ({}, [shape(r, 2, 3)]), only=["count", "int", "rank", "rank"]),
    "threshold": case(l_threshold, ("threshold", "value"), dict(threshold=NUMB, value=NUMB), ALONE),
    "dropout1d": case(unary(dict(p=[0.0, 0.1, 0.5, 1.0]), 1, 2), (), dict(p=[-0.1, 1.5, 2]), ["count", "rank", "rank", "int"]),
    "einsum": case(l_einsum, ("equation",), None, ["int"], prob=0.15),
    "split": case(l_split, ("splitSize",), dict(splitSize=[0, -1, [1, 1, 40]], dim=[0, 5, -6], index=[20, -20]), ALONE),
    "chunk": case(l_chunk, ("chunks",), dict(chunks=[0, -1], dim=[5, -6], index=[20, -20]), ALONE),
    "slice": case(l_slice, (), dict(step=[0, -1, -2], dim=[6, -7], start=["x"]), ALONE),
    "select": case(l_select, ("index",), dict(index=[20, -20], dim=[0, 6, -7]), ALONE),
    "norm": case(l_norm, ("dim",), dict(dim=[6, -7, "x", 0, [1, 1]], p=["fro2", "nuclear"]), ALONE),
    "argmax": case(l_reduce(True), ("dim",), dict(dim=[6, -7, "x", 0, [1]]), ALONE),
    "cumsum": case(l_cumsum, (), dict(dim=[6, -7, "x", [1]]), ALONE),
    "flip": case(l_flip, ("dims",), dict(dims=[6, -7, "x", [1, 1]]), ALONE),
    "roll": case(l_roll, ("shifts", "dims"), dict(dims=[6, -7, "x", [1, 1]], shifts=["x", [1, 2, 3, 4, 5], 1.5]), ALONE),
    "expand": case(l_expand, ("shape",), dict(shape=[[7], [-2, 3], [2, -1, 3, 4, 5]]), ALONE),
    "repeat": case(l_repeat, ("repeats",), dict(repeats=[[], [-1], [2, 2, 2, 2, 2]]), ALONE),
    "clamp": case(l_clamp, ("min", "max"), dict(min=NUMB, max=NUMB), ALONE),
    "pow": case(lambda r: (dict(exponent=r.choice([2, 3, 0.5, -1, 0, 1, 1.5])), [shape(r)]), ("exponent",), dict(exponent=NUMB), ALONE),
    "gather": case(l_gather, (), dict(dim=[6, -7, "x"]), ["count", "int", "size", "rank", "rank"]),
    "topK": case(l_topk, ("k",), dict(k=[0, -1, 20], dim=[6, -7], index=[2, -3]), ALONE),
    "bidirectionalRNN": case(l_birnn, ("inputSize", "hiddenSize"), dict(hiddenSize=[0, -1], numLayers=[0, -1], inputSize=[-1, 40])),
    "stft": case(l_stft, ("nFft",), dict(nFft=[0, -1, 500], hopLength=[0, -1], winLength=[0, 600]), ["count", "int", "rank", "rank"]),
    "melSpectrogram": case(l_mel, (), dict(nFft=[0, 5000], hopLength=[-1], winLength=[0, 600], nMels=[0, -1], sampleRate=[0, -100], power=[None]), ["count", "int"]),
    "mfcc": case(l_mfcc, (), dict(nFft=[0, 5000], hopLength=[-1], nMels=[0, -1, 4], nMfcc=[129, 200, -1], sampleRate=[-100]), ["count", "int"]),
    "featureInteraction": case(l_interaction, only=["int", "size", "size", "rank", "rank"]),
    "crossNetwork": case(l_cross, ("inputDim",), dict(inputDim=[0, -1, 40], numLayers=[0, -1], version=[3, 0])),
    "projection": case(l_projection, ("inFeatures", "outFeatures"), dict(inFeatures=[0, -1, 40], outFeatures=[-1], hiddenFeatures=[-2])),
    "fusion": case(l_fusion, ("inFeatures", "outFeatures"), dict(mode=["mean", "attention"], outFeatures=[-1], inFeatures=[[4], [5, 6, 7]])),
    "parameter": case(l_parameter, ("shape",), dict(shape=[[-1], [2, -3], "x", [1.5], [2, "x"], [[2]], -4, 2.5]), ["count"] * 3, prob=0.5),
    "scaledDotProductAttention": case(l_sdpa, (), dict(causal=[1, "yes", 0], enableGqa=[1, "x"], scale=["x", [0.5]]), ["count", "int"], prob=0.15),
    "attentionCore": case(l_core, ("numHeads",), dict(numHeads=[-1, 5, "x"], numKVHeads=[-1, 7]), ["count", "int"], prob=0.2),
}
for n_ in (1, 2, 3):
    CASES[f"lpPool{n_}d"] = case(l_lppool(n_), ("kernelSize",), dict(kernelSize=[0, 20, -1, [2] * (n_ + 1)], normType=[0, "x"], stride=[0, -1]))
for k_, n_ in (("adaptiveAvgPool3d", 3), ("adaptiveMaxPool1d", 1), ("adaptiveMaxPool3d", 3)):
    CASES[k_] = case(l_adaptive(n_), ("outputSize",), dict(outputSize=[-1, [2] * (n_ + 1), "x"]))
for k_ in ("weightNorm", "spectralNorm"):
    CASES[k_] = case(l_normed, ("inFeatures", "outFeatures"), dict(layer=["conv3d", "dense", "lstm"], kernelSize=[20, 0], inFeatures=[40, -1], outFeatures=[-1], stride=[0]))
for k_ in ("tanhShrink", "softsign", "logSigmoid", "quickGelu", "squaredRelu", "exp", "log", "sqrt", "abs", "neg"):
    CASES[k_] = c_activation()
for k_ in ("dropout3d", "alphaDropout", "featureAlphaDropout", "dropPath"):
    CASES[k_] = c_activation(dict(p=[0.0, 0.1, 0.5, 0.9] if k_ == "dropPath" else [0.0, 0.1, 0.5, 1.0]), dict(p=[-0.1, 1.5, 2]))
for k_ in ("sum", "max", "min", "logSumExp", "std", "var"):
    CASES[k_] = case(l_reduce(), ("dim",), dict(dim=[6, -7, "x", 0, [1, 1]]), ALONE)
for k_ in ("divide", "maximum", "minimum"):
    CASES[k_] = l_merge
for k_ in ("gcn", "graphConv", "gat", "graphSAGE", "gin"):
    CASES[k_] = l_graph(k_)
assert set(CASES) == set(TYPES), set(CASES) ^ set(TYPES)
