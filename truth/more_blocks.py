"""Meaning of further component types (attention variants, state-space layers, composite blocks) as PyTorch modules.

Same conventions as reference.py: every tensor has the batch at axis 0, shapes in CASES have none.
Library modules are built as they are and judge their own params. In the modules written here a size below 1 is refused
(`pos`), since PyTorch would build an empty weight and carry on.
"""
import math
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

import reference as R
from reference import need

try:
    import torchvision
    from torchvision.models import densenet, efficientnet, mobilenetv2, resnet, swin_transformer
    from torchvision.ops.misc import SqueezeExcitation
except ImportError:  # not on every machine: the types that need it then raise NameError
    pass
try:
    from torchaudio.models.conformer import ConformerLayer
except (ImportError, OSError):
    pass


def opt(p, name, default):
    v = p.get(name)
    return default if v is None else v


def pos(**sizes):
    """Each must be a whole number of at least 1; the values come back in order."""
    for n, v in sizes.items():
        if isinstance(v, bool) or not isinstance(v, int):
            raise TypeError(f"{n} must be a whole number, got {v!r}")
        if v < 1:
            raise ValueError(f"{n} must be at least 1, got {v}")
    vs = tuple(sizes.values())
    return vs[0] if len(vs) == 1 else vs


def pair(v):
    return list(v) if isinstance(v, (list, tuple)) else [v, v]


def divides(e, h):
    if e % h:
        raise ValueError(f"embedDim {e} is not divisible by numHeads {h}")
    return e // h


def seq_input(x, e, what="input"):
    if x.dim() != 3:
        raise ValueError(f"{what} must be [batch, seq, features], got {x.dim()} axes")
    if x.shape[2] != e:
        raise ValueError(f"{what} has {x.shape[2]} features, expected {e}")


def image_input(x, rank=4):
    if x.dim() != rank:  # PyTorch's convolutions would take the batch for the channels
        raise ValueError(f"expected {rank} axes with the batch, got {x.dim()}")


def pick(results, index):
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(results):
        raise IndexError(f"index {index!r} of {len(results)} results")
    return results[index]


def band(s, window, causal, device):
    """True where a query may look: fewer than `window` positions away, never ahead when causal."""
    d = torch.arange(s, device=device)[:, None] - torch.arange(s, device=device)[None, :]
    return ((d >= 0) & (d < window)) if causal else (d.abs() < window)


def attend(q, k, v, causal=False, mask=None):
    """q, k, v: [batch, heads, seq, dim]; mask: True where a query may look."""
    if not R.EAGER:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and mask is None)
    w = torch.matmul(q, k.transpose(2, 3)) * q.shape[-1] ** -0.5
    if mask is None and causal:
        mask = band(q.shape[2], q.shape[2], True, q.device)
    if mask is not None:
        w = w.masked_fill(~mask, float("-inf"))
    return torch.matmul(F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype), v)


def split_heads(x, h):
    return x.view(x.shape[0], x.shape[1], h, -1).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


# ---- norms, embeddings, positions

class QKNorm(nn.Module):
    """Each head-sized slice of the last axis normalised, as transformers' Qwen3Attention.q_norm."""

    def __init__(self, p):
        super().__init__()
        self.d = pos(headDim=need(p, "headDim"))
        kinds = {"rms": nn.RMSNorm, "layer": nn.LayerNorm}
        self.m = kinds[opt(p, "kind", "rms")](self.d, elementwise_affine=opt(p, "elementwiseAffine", True))

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("qkNorm needs a feature axis")
        return self.m(x.reshape(*x.shape[:-1], x.shape[-1] // self.d, self.d)).reshape(x.shape)


class EmbeddingBag(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.m = nn.EmbeddingBag(need(p, "numEmbeddings"), need(p, "embeddingDim"), mode=opt(p, "mode", "mean"))

    def forward(self, x):
        return self.m(x)


class SegmentEmbedding(nn.Module):
    """BERT's token_type_embeddings, added to the hidden states; all of segment 0 without ids."""

    def __init__(self, p):
        super().__init__()
        self.n, self.e = pos(numSegments=opt(p, "numSegments", 2), embedDim=need(p, "embedDim"))
        self.w = nn.Embedding(self.n, self.e)

    def forward(self, x, ids=None):
        seq_input(x, self.e)
        if ids is None:
            ids = torch.zeros(x.shape[:2], dtype=torch.long, device=x.device)
        if ids.shape != x.shape[:2]:
            raise ValueError("one segment id per position")
        return x + self.w(ids)


def rotary(x, base):
    """Rotate-half rotary positions over the last two axes [seq, dim], as transformers' Llama."""
    s, d = x.shape[-2:]
    if d % 2:
        raise ValueError(f"rotary positions need an even head size, got {d}")
    if base <= 0:
        raise ValueError("the rotary base must be positive")
    inv = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d))
    f = torch.arange(s, dtype=torch.float32, device=x.device)[:, None] * inv
    a = torch.cat((f, f), -1)
    c, n = a.cos().to(x.dtype if x.is_floating_point() else f.dtype), a.sin().to(x.dtype if x.is_floating_point() else f.dtype)
    return x * c + torch.cat((-x[..., d // 2:], x[..., : d // 2]), -1) * n


class Rope(nn.Module):
    """[seq, features] with the heads folded into the features, or [heads, seq, headDim]."""

    def __init__(self, p):
        super().__init__()
        self.d, self.base = pos(headDim=need(p, "headDim")), opt(p, "base", 10000.0)

    def forward(self, x):
        if x.dim() == 4:
            if x.shape[-1] != self.d:
                raise ValueError(f"the last axis is {x.shape[-1]}, not headDim {self.d}")
            return rotary(x, self.base)
        if x.dim() != 3 or x.shape[-1] % self.d:
            raise ValueError("rope takes [seq, heads*headDim] or [heads, seq, headDim]")
        return join_heads(rotary(split_heads(x, x.shape[-1] // self.d), self.base))


def scores_input(x, h):
    if x.dim() != 4 or x.shape[1] != h:
        raise ValueError(f"scores must be [batch, {h}, q, k], got {list(x.shape)}")


class Alibi(nn.Module):
    """Press et al. 2021; slopes as in ofirpress/attention_with_linear_biases, for any number of heads."""

    def __init__(self, p):
        super().__init__()
        self.h = pos(numHeads=need(p, "numHeads"))
        n = 2 ** math.floor(math.log2(self.h))
        s = [2 ** (-8 * (i + 1) / n) for i in range(n)]
        s += [2 ** (-4 * (2 * i + 1) / n) for i in range(self.h - n)]
        self.register_buffer("slopes", torch.tensor(s)[:, None, None], persistent=False)

    def forward(self, x):
        scores_input(x, self.h)
        q, k = x.shape[2:]
        far = (torch.arange(k, device=x.device)[None, :] - torch.arange(q, device=x.device)[:, None]).abs()
        return x - self.slopes * far


class RelativePositionBias(nn.Module):
    """transformers' T5Attention.compute_bias: half of the buckets exact, the rest logarithmic up to maxDistance."""

    def __init__(self, p):
        super().__init__()
        self.h, self.n, self.far = pos(numHeads=need(p, "numHeads"), numBuckets=opt(p, "numBuckets", 32), maxDistance=opt(p, "maxDistance", 128))
        self.both = opt(p, "bidirectional", True)
        self.side = self.n // 2 if self.both else self.n
        self.exact = self.side // 2
        if self.exact < 1:
            raise ZeroDivisionError("too few buckets: none is left for exact distances")  # as T5's own code divides by it
        if self.far <= self.exact:
            raise ValueError("maxDistance must be beyond the exact buckets")
        self.w = nn.Embedding(self.n, self.h)

    def forward(self, x):
        scores_input(x, self.h)
        q, k = x.shape[2:]
        rel = torch.arange(k, device=x.device)[None, :] - torch.arange(q, device=x.device)[:, None]
        start = (rel > 0).long() * self.side if self.both else torch.zeros_like(rel)
        rel = rel.abs() if self.both else (-rel).clamp(min=0)
        log = torch.log(rel.clamp(min=1).float() / self.exact) / math.log(self.far / self.exact) * (self.side - self.exact)
        large = (self.exact + log.long()).clamp(max=self.side - 1)
        return x + self.w(start + torch.where(rel < self.exact, rel, large)).permute(2, 0, 1)


class TimeEmbedding(nn.Module):
    """facebookresearch/DiT TimestepEmbedder; one timestep per sample, of shape [] or [1]."""

    def __init__(self, p):
        super().__init__()
        e, self.f = pos(embedDim=need(p, "embedDim"), freqDim=opt(p, "freqDim", 256))
        self.m = nn.Sequential(nn.Linear(self.f, e), nn.SiLU(), nn.Linear(e, e))

    def forward(self, x):
        if x.dim() != 1 and x.shape[1:] != (1,):
            raise ValueError("one timestep per sample")
        half = self.f // 2
        w = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32, device=x.device) / max(half, 1))
        a = x.reshape(-1, 1).float() * w
        y = torch.cat([a.cos(), a.sin()], -1)
        if self.f % 2:
            y = torch.cat([y, torch.zeros_like(y[:, :1])], -1)  # freqDim 1 stays empty, and the Linear refuses it
        return self.m(y)


class ClassToken(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.e = pos(embedDim=need(p, "embedDim"))
        self.w = nn.Parameter(torch.zeros(1, 1, self.e))

    def forward(self, x):
        return torch.cat((self.w.expand(x.shape[0], -1, -1), x), 1)


class RegisterTokens(nn.Module):
    """Darcet et al. 2023: learned tokens behind the sequence."""

    def __init__(self, p):
        super().__init__()
        e, n = pos(embedDim=need(p, "embedDim"), numTokens=need(p, "numTokens"))
        self.w = nn.Parameter(torch.zeros(1, n, e))

    def forward(self, x):
        return torch.cat((x, self.w.expand(x.shape[0], -1, -1)), 1)


class TubeletEmbed(nn.Module):
    """ViViT's tubelets: a Conv3d whose stride is its kernel."""

    def __init__(self, p):
        super().__init__()
        k = (opt(p, "tubeletSize", 2), *pair(opt(p, "patchSize", 16)))
        self.m = nn.Conv3d(opt(p, "inChannels", 3), need(p, "embedDim"), k, stride=k, bias=opt(p, "bias", True))

    def forward(self, x):
        image_input(x, 5)
        return self.m(x).flatten(2).transpose(1, 2)


# ---- attention

class MaskedMHA(nn.Module):
    """nn.MultiheadAttention with a mask: causal, a band of windowSize, or both."""

    def __init__(self, p, local):
        super().__init__()
        self.e = need(p, "embedDim")
        self.m = nn.MultiheadAttention(self.e, need(p, "numHeads"), bias=opt(p, "bias", True), batch_first=True)
        self.window = pos(windowSize=need(p, "windowSize")) if local else None
        self.causal = opt(p, "causal", False) if local else True

    def forward(self, x):
        seq_input(x, self.e)
        hidden = ~band(x.shape[1], self.window or x.shape[1], self.causal, x.device)
        return self.m(x, x, x, attn_mask=hidden, need_weights=R.EAGER)[0]


class WindowAttention(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.m = swin_transformer.ShiftedWindowAttention(need(p, "embedDim"), pair(need(p, "windowSize")), pair(opt(p, "shiftSize", 0)),
                                                         need(p, "numHeads"), qkv_bias=opt(p, "qkvBias", True))

    def forward(self, x):
        return self.m(x)


class LinearAttention(nn.Module):
    """Katharopoulos et al. 2020, non-causal, feature map elu(x) + 1 (idiap/fast-transformers LinearAttention)."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"))
        divides(self.e, self.h)
        b = opt(p, "bias", True)
        self.q, self.k, self.v, self.o = (nn.Linear(self.e, self.e, bias=b) for _ in range(4))

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = (m(x).view(x.shape[0], x.shape[1], self.h, -1) for m in (self.q, self.k, self.v))
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("nshd,nshm->nhmd", k, v)
        z = 1 / (torch.einsum("nlhd,nhd->nlh", q, k.sum(1)) + 1e-6)
        y = torch.einsum("nlhd,nhmd,nlh->nlhm", q, kv, z)
        return self.o(y.reshape(x.shape))


class MLA(nn.Module):
    """Multi-head latent attention with the weights of transformers' DeepseekV3Attention (interleaved rotary, causal sdpa)."""

    def __init__(self, p):
        super().__init__()
        e, h, r = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"), kvLoraRank=need(p, "kvLoraRank"))
        a, d, v = pos(qkNopeHeadDim=need(p, "qkNopeHeadDim"), qkRopeHeadDim=need(p, "qkRopeHeadDim"), vHeadDim=need(p, "vHeadDim"))
        if d % 2:
            raise ValueError("qkRopeHeadDim must be even")
        b, ql = opt(p, "bias", False), p.get("qLoraRank")
        self.e, self.h, self.r, self.a, self.d, self.vd = e, h, r, a, d, v
        if ql is None:
            self.q = nn.Linear(e, h * (a + d), bias=False)
        else:
            pos(qLoraRank=ql)
            self.q = nn.Sequential(nn.Linear(e, ql, bias=b), nn.RMSNorm(ql), nn.Linear(ql, h * (a + d), bias=False))
        self.kv_a, self.norm = nn.Linear(e, r + d, bias=b), nn.RMSNorm(r)
        self.kv_b, self.o = nn.Linear(r, h * (a + v), bias=False), nn.Linear(h * v, e, bias=b)

    def forward(self, x):
        seq_input(x, self.e)
        B, S, _ = x.shape
        qn, qr = split_heads(self.q(x), self.h).split([self.a, self.d], -1)
        c, kr = self.kv_a(x).split([self.r, self.d], -1)
        kn, v = split_heads(self.kv_b(self.norm(c)), self.h).split([self.a, self.vd], -1)

        def spin(y):
            return rotary(y.unflatten(-1, (self.d // 2, 2)).transpose(-1, -2).reshape(y.shape), 10000.0)
        kr = spin(kr.reshape(B, 1, S, self.d)).expand(B, self.h, S, self.d)
        return self.o(join_heads(attend(torch.cat((qn, spin(qr)), -1), torch.cat((kn, kr), -1), v, causal=True)))


class CoAttention(nn.Module):
    """ViLBERT's co-attention (Lu et al. 2019): each stream asks the other; `index` says which result flows on."""

    def __init__(self, p):
        super().__init__()
        self.e, h = need(p, "embedDim"), need(p, "numHeads")
        self.kv, self.i = opt(p, "kvDim", self.e), opt(p, "index", 0)
        pick([0, 1], self.i)
        self.x = nn.MultiheadAttention(self.e, h, kdim=self.kv, vdim=self.kv, batch_first=True)
        self.y = nn.MultiheadAttention(self.kv, h, kdim=self.e, vdim=self.e, batch_first=True)

    def forward(self, x, y):
        seq_input(x, self.e, "first input")
        seq_input(y, self.kv, "second input")
        return pick([self.x(x, y, y, need_weights=R.EAGER)[0], self.y(y, x, x, need_weights=R.EAGER)[0]], self.i)


class RopeAttention(nn.Module):
    """reference.GQA with rotary positions inside; windowSize: each query sees itself and the windowSize-1 before it."""

    def __init__(self, p):
        super().__init__()
        e, h = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"))
        kv = pos(numKVHeads=opt(p, "numKVHeads", h))
        d = p.get("headDim")
        d = divides(e, h) if d is None else pos(headDim=d)
        if h % kv:
            raise ValueError("numHeads % numKVHeads != 0")
        if d % 2:
            raise ValueError("rotary positions need an even headDim")
        self.e, self.h, self.kv, self.base = e, h, kv, opt(p, "base", 10000.0)
        b = opt(p, "bias", False)
        self.q, self.k, self.v = nn.Linear(e, h * d, bias=b), nn.Linear(e, kv * d, bias=b), nn.Linear(e, kv * d, bias=b)
        self.o = nn.Linear(h * d, e, bias=opt(p, "outBias", b))
        n = opt(p, "qkNorm", False)
        self.qn, self.kn = (nn.RMSNorm(d), nn.RMSNorm(d)) if n else (nn.Identity(), nn.Identity())
        self.causal, self.window = opt(p, "causal", True), p.get("windowSize")
        if self.window is not None:
            pos(windowSize=self.window)

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = split_heads(self.q(x), self.h), split_heads(self.k(x), self.kv), split_heads(self.v(x), self.kv)
        q, k = rotary(self.qn(q), self.base), rotary(self.kn(k), self.base)
        r = self.h // self.kv
        if r > 1:
            k, v = k.repeat_interleave(r, 1), v.repeat_interleave(r, 1)
        mask = None if self.window is None else band(x.shape[1], self.window, True, x.device)
        return self.o(join_heads(attend(q, k, v, self.causal, mask)))


class Retention(nn.Module):
    """Multi-scale retention, parallel form (Sun et al. 2023; microsoft/torchscale MultiScaleRetention), rotation of q and k included."""

    def __init__(self, p):
        super().__init__()
        e, h, f = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"), valueFactor=opt(p, "valueFactor", 2))
        self.e, self.h, self.d = e, h, divides(e, h)
        if self.d % 2:
            raise ValueError("retention rotates q and k: embedDim / numHeads must be even")
        self.q, self.k = nn.Linear(e, e, bias=False), nn.Linear(e, e, bias=False)
        self.v, self.g, self.o = nn.Linear(e, f * e, bias=False), nn.Linear(e, f * e, bias=False), nn.Linear(f * e, e, bias=False)
        self.norm = nn.LayerNorm(f * self.d, elementwise_affine=False)
        self.register_buffer("decay", torch.log(1 - 2.0 ** (-5 - torch.arange(h, dtype=torch.float32))), persistent=False)

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = split_heads(self.q(x), self.h), split_heads(self.k(x) * self.d ** -0.5, self.h), split_heads(self.v(x), self.h)
        q, k = rotary(q, 10000.0), rotary(k, 10000.0)
        i = torch.arange(x.shape[1], device=x.device)
        d = i[:, None] - i[None, :]
        m = torch.exp(d.clamp(min=0) * self.decay[:, None, None]) * (d >= 0)
        m = m / m.sum(-1, keepdim=True).sqrt()
        w = torch.matmul(q, k.transpose(2, 3)) * m
        w = w / w.detach().sum(-1, keepdim=True).abs().clamp(min=1)
        y = self.norm(torch.matmul(w, v))
        return self.o(F.silu(self.g(x)) * join_heads(y))


# ---- state space and recurrence

class Mamba(nn.Module):
    """state-spaces/mamba mamba_simple.py; the selective scan step by step with elementwise products."""

    def __init__(self, p):
        super().__init__()
        e, n, k = pos(embedDim=need(p, "embedDim"), stateDim=opt(p, "stateDim", 16), convKernel=opt(p, "convKernel", 4))
        d = pos(inner=int(opt(p, "expand", 2) * e))
        r = pos(dtRank=opt(p, "dtRank", math.ceil(e / 16)))
        b = opt(p, "bias", False)
        self.e, self.n, self.d, self.r = e, n, d, r
        self.inp, self.out = nn.Linear(e, 2 * d, bias=b), nn.Linear(d, e, bias=b)
        self.conv = nn.Conv1d(d, d, k, groups=d, padding=k - 1, bias=opt(p, "convBias", True))
        self.x, self.dt = nn.Linear(d, r + 2 * n, bias=False), nn.Linear(r, d)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, n + 1, dtype=torch.float32)).repeat(d, 1))
        self.D = nn.Parameter(torch.ones(d))

    def forward(self, u):
        seq_input(u, self.e)
        S = u.shape[1]
        x, z = self.inp(u).chunk(2, -1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :S].transpose(1, 2))
        dt, b, c = self.x(x).split([self.r, self.n, self.n], -1)
        dt, a = F.softplus(self.dt(dt)), -torch.exp(self.A_log)
        h, ys = x.new_zeros(x.shape[0], self.d, self.n), []
        for i in range(S):
            h = torch.exp(dt[:, i, :, None] * a) * h + (dt[:, i] * x[:, i])[..., None] * b[:, i, None, :]
            ys.append((h * c[:, i, None, :]).sum(-1))
        return self.out((torch.stack(ys, 1) + self.D * x) * F.silu(z))


class Mamba2(nn.Module):
    """state-spaces/mamba mamba2_simple.py (norm after the gate, over the whole inner size); the scan step by step."""

    def __init__(self, p):
        super().__init__()
        e, n, k = pos(embedDim=need(p, "embedDim"), stateDim=opt(p, "stateDim", 128), convKernel=opt(p, "convKernel", 4))
        d, hd, g = pos(inner=int(opt(p, "expand", 2) * e), headDim=opt(p, "headDim", 64), numGroups=opt(p, "numGroups", 1))
        if d % hd:
            raise ValueError("expand * embedDim must be divisible by headDim")
        h = d // hd
        if h % g:
            raise ValueError("the number of heads must be divisible by numGroups")  # asserted by the chunk scan
        b, c = opt(p, "bias", False), d + 2 * g * n
        self.e, self.n, self.d, self.hd, self.h, self.g = e, n, d, hd, h, g
        self.inp, self.out = nn.Linear(e, d + c + h, bias=b), nn.Linear(d, e, bias=b)
        self.conv = nn.Conv1d(c, c, k, groups=c, padding=k - 1, bias=opt(p, "convBias", True))
        self.dt_bias, self.A_log, self.D = nn.Parameter(torch.zeros(h)), nn.Parameter(torch.zeros(h)), nn.Parameter(torch.ones(h))
        self.norm = nn.RMSNorm(d)

    def forward(self, u):
        seq_input(u, self.e)
        B, S, _ = u.shape
        z, x, dt = self.inp(u).split([self.d, self.d + 2 * self.g * self.n, self.h], -1)
        dt, a = F.softplus(dt + self.dt_bias), -torch.exp(self.A_log)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :S].transpose(1, 2))
        x, b, c = x.split([self.d, self.g * self.n, self.g * self.n], -1)
        x = x.reshape(B, S, self.h, self.hd)
        b, c = (y.reshape(B, S, self.g, self.n).repeat_interleave(self.h // self.g, 2) for y in (b, c))
        s, ys = x.new_zeros(B, self.h, self.hd, self.n), []
        for i in range(S):
            s = torch.exp(dt[:, i] * a)[..., None, None] * s + (dt[:, i, :, None] * x[:, i])[..., None] * b[:, i, :, None, :]
            ys.append((s * c[:, i, :, None, :]).sum(-1))
        y = (torch.stack(ys, 1) + self.D[:, None] * x).reshape(B, S, self.d)
        return self.out(self.norm(y * F.silu(z)))


class RwkvTimeMix(nn.Module):
    """transformers' RwkvSelfAttention (RWKV-4), with its numerically stable recurrence."""

    def __init__(self, p):
        super().__init__()
        self.e = e = pos(embedDim=need(p, "embedDim"))
        self.decay, self.first = nn.Parameter(torch.zeros(e)), nn.Parameter(torch.zeros(e))
        self.mk, self.mv, self.mr = (nn.Parameter(torch.full((1, 1, e), 0.5)) for _ in range(3))
        self.k, self.v, self.r, self.o = (nn.Linear(e, e, bias=False) for _ in range(4))

    def forward(self, x):
        seq_input(x, self.e)
        last = F.pad(x, (0, 0, 1, -1))
        k, v, r = (m(x * w + last * (1 - w)) for m, w in ((self.k, self.mk), (self.v, self.mv), (self.r, self.mr)))
        w = -torch.exp(self.decay)
        num, den, top, ys = torch.zeros_like(k[:, 0]), torch.zeros_like(k[:, 0]), torch.full_like(k[:, 0], -1e38), []
        for i in range(x.shape[1]):
            ki, vi = k[:, i], v[:, i]
            m = torch.maximum(top, ki + self.first)
            a, b = torch.exp(top - m), torch.exp(ki + self.first - m)
            ys.append((a * num + b * vi) / (a * den + b))
            m = torch.maximum(top + w, ki)
            a, b = torch.exp(top + w - m), torch.exp(ki - m)
            num, den, top = a * num + b * vi, a * den + b, m
        return self.o(torch.sigmoid(r) * torch.stack(ys, 1))


class S4D(nn.Module):
    """state-spaces/s4 models/s4/s4d.py: stateDim // 2 conjugate pairs per feature, convolution by FFT, GELU, Conv1d and GLU."""

    def __init__(self, p):
        super().__init__()
        e, n = pos(embedDim=need(p, "embedDim"), stateDim=opt(p, "stateDim", 64))
        self.e, n = e, n // 2
        self.D, self.log_dt = nn.Parameter(torch.randn(e)), nn.Parameter(torch.rand(e) * math.log(100) + math.log(0.001))
        self.C = nn.Parameter(torch.view_as_real(torch.randn(e, n, dtype=torch.cfloat)))
        self.log_A_real = nn.Parameter(torch.log(0.5 * torch.ones(e, n)))
        self.A_imag = nn.Parameter(math.pi * torch.arange(n, dtype=torch.float32).repeat(e, 1))
        self.out = nn.Conv1d(e, 2 * e, 1)

    def forward(self, x):
        seq_input(x, self.e)
        u, S = x.transpose(1, 2), x.shape[1]
        a = torch.complex(-torch.exp(self.log_A_real), self.A_imag)
        da = a * torch.exp(self.log_dt)[:, None]
        c = torch.view_as_complex(self.C) * (torch.exp(da) - 1.0) / a
        k = 2 * torch.einsum("hn,hnl->hl", c, torch.exp(da[..., None] * torch.arange(S, device=x.device))).real
        y = torch.fft.irfft(torch.fft.rfft(u, n=2 * S) * torch.fft.rfft(k, n=2 * S), n=2 * S)[..., :S]
        y = F.gelu(y + u * self.D[:, None])
        return F.glu(self.out(y), 1).transpose(1, 2)


# ---- composite blocks

class DecoderBlock(nn.Module):
    """nn.TransformerDecoderLayer with a causal target mask; without a second input the memory is x itself."""

    def __init__(self, p):
        super().__init__()
        self.e = need(p, "embedDim")
        self.m = nn.TransformerDecoderLayer(self.e, need(p, "numHeads"), opt(p, "ffDim", 4 * self.e), dropout=opt(p, "dropout", 0.0),
                                            activation=opt(p, "activation", "relu"), batch_first=True,
                                            norm_first=opt(p, "normFirst", True), bias=opt(p, "bias", True))

    def forward(self, x, memory=None):
        memory = x if memory is None else memory
        seq_input(x, self.e)
        seq_input(memory, self.e, "memory")
        return self.m(x, memory, tgt_mask=~band(x.shape[1], x.shape[1], True, x.device))


class SharedExpertMoE(nn.Module):
    """transformers' Qwen2MoeSparseMoeBlock; as in reference.MoE every token visits the first topK experts."""

    def __init__(self, p):
        super().__init__()
        e, n, k, i = pos(embedDim=need(p, "embedDim"), numExperts=need(p, "numExperts"), topK=need(p, "topK"), expertDim=need(p, "expertDim"))
        if k > n:
            raise ValueError("topK must be in 1..numExperts")
        s = pos(sharedExpertDim=opt(p, "sharedExpertDim", i))
        self.router, self.k = nn.Linear(e, n, bias=False), k
        self.experts = nn.ModuleList(R.Gated(dict(embedDim=e, intermediateSize=i), F.silu) for _ in range(n))
        self.shared = R.Gated(dict(embedDim=e, intermediateSize=s), F.silu)
        self.gate = nn.Linear(e, 1, bias=False) if opt(p, "sharedGate", True) else None

    def forward(self, x):
        self.router(x)
        y, s = sum(e(x) for e in self.experts[: self.k]), self.shared(x)
        return y + (s if self.gate is None else torch.sigmoid(self.gate(x)) * s)


class ConformerBlock(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.e = need(p, "embedDim")
        self.m = ConformerLayer(self.e, opt(p, "ffDim", 4 * self.e), need(p, "numHeads"), opt(p, "kernelSize", 31),
                                use_group_norm=opt(p, "useGroupNorm", False), convolution_first=opt(p, "convolutionFirst", False))

    def forward(self, x):
        seq_input(x, self.e)
        return self.m(x.transpose(0, 1), None).transpose(0, 1)  # torchaudio takes [T, B, D]


class ConvNeXtBlock(nn.Module):
    """torchvision's CNBlock with the kernel, the expansion and the layer scale made params."""

    def __init__(self, p):
        super().__init__()
        c, k = pos(channels=need(p, "channels"), kernelSize=opt(p, "kernelSize", 7))
        f = pos(hidden=int(opt(p, "expansion", 4) * c))
        self.conv, self.norm = nn.Conv2d(c, c, k, padding=k // 2, groups=c), nn.LayerNorm(c, eps=1e-6)
        self.a, self.b = nn.Linear(c, f), nn.Linear(f, c)
        self.scale = nn.Parameter(torch.full((c, 1, 1), 1e-6)) if opt(p, "layerScale", True) else None

    def forward(self, x):
        image_input(x)
        y = self.b(F.gelu(self.a(self.norm(self.conv(x).permute(0, 2, 3, 1))))).permute(0, 3, 1, 2)
        return (y if self.scale is None else self.scale * y) + x


class DiTBlock(nn.Module):
    """facebookresearch/DiT DiTBlock (adaLN-Zero), its attention being timm's with a bias on qkv."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"))
        divides(self.e, self.h)
        e, f = self.e, pos(hidden=int(self.e * opt(p, "mlpRatio", 4.0)))
        self.n1, self.n2 = (nn.LayerNorm(e, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.qkv, self.proj = nn.Linear(e, 3 * e), nn.Linear(e, e)
        self.mlp = nn.Sequential(nn.Linear(e, f), nn.GELU(approximate="tanh"), nn.Linear(f, e))
        self.ada = nn.Sequential(nn.SiLU(), nn.Linear(e, 6 * e))

    def forward(self, x, c):
        seq_input(x, self.e)
        if c.dim() != 2:
            raise ValueError("the condition is one vector per sample")
        s1, k1, g1, s2, k2, g2 = self.ada(c)[:, None].chunk(6, -1)
        q, k, v = (split_heads(y, self.h) for y in self.qkv(self.n1(x) * (1 + k1) + s1).chunk(3, -1))
        x = x + g1 * self.proj(join_heads(attend(q, k, v)))
        return x + g2 * self.mlp(self.n2(x) * (1 + k2) + s2)


class FPN(nn.Module):
    """torchvision.ops.FeaturePyramidNetwork, finest map first; `index` picks the level."""

    def __init__(self, p):
        super().__init__()
        self.n, self.i = len(need(p, "inChannels")), opt(p, "index", 0)
        pick(range(self.n), self.i)
        self.m = torchvision.ops.FeaturePyramidNetwork(need(p, "inChannels"), need(p, "outChannels"))

    def forward(self, *xs):
        if len(xs) != self.n:
            raise ValueError(f"{self.n} maps expected, got {len(xs)}")
        for x in xs:
            image_input(x)
        return pick(list(self.m(OrderedDict((str(i), x) for i, x in enumerate(xs))).values()), self.i)


class CrossAttentionBlock(nn.Module):
    """Perceiver's cross-attention block (Jaegle et al. 2021): both streams normalised, attention, feed-forward, residuals."""

    def __init__(self, p):
        super().__init__()
        self.e = e = need(p, "embedDim")
        self.kv = kv = opt(p, "kvDim", e)
        f = pos(ffDim=opt(p, "ffDim", 4 * e))
        self.m = nn.MultiheadAttention(e, need(p, "numHeads"), kdim=kv, vdim=kv, batch_first=True)
        self.nx, self.ny = nn.LayerNorm(e), nn.LayerNorm(kv)
        self.ff = nn.Sequential(nn.LayerNorm(e), nn.Linear(e, f), nn.GELU(), nn.Linear(f, e))

    def forward(self, x, y):
        seq_input(x, self.e, "first input")
        seq_input(y, self.kv, "second input")
        m = self.ny(y)
        x = x + self.m(self.nx(x), m, m, need_weights=R.EAGER)[0]
        return x + self.ff(x)


class PerceiverResampler(nn.Module):
    """Flamingo's resampler (Alayrac et al. 2022; lucidrains/flamingo-pytorch), without time embeddings; heads of embedDim/numHeads."""

    def __init__(self, p):
        super().__init__()
        e, self.h, n = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"), numLatents=need(p, "numLatents"))
        depth, f = pos(depth=opt(p, "depth", 1), ffDim=opt(p, "ffDim", 4 * e))
        self.e = e
        divides(e, self.h)
        self.latents, self.norm = nn.Parameter(torch.randn(n, e)), nn.LayerNorm(e)
        self.layers = nn.ModuleList(nn.ModuleDict(dict(
            media=nn.LayerNorm(e), own=nn.LayerNorm(e), q=nn.Linear(e, e, bias=False), kv=nn.Linear(e, 2 * e, bias=False),
            out=nn.Linear(e, e, bias=False),
            ff=nn.Sequential(nn.LayerNorm(e), nn.Linear(e, f, bias=False), nn.GELU(), nn.Linear(f, e, bias=False)))) for _ in range(depth))

    def forward(self, x):
        seq_input(x, self.e)
        y = self.latents.expand(x.shape[0], -1, -1)
        for m in self.layers:
            own = m["own"](y)
            k, v = m["kv"](torch.cat((m["media"](x), own), 1)).chunk(2, -1)
            y = y + m["out"](join_heads(attend(split_heads(m["q"](own), self.h), split_heads(k, self.h), split_heads(v, self.h))))
            y = y + m["ff"](y)
        return self.norm(y)


class ResNetBlock(nn.Module):
    """torchvision's Bottleneck or BasicBlock, with the 1x1 downsample branch that ResNet._make_layer gives it."""

    def __init__(self, p, bottleneck):
        super().__init__()
        i, c, s = need(p, "inChannels"), need(p, "channels"), opt(p, "stride", 1)
        x = opt(p, "expansion", 4) if bottleneck else 1
        down = None
        if s != 1 or i != c * x:
            down = nn.Sequential(resnet.conv1x1(i, c * x, s), nn.BatchNorm2d(c * x))
        if bottleneck:
            cls = type("Bottleneck", (resnet.Bottleneck,), dict(expansion=x))
            self.m = cls(i, c, s, down, groups=opt(p, "groups", 1), dilation=opt(p, "dilation", 1))
        else:
            self.m = resnet.BasicBlock(i, c, s, down)

    def forward(self, x):
        return self.m(x)


class InvResidual(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.m = mobilenetv2.InvertedResidual(need(p, "inChannels"), need(p, "outChannels"), opt(p, "stride", 1), opt(p, "expandRatio", 6))

    def forward(self, x):
        return self.m(x)


class DenseLayer(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.m = densenet._DenseLayer(need(p, "inChannels"), need(p, "growthRate"), opt(p, "bnSize", 4), 0.0)

    def forward(self, x):
        return torch.cat((x, self.m(x)), 1)


class MBConvBlock(nn.Module):
    """torchvision's MBConv (expanded channels rounded to a multiple of 8 by its _make_divisible); seRatio 0 leaves the gate out."""

    def __init__(self, p):
        super().__init__()
        i, r, x = need(p, "inChannels"), p.get("seRatio", 0.25) or 0, opt(p, "expandRatio", 4)
        if r < 0 or x <= 0:
            raise ValueError("seRatio must not be negative and expandRatio must be positive")

        def gate(c, _, activation):
            return SqueezeExcitation(c, max(1, int(i * r)), activation=activation) if r else nn.Identity()
        cnf = efficientnet._MBConvConfig(x, opt(p, "kernelSize", 3), opt(p, "stride", 1), i, need(p, "outChannels"), 1, efficientnet.MBConv)
        self.m = efficientnet.MBConv(cnf, 0.0, nn.BatchNorm2d, se_layer=gate)

    def forward(self, x):
        return self.m(x)


TYPES = {
    "qkNorm": QKNorm, "embeddingBag": EmbeddingBag, "segmentEmbedding": SegmentEmbedding, "rope": Rope, "alibi": Alibi,
    "relativePositionBias": RelativePositionBias, "timeEmbedding": TimeEmbedding,
    "causalAttention": lambda p: MaskedMHA(p, local=False), "localAttention": lambda p: MaskedMHA(p, local=True),
    "windowAttention": WindowAttention, "linearAttention": LinearAttention, "mla": MLA, "coAttention": CoAttention,
    "transformerDecoderBlock": DecoderBlock, "sharedExpertMoE": SharedExpertMoE, "mamba": Mamba, "mamba2": Mamba2,
    "conformerBlock": ConformerBlock, "convNeXtBlock": ConvNeXtBlock, "invResidualBlock": InvResidual, "ditBlock": DiTBlock,
    "tubeletEmbed": TubeletEmbed, "fpn": FPN, "crossAttentionBlock": CrossAttentionBlock, "perceiverResampler": PerceiverResampler,
    "classToken": ClassToken, "registerTokens": RegisterTokens, "ropeAttention": RopeAttention,
    "bottleneckBlock": lambda p: ResNetBlock(p, True), "basicBlock": lambda p: ResNetBlock(p, False), "denseLayer": DenseLayer,
    "mbConvBlock": MBConvBlock, "retention": Retention, "rwkvTimeMix": RwkvTimeMix, "s4dLayer": S4D,
}

ARITY = {"segmentEmbedding": (1, 2), "transformerDecoderBlock": (1, 2), "coAttention": (2, 2), "ditBlock": (2, 2),
         "crossAttentionBlock": (2, 2), "fpn": (1, None)}


# ---- random cases: a legal one, then in about a third of them one thing broken

def some(r, p, prob, **kv):
    """Sets each of the params with the given probability; otherwise its default is left to the module."""
    for k, v in kv.items():
        if r.random() < prob:
            p[k] = v


def heads(r, even=False):
    h = r.choice([1, 2, 2, 3, 4])
    return h * r.choice([2, 4, 6, 8] if even else [1, 2, 3, 4, 5, 8]), h


def S(r):
    return r.randint(1, 12)


def img(r, c, lo=1, hi=16):
    return [c, r.randint(lo, hi), r.randint(lo, hi)]


# breakers: (r, params, inputs, dtypes), in place
def without(*names):
    return [lambda r, p, xs, dt, n=n: p.pop(n, None) for n in names]


def bad(**values):
    def one(n, vs):
        def f(r, p, xs, dt):
            p[n] = r.choice(vs)
        return f
    return [one(n, vs) for n, vs in values.items()]


def feat(i=0):
    def f(r, p, xs, dt):
        if i < len(xs) and xs[i]:
            xs[i][-1] += r.randint(1, 3)
    return f


def chan(i=0):
    def f(r, p, xs, dt):
        if i < len(xs) and xs[i]:
            xs[i][0] = max(1, xs[i][0] + r.choice([-1, 1, 2])) if xs[i][0] > 1 else 2
    return f


def rank(i=0):
    def f(r, p, xs, dt):
        if i < len(xs):
            xs[i] = xs[i][1:] if xs[i] and r.random() < 0.6 else [r.randint(1, 3)] + xs[i]
    return f


def extra(r, p, xs, dt):
    xs.append(list(xs[0]))
    dt.append(dt[0])


def lose(r, p, xs, dt):
    if len(xs) > 1:
        xs.pop()
        dt.pop()


def ints(r, p, xs, dt):
    i = r.randrange(len(xs))
    dt[i] = "float" if dt[i] == "int64" else "int64"


def uneven(whole, part):
    """A head count (or size) that does not divide."""
    def f(r, p, xs, dt):
        n = p.get(whole) or xs[0][-1]
        p[part] = r.choice([d for d in range(2, n + 2) if n % d])
    return f


BREAK = 0.33


def case(legal, breakers):
    def f(r):
        p, xs, *dt = legal(r)
        dt = list(dt[0]) if dt else ["float"] * len(xs)
        xs = [list(x) for x in xs]
        if r.random() < BREAK:
            r.choice(breakers)(r, p, xs, dt)
        return p, xs, dt
    return f


def qk_norm(r):
    d = r.randint(1, 12)
    p = dict(headDim=d)
    some(r, p, 0.5, kind=r.choice(["rms", "layer"]))
    some(r, p, 0.4, elementwiseAffine=r.random() < 0.4)
    return p, [[r.randint(1, 6) for _ in range(r.randint(0, 3))] + [d * r.randint(1, 4)]]


def embedding_bag(r):
    p = dict(numEmbeddings=r.randint(1, 200), embeddingDim=r.randint(1, 32))
    some(r, p, 0.6, mode=r.choice(["sum", "mean", "max"]))
    return p, [[S(r)]], ["int64"]


def segment_embedding(r):
    e, s = r.randint(1, 32), S(r)
    p = dict(embedDim=e)
    some(r, p, 0.5, numSegments=r.randint(1, 5))
    return (p, [[s, e]], ["float"]) if r.random() < 0.35 else (p, [[s, e], [s]], ["float", "int64"])


def rope(r):
    d = 2 * r.randint(1, 8)
    p = dict(headDim=d)
    some(r, p, 0.4, base=r.choice([10000.0, 500000.0, 1000000, 100.0]))
    return p, [[S(r), d * r.randint(1, 4)] if r.random() < 0.6 else [r.randint(1, 4), S(r), d]]


def scores(r):
    h = r.randint(1, 8)
    return h, [[h, S(r), S(r)]]


def alibi(r):
    h, xs = scores(r)
    return dict(numHeads=h), xs


def rel_bias(r):
    h, xs = scores(r)
    p = dict(numHeads=h)
    some(r, p, 0.5, numBuckets=r.choice([4, 5, 8, 16, 32, 64]), maxDistance=r.choice([32, 64, 128, 256]))
    some(r, p, 0.4, bidirectional=r.random() < 0.4)
    return p, xs


def time_embedding(r):
    p = dict(embedDim=r.randint(1, 32))
    some(r, p, 0.6, freqDim=r.choice([2, 3, 8, 16, 33, 64, 128]))
    return p, [r.choice([[], [1]])], [r.choice(["float", "float", "int64"])]


def class_token(r):
    e = r.randint(1, 32)
    return dict(embedDim=e), [[S(r), e]]


def register_tokens(r):
    e = r.randint(1, 32)
    return dict(embedDim=e, numTokens=r.randint(1, 8)), [[S(r), e]]


def causal_attention(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.4, bias=r.random() < 0.4)
    return p, [[S(r), e]]


def local_attention(r):
    p, xs = causal_attention(r)
    p["windowSize"] = r.randint(1, 8)
    some(r, p, 0.4, causal=r.random() < 0.6)
    return p, xs


def window_attention(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h, windowSize=r.choice([r.randint(1, 5), [r.randint(1, 5), r.randint(1, 5)]]))
    some(r, p, 0.5, shiftSize=r.choice([0, 1, 2, [0, 1], [1, 2], [1, 1]]))
    some(r, p, 0.3, qkvBias=r.random() < 0.4)
    return p, [[r.randint(1, 10), r.randint(1, 10), e]]


def mla(r):
    e, h = r.randint(2, 32), r.randint(1, 4)
    p = dict(embedDim=e, numHeads=h, kvLoraRank=r.randint(1, 16), qkNopeHeadDim=r.randint(1, 8), qkRopeHeadDim=2 * r.randint(1, 4),
             vHeadDim=r.randint(1, 8))
    some(r, p, 0.6, qLoraRank=r.choice([None, r.randint(1, 16), r.randint(1, 16)]))
    some(r, p, 0.4, bias=r.random() < 0.6)
    return p, [[S(r), e]]


def two_streams(r, both):
    """both: the second stream too must split into the heads."""
    e, h = heads(r)
    kv = h * r.randint(1, 8) if both else r.randint(1, 32)
    p = dict(embedDim=e, numHeads=h)
    if r.random() < 0.5:
        p["kvDim"] = kv
    return p, [[S(r), e], [S(r), p.get("kvDim", e)]]


def co_attention(r):
    p, xs = two_streams(r, True)
    some(r, p, 0.5, index=r.randint(0, 1))
    return p, xs


def cross_block(r):
    p, xs = two_streams(r, False)
    some(r, p, 0.5, ffDim=r.randint(1, 64))
    return p, xs


def decoder_block(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.5, ffDim=r.randint(1, 64), activation=r.choice(["relu", "gelu"]))
    some(r, p, 0.3, normFirst=r.random() < 0.3, bias=r.random() < 0.3)
    return p, [[S(r), e]] + ([[S(r), e]] if r.random() < 0.6 else [])


def shared_moe(r):
    e, n = r.randint(1, 32), r.randint(1, 6)
    p = dict(embedDim=e, numExperts=n, topK=r.randint(1, n), expertDim=r.randint(1, 32))
    some(r, p, 0.5, sharedExpertDim=r.randint(1, 48), sharedGate=r.random() < 0.4)
    return p, [[S(r), e]]


def mamba(r):
    e = r.randint(1, 32)
    p = dict(embedDim=e)
    some(r, p, 0.5, stateDim=r.randint(1, 16), convKernel=r.randint(1, 6), expand=r.randint(1, 3), dtRank=r.choice([None, r.randint(1, 6)]))
    some(r, p, 0.3, bias=r.random() < 0.6, convBias=r.random() < 0.4)
    return p, [[S(r), e]]


def mamba2(r):
    p = {}
    if r.random() < 0.3:
        e = p["embedDim"] = 32  # 2 * 32: one head of the default size
    else:
        g, d, x = r.choice([1, 1, 2]), r.choice([2, 4, 8]), r.choice([1, 2])
        e = g * r.randint(1, 3) * d // x
        h = x * e // d
        p = dict(embedDim=e, headDim=d)
        if x == 1 or r.random() < 0.5:
            p["expand"] = x
        if g > 1 and h % g == 0:
            p["numGroups"] = g
    some(r, p, 0.6, stateDim=r.randint(1, 32))
    some(r, p, 0.3, convKernel=r.randint(1, 6), bias=r.random() < 0.6, convBias=r.random() < 0.4)
    return p, [[r.randint(1, 8), e]]


def conformer(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.6, ffDim=r.randint(1, 64), kernelSize=r.choice([1, 3, 5, 7, 15]))
    some(r, p, 0.4, convolutionFirst=r.random() < 0.6, useGroupNorm=r.random() < 0.6)
    return p, [[S(r), e]]


def convnext(r):
    c = r.randint(1, 16)
    p = dict(channels=c)
    some(r, p, 0.5, kernelSize=r.choice([1, 3, 5, 7]), expansion=r.randint(1, 4))
    some(r, p, 0.4, layerScale=r.random() < 0.4)
    return p, [img(r, c, 2)]


def even_kernel(r, p, xs, dt):
    p["kernelSize"] = r.choice([2, 4, 6])


def inv_residual(r):
    c = r.randint(1, 16)
    p = dict(inChannels=c, outChannels=r.choice([c, r.randint(1, 16)]))
    some(r, p, 0.6, stride=r.choice([1, 2]), expandRatio=r.choice([1, 2, 3, 4, 6, 1.5]))
    return p, [img(r, c)]


def dit(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.5, mlpRatio=r.choice([1, 2.0, 2.5, 4, 4.0]))
    return p, [[S(r), e], [e]]


def tubelet(r):
    c, k, t_ = r.choice([1, 2, 3, 3, 4]), r.choice([1, 2, 3, 4, [2, 3], [4, 2]]), r.randint(1, 3)
    p = dict(embedDim=r.randint(1, 24), patchSize=k)
    if c != 3 or r.random() < 0.4:
        p["inChannels"] = c
    some(r, p, 0.6, tubeletSize=t_)
    some(r, p, 0.3, bias=r.random() < 0.4)
    if r.random() < 0.2:
        p.pop("patchSize")
        k = 16
    lo = k if isinstance(k, int) else max(k)
    return p, [[c, r.randint(p.get("tubeletSize", 2), 6), r.randint(lo, lo + 6), r.randint(lo, lo + 6)]]


def large_patch(r, p, xs, dt):
    if r.random() < 0.5:
        p["tubeletSize"] = xs[0][1] + r.randint(1, 3)
    else:
        p["patchSize"] = min(xs[0][2:]) + r.randint(1, 3)


def fpn(r):
    n = r.randint(1, 4)
    cs, h, w = [r.randint(1, 12) for _ in range(n)], r.randint(4, 16), r.randint(4, 16)
    p = dict(inChannels=cs, outChannels=r.randint(1, 12))
    some(r, p, 0.6, index=r.randrange(n))
    return p, [[c, max(1, h >> i), max(1, w >> i)] for i, c in enumerate(cs)]


def resampler(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h, numLatents=r.randint(1, 8))
    some(r, p, 0.5, depth=r.randint(1, 3), ffDim=r.randint(1, 64))
    return p, [[S(r), e]]


def rope_attention(r):
    kv = r.choice([1, 2])
    h, d = kv * r.randint(1, 3), 2 * r.randint(1, 4)
    e = h * d
    p = dict(embedDim=e, numHeads=h)
    if r.random() < 0.6:
        p["numKVHeads"] = kv
    if r.random() < 0.3:
        p["headDim"] = 2 * r.randint(1, 6)
        if r.random() < 0.5:
            e = p["embedDim"] = r.randint(1, 32)
    some(r, p, 0.3, base=r.choice([10000.0, 500000.0, 1000000]), bias=r.random() < 0.7, outBias=r.random() < 0.5, qkNorm=r.random() < 0.7,
         causal=r.random() < 0.4, windowSize=r.choice([None, r.randint(1, 8), r.randint(1, 8)]))
    return p, [[S(r), e]]


def odd_head(r, p, xs, dt):
    h = p["numHeads"]
    if r.random() < 0.5:
        p["headDim"] = r.choice([1, 3, 5, 7])
    else:
        p.pop("headDim", None)
        p["embedDim"] = xs[0][-1] = h * r.choice([1, 3, 5])


def bottleneck(r):
    c = r.randint(1, 6)
    p = dict(channels=c)
    some(r, p, 0.5, stride=r.choice([1, 2, 3]), expansion=r.choice([1, 2, 4]), dilation=r.choice([1, 2, 3]))
    some(r, p, 0.3, groups=r.randint(1, 3))
    p["inChannels"] = r.choice([c * p.get("expansion", 4), r.randint(1, 16)])
    return p, [img(r, p["inChannels"])]


def basic(r):
    c = r.randint(1, 12)
    p = dict(inChannels=r.choice([c, r.randint(1, 16)]), channels=c)
    some(r, p, 0.5, stride=r.choice([1, 2, 3]))
    return p, [img(r, p["inChannels"])]


def dense(r):
    p = dict(inChannels=r.randint(1, 16), growthRate=r.randint(1, 12))
    some(r, p, 0.5, bnSize=r.randint(1, 4))
    return p, [img(r, p["inChannels"])]


def mbconv(r):
    c = r.choice([8, 16, r.randint(1, 20)])
    p = dict(inChannels=c, outChannels=r.choice([c, r.randint(1, 20)]))
    some(r, p, 0.5, kernelSize=r.choice([1, 3, 5]), stride=r.choice([1, 2]), expandRatio=r.choice([1, 2, 4, 6, 1.5]), seRatio=r.choice([0, 0.1, 0.25, 0.5]))
    return p, [img(r, c)]


def retention(r):
    e, h = heads(r, even=True)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.5, valueFactor=r.randint(1, 3))
    return p, [[S(r), e]]


def odd_key(r, p, xs, dt):
    p["embedDim"] = xs[0][-1] = p["numHeads"] * r.choice([1, 3, 5, 7])


def only_embed(r):
    e = r.randint(1, 32)
    return dict(embedDim=e), [[S(r), e]]


def s4d(r):
    p, xs = only_embed(r)
    some(r, p, 0.6, stateDim=r.randint(2, 32))
    return p, xs


ONE = [feat(), rank(), extra, ints]          # a single sequence input
TWO = [feat(0), feat(1), rank(0), rank(1), lose, extra, ints]
MAP = [chan(), rank(), extra, ints]          # a single image input
NONE = [0, -1, -4]
HEADS = [uneven("embedDim", "numHeads"), *bad(numHeads=NONE), *without("embedDim", "numHeads")]

CASES = {
    "qkNorm": case(qk_norm, ONE + [uneven("features", "headDim"), *without("headDim"), *bad(headDim=NONE, kind=["batch", "group", "RMS"])]),
    "embeddingBag": case(embedding_bag, [rank(), rank(), extra, ints, *without("numEmbeddings", "embeddingDim"),
                                         *bad(embeddingDim=[-1, -8], numEmbeddings=[-1, -5], mode=["avg", "min", "MEAN"])]),
    "segmentEmbedding": case(segment_embedding, [feat(0), feat(1), rank(0), rank(1), ints, extra, *without("embedDim"), *bad(numSegments=NONE, embedDim=NONE)]),
    "rope": case(rope, ONE + [uneven("features", "headDim"), *without("headDim"), *bad(headDim=[0, -2, 1, 3], base=[0, -10.0])]),
    "alibi": case(alibi, [chan(), chan(), rank(), rank(), extra, *without("numHeads"), *bad(numHeads=NONE), ints]),
    "relativePositionBias": case(rel_bias, [chan(), chan(), rank(), extra, *without("numHeads"), *bad(numHeads=NONE, numBuckets=[0, 1, -8], maxDistance=[0, 1, -128]), ints]),
    "timeEmbedding": case(time_embedding, [lambda r, p, xs, dt: xs.__setitem__(0, r.choice([[2], [3], [1, 1], [4, 1], [8]])), extra, *without("embedDim"),
                                           *bad(embedDim=NONE, freqDim=[0, 1, -2])]),
    "causalAttention": case(causal_attention, ONE + HEADS),
    "localAttention": case(local_attention, ONE + HEADS + [*without("windowSize"), *bad(windowSize=NONE)]),
    "windowAttention": case(window_attention, ONE + HEADS + [*without("windowSize"), *bad(windowSize=[0, -1, [2], [2, 2, 2], [3, 0]], shiftSize=[[1], [1, 1, 1]])]),
    "linearAttention": case(causal_attention, ONE + HEADS),
    "mla": case(mla, ONE + [*without("embedDim", "numHeads", "kvLoraRank", "qkNopeHeadDim", "qkRopeHeadDim", "vHeadDim"),
                            *bad(numHeads=NONE, kvLoraRank=NONE, qkRopeHeadDim=[1, 3, 5, 0, -2], vHeadDim=NONE, qLoraRank=NONE), *bad(qkRopeHeadDim=[1, 3, 5])]),
    "coAttention": case(co_attention, TWO + HEADS + bad(index=[2, -1, 5], kvDim=[7, 11, -4])),
    "transformerDecoderBlock": case(decoder_block, TWO + HEADS + bad(activation=["silu", "swish", "mish"], ffDim=[-1, -16])),
    "sharedExpertMoE": case(shared_moe, [feat(), feat(), extra, ints, *without("embedDim", "numExperts", "topK", "expertDim"),
                                         *bad(topK=[0, -1, 7, 9], numExperts=NONE, expertDim=NONE, sharedExpertDim=NONE)]),
    "mamba": case(mamba, ONE + [*without("embedDim"), *bad(stateDim=NONE, convKernel=NONE, expand=NONE, dtRank=NONE)]),
    "mamba2": case(mamba2, ONE + [uneven("embedDim", "headDim"), *without("embedDim"), *bad(headDim=[0, -4, 7, 48], stateDim=NONE, numGroups=[0, -1, 5, 7], convKernel=NONE)]),
    "conformerBlock": case(conformer, ONE + HEADS + bad(kernelSize=[2, 4, 30, 0, -1], ffDim=[-1, -8])),
    "convNeXtBlock": case(convnext, MAP + [even_kernel, even_kernel, *without("channels"), *bad(channels=NONE, expansion=NONE, kernelSize=NONE)]),
    "invResidualBlock": case(inv_residual, MAP + [*without("inChannels", "outChannels"), *bad(stride=[0, 3, -1], expandRatio=[0, -1], outChannels=[-1, -8])]),
    "ditBlock": case(dit, TWO + HEADS + bad(mlpRatio=[0, -1.0])),
    "tubeletEmbed": case(tubelet, MAP + [large_patch, large_patch, *without("embedDim"), *bad(embedDim=[-1, -8], patchSize=[0, -2, [2], [2, 2, 2]], tubeletSize=[0, -1])]),
    "fpn": case(fpn, [chan(0), chan(1), rank(0), rank(1), extra, lose, ints, *without("inChannels", "outChannels"), *bad(index=[4, -1, 7], outChannels=[-1, -8])]),
    "crossAttentionBlock": case(cross_block, TWO + HEADS + bad(ffDim=NONE, kvDim=[33, 40, -4])),
    "perceiverResampler": case(resampler, ONE + HEADS + [*without("numLatents"), *bad(numLatents=NONE, depth=NONE, ffDim=NONE)]),
    "classToken": case(class_token, [feat(), feat(), rank(), rank(), extra, *without("embedDim"), *bad(embedDim=NONE), ints]),
    "registerTokens": case(register_tokens, [feat(), feat(), rank(), rank(), extra, *without("embedDim", "numTokens"), *bad(embedDim=NONE, numTokens=NONE), ints]),
    "ropeAttention": case(rope_attention, ONE + HEADS + [odd_head, odd_head, *bad(numKVHeads=[5, 7, 0, -1], windowSize=NONE, base=[0, -1.0], headDim=[0, -2])]),
    "bottleneckBlock": case(bottleneck, MAP + [*without("inChannels", "channels"), *bad(stride=[0, -1], groups=NONE, dilation=[0, -1], channels=[-1, -4])]),
    "basicBlock": case(basic, MAP + [*without("inChannels", "channels"), *bad(stride=[0, -1], channels=[-1, -4])]),
    "denseLayer": case(dense, MAP + [*without("inChannels", "growthRate"), *bad(growthRate=[-1, -12], bnSize=[-1, -4])]),
    "mbConvBlock": case(mbconv, MAP + [even_kernel, *without("inChannels", "outChannels"), *bad(stride=[0, 3, -1], expandRatio=[0, -1], seRatio=[-0.25], outChannels=[-1, -8], kernelSize=[0, -1])]),
    "retention": case(retention, ONE + HEADS + [odd_key, odd_key, *bad(valueFactor=NONE)]),
    "rwkvTimeMix": case(only_embed, ONE + [*without("embedDim"), *bad(embedDim=NONE)]),
    "s4dLayer": case(s4d, ONE + [*without("embedDim"), *bad(embedDim=NONE, stateDim=NONE)]),
}


FILL = {}  # zeros are good indices for every table above
