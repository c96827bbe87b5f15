"""Meaning of layers that are no modules of torch.nn: styles, series, reinforcement learning, linear recurrences, codebooks, points.

Same conventions as more_blocks.py. Each module follows the code or the paper that it names; sizes below 1 are refused (`pos`).
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from more_blocks import HEADS, NONE, ONE, bad, case, chan, divides, extra, feat, heads, image_input, img, ints, lose, only_embed, opt, pos, rank, S, seq_input, some, without
from reference import need


def floats(*xs):
    for x in xs:
        if not x.is_floating_point():
            raise TypeError("takes numbers with a fraction")


def last_axis(x, n):
    if x.dim() < 2 or x.shape[-1] != n:
        raise ValueError(f"takes [batch, ..., {n}], got {list(x.shape)}")


# ---- normalisation and conditioning

class PixelNorm(nn.Module):
    """rosinality/stylegan2-pytorch model.py PixelNorm; Karras et al. 2018, section 4.2."""

    def __init__(self, p):
        super().__init__()
        self.eps = opt(p, "eps", 1e-8)

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("pixelNorm needs a channel axis")
        return x * torch.rsqrt(torch.mean(x**2, dim=1, keepdim=True) + self.eps)


class AdaIN(nn.Module):
    """Huang and Belongie 2017, eq. 8 (naoto0804/pytorch-AdaIN function.py) where the style is an image; with styleDim that of StyleGAN:
    an instance norm whose scale and shift are a linear map of a style vector (rosinality/style-based-gan-pytorch AdaptiveInstanceNorm)."""

    def __init__(self, p):
        super().__init__()
        self.eps, self.d = opt(p, "eps", 1e-5), p.get("styleDim")
        if self.d is not None:
            self.c = pos(numFeatures=need(p, "numFeatures"), styleDim=self.d)[0]
            self.norm, self.style = nn.InstanceNorm2d(self.c, eps=self.eps), nn.Linear(self.d, 2 * self.c)
        elif p.get("numFeatures") is not None:
            self.c = pos(numFeatures=p["numFeatures"])
        else:
            self.c = None

    def stats(self, x):
        flat = x.flatten(2)
        return flat.mean(2)[:, :, None, None], (flat.var(2) + self.eps).sqrt()[:, :, None, None]

    def forward(self, x, y):
        image_input(x)
        if self.c is not None and x.shape[1] != self.c:
            raise ValueError(f"{x.shape[1]} channels, expected {self.c}")
        if self.d is not None:
            if y.dim() != 2:
                raise ValueError("the style is one vector")
            gamma, beta = self.style(y)[:, :, None, None].chunk(2, 1)
            return gamma * self.norm(x) + beta
        image_input(y)
        if x.shape[1] != y.shape[1]:
            raise ValueError("content and style have different channels")
        (m, s), (ym, ys) = self.stats(x), self.stats(y)
        return (x - m) / s * ys + ym


class FiLM(nn.Module):
    """ethanjperez/film film_gen and FiLM of Perez et al. 2018: factors and summands of the channels, one linear map of the condition."""

    def __init__(self, p):
        super().__init__()
        self.c, d = pos(numFeatures=need(p, "numFeatures"), condDim=need(p, "condDim"))
        self.generator = nn.Linear(d, 2 * self.c)

    def forward(self, x, y):
        floats(x, y)
        if x.dim() < 2 or x.shape[1] != self.c or y.dim() != 2:
            raise ValueError("film takes [batch, channels, ...] and [batch, condition]")
        gamma, beta = self.generator(y).reshape(y.shape[0], 2 * self.c, *[1] * (x.dim() - 2)).chunk(2, 1)
        return gamma * x + beta


class DyT(nn.Module):
    """jiachenzhu/DyT dynamic_tanh.py DynamicTanh."""

    def __init__(self, p):
        super().__init__()
        self.d, self.last = pos(dim=need(p, "dim")), opt(p, "channelsLast", True)
        self.alpha = nn.Parameter(torch.ones(1) * opt(p, "alphaInit", 0.5))
        self.weight, self.bias = nn.Parameter(torch.ones(self.d)), nn.Parameter(torch.zeros(self.d))

    def forward(self, x):
        x = torch.tanh(self.alpha * x)
        if self.last:
            last_axis(x, self.d)
            return x * self.weight + self.bias
        image_input(x)
        if x.shape[1] != self.d:
            raise ValueError("other channels than dim")
        return x * self.weight[:, None, None] + self.bias[:, None, None]


class RevIN(nn.Module):
    """ts-kim/RevIN RevIN.py, mode "norm"; Kim et al. 2022. Mean and deviation have no gradient."""

    def __init__(self, p):
        super().__init__()
        self.d, self.eps, self.affine = pos(numFeatures=need(p, "numFeatures")), opt(p, "eps", 1e-5), opt(p, "affine", True)
        if self.affine:
            self.affine_weight, self.affine_bias = nn.Parameter(torch.ones(self.d)), nn.Parameter(torch.zeros(self.d))

    def forward(self, x):
        seq_input(x, self.d)
        y = x.detach()  # the reference detaches both results: nothing of them is kept either way
        mean, stdev = torch.mean(y, dim=1, keepdim=True), torch.sqrt(torch.var(y, dim=1, keepdim=True, unbiased=False) + self.eps)
        x = (x - mean) / stdev
        return x * self.affine_weight + self.affine_bias if self.affine else x


class GumbelSoftmax(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.tau, self.hard, self.dim = opt(p, "tau", 1.0), opt(p, "hard", False), opt(p, "dim", -1)

    def forward(self, x):
        return F.gumbel_softmax(x, tau=self.tau, hard=self.hard, dim=self.dim)


# ---- reinforcement learning

class Head(nn.Module):
    """A linear layer on what a network gives. dueling: Wang et al. 2016, eq. 9, a value and the advantages less their mean."""

    def __init__(self, p, size, default=None):
        super().__init__()
        self.i = p.get("inFeatures")
        self.n = pos(**{size: opt(p, size, default) if default else need(p, size)})
        self.dueling, self.m = size == "numActions" and opt(p, "dueling", False), None

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("needs a feature axis")
        if self.m is None:
            i = pos(inFeatures=self.i if self.i is not None else x.shape[-1])
            self.m = nn.Linear(i, self.n)
            if self.dueling:
                self.value = nn.Linear(i, 1)
        y = self.m(x)
        return self.value(x) + (y - y.mean(-1, keepdim=True)) if self.dueling else y


class Network(nn.Module):
    """vwxyzjn/cleanrl ppo.py Agent: two hidden layers and a head."""

    def __init__(self, p, size, default=None):
        super().__init__()
        self.i, self.h = p.get("inFeatures"), pos(hiddenSize=opt(p, "hiddenSize", 256))
        self.n = pos(**{size: opt(p, size, default) if default else need(p, size)})
        self.act, self.m = {"tanh": nn.Tanh, "relu": nn.ReLU}[opt(p, "activation", "tanh")], None

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("needs a feature axis")
        if self.m is None:
            i = pos(inFeatures=self.i if self.i is not None else x.shape[-1])
            self.m = nn.Sequential(nn.Linear(i, self.h), self.act(), nn.Linear(self.h, self.h), self.act(), nn.Linear(self.h, self.n))
        return self.m(x)


# ---- series, positions, samples

class SeriesDecomp(nn.Module):
    """thuml/Time-Series-Library layers/Autoformer_EncDec.py series_decomp; index 0 is what is left, 1 the moving mean."""

    def __init__(self, p):
        super().__init__()
        self.k, self.index = pos(kernelSize=need(p, "kernelSize")), opt(p, "index", 0)
        if self.index not in (0, 1) or isinstance(self.index, (bool, float)):
            raise IndexError(f"index {self.index!r} of 2 results")
        self.avg = nn.AvgPool1d(self.k, stride=1, padding=0)

    def forward(self, x):
        if x.dim() != 3:
            raise ValueError("takes [batch, seq, features]")
        n = (self.k - 1) // 2
        y = torch.cat([x[:, 0:1, :].repeat(1, n, 1), x, x[:, -1:, :].repeat(1, n, 1)], dim=1)
        y = self.avg(y.permute(0, 2, 1)).permute(0, 2, 1)
        if y.shape[1] != x.shape[1]:
            raise ValueError("an even kernel shortens the series")
        return y if self.index else x - y


class NerfEncoding(nn.Module):
    """Mildenhall et al. 2020, eq. 4; yenchenlin/nerf-pytorch run_nerf_helpers.py Embedder with log_sampling."""

    def __init__(self, p):
        super().__init__()
        self.n, self.own = pos(numFreqs=opt(p, "numFreqs", 10)), opt(p, "includeInput", True)

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("needs an axis of coordinates")
        waves = [fn(x * 2.0**k) for k in range(self.n) for fn in (torch.sin, torch.cos)]
        return torch.cat(([x] if self.own else []) + waves, -1)


class MiniBatchStdDev(nn.Module):
    """Karras et al. 2018, section 3: the deviation of each value over the batch, averaged to one number, as a further channel."""

    def __init__(self, p):
        super().__init__()

    def forward(self, x):
        image_input(x)
        y = torch.sqrt(x.var(0, unbiased=False) + 1e-8).mean()
        return torch.cat([x, y.expand(x.shape[0], 1, *x.shape[2:])], 1)


class Scatter(nn.Module):
    """torch.Tensor.scatter, or scatter_add with reduce "add"."""

    def __init__(self, p):
        super().__init__()
        self.dim, r = opt(p, "dim", 1), p.get("reduce")
        self.fn = {None: torch.scatter, "add": torch.scatter_add}[r]

    def forward(self, x, index, src):
        return self.fn(x, self.dim, index, src)


class VaeBottleneck(nn.Module):
    """pytorch/examples vae/main.py: mean and logarithm of the variance, and a sample; index 1 and 2 are those two."""

    def __init__(self, p):
        super().__init__()
        self.i, self.n, self.index = p.get("inFeatures"), pos(latentDim=need(p, "latentDim")), opt(p, "index", 0)
        if self.index not in (0, 1, 2) or isinstance(self.index, (bool, float)):
            raise IndexError(f"index {self.index!r} of 3 results")
        self.mu = None

    def forward(self, x):
        if x.dim() < 2:
            raise ValueError("needs a feature axis")
        if self.mu is None:
            i = pos(inFeatures=self.i if self.i is not None else x.shape[-1])
            self.mu, self.logvar = nn.Linear(i, self.n), nn.Linear(i, self.n)
        mu, logvar = self.mu(x), self.logvar(x)
        std = torch.exp(0.5 * logvar)
        return (mu + torch.randn_like(std) * std, mu, logvar)[self.index]


class SpatialPyramidPool(nn.Module):
    """He et al. 2014, section 2.2: the largest values of n times n windows for each level, side by side."""

    def __init__(self, p):
        super().__init__()
        levels = opt(p, "levels", [1, 2, 4])
        self.levels = [pos(level=n) for n in (levels if isinstance(levels, list) else [levels])]
        if not self.levels:
            raise ValueError("no level")

    def forward(self, x):
        image_input(x)
        return torch.cat([F.adaptive_max_pool2d(x, n).flatten(1) for n in self.levels], 1)


# ---- attention, written with plain products

def split(x, h):
    """[batch, seq, features] as [batch * heads, seq, features / heads]."""
    return x.unflatten(2, (h, -1)).transpose(1, 2).flatten(0, 1)


def join(y, h):
    return y.unflatten(0, (-1, h)).transpose(1, 2).flatten(2)


def plain(q, k, v):
    return torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5, -1), v)


def divided(e, h):
    pos(embedDim=e, numHeads=h)
    if e % h:
        raise ValueError(f"embedDim {e} is not divisible by numHeads {h}")


class AttentionPool(nn.Module):
    """One trained query that attends to a sequence: Lee et al. 2019, section 3.2 (PMA with one seed); timm AttentionPoolLatent without its mlp."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 8)
        divided(self.e, self.h)
        self.query = nn.Parameter(torch.randn(1, self.e))
        self.q, self.k, self.v, self.proj = (nn.Linear(self.e, self.e) for _ in range(4))

    def forward(self, x):
        seq_input(x, self.e)
        q = self.q(self.query.expand(x.shape[0], 1, self.e))
        y = plain(split(q, self.h), split(self.k(x), self.h), split(self.v(x), self.h))
        return self.proj(join(y, self.h))[:, 0]


class FTBlock(nn.Module):
    """yandex-research/rtdl FTTransformer: a pre-norm layer with MultiheadAttention and a network with ReGLU; Gorishniy et al. 2021."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 8)
        divided(self.e, self.h)
        f = pos(ffDim=opt(p, "ffDim", int(self.e * 4 / 3)))
        self.norm0, self.norm1 = nn.LayerNorm(self.e), nn.LayerNorm(self.e)
        self.q, self.k, self.v = (nn.Linear(self.e, self.e) for _ in range(3))
        self.out = nn.Linear(self.e, self.e) if self.h > 1 else None
        self.first, self.second = nn.Linear(self.e, 2 * f), nn.Linear(f, self.e)

    def forward(self, x):
        seq_input(x, self.e)
        y = self.norm0(x)
        y = join(plain(split(self.q(y), self.h), split(self.k(y), self.h), split(self.v(y), self.h)), self.h)
        x = x + (y if self.out is None else self.out(y))
        a, b = self.first(self.norm1(x)).chunk(2, -1)
        return x + self.second(a * F.relu(b))


class PerceiverLatent(nn.Module):
    """lucidrains/perceiver-pytorch: the latents, one cross-attention and its feed-forward network with GEGLU; Jaegle et al. 2021."""

    def __init__(self, p):
        super().__init__()
        n, self.l, self.i = pos(numLatents=need(p, "numLatents"), latentDim=need(p, "latentDim"), inputDim=need(p, "inputDim"))
        self.h, d = pos(numHeads=opt(p, "numHeads", 1), headDim=opt(p, "headDim", 64))
        inner = self.h * d
        self.latents = nn.Parameter(torch.randn(n, self.l))
        self.norm, self.norm_context, self.norm_ff = nn.LayerNorm(self.l), nn.LayerNorm(self.i), nn.LayerNorm(self.l)
        self.to_q, self.to_kv = nn.Linear(self.l, inner, bias=False), nn.Linear(self.i, 2 * inner, bias=False)
        self.to_out, self.ff_in, self.ff_out = nn.Linear(inner, self.l), nn.Linear(self.l, 8 * self.l), nn.Linear(4 * self.l, self.l)

    def forward(self, x):
        seq_input(x, self.i)
        y = self.latents.expand(x.shape[0], -1, -1)
        k, v = self.to_kv(self.norm_context(x)).chunk(2, -1)
        y = y + self.to_out(join(plain(split(self.to_q(self.norm(y)), self.h), split(k, self.h), split(v, self.h)), self.h))
        a, b = self.ff_in(self.norm_ff(y)).chunk(2, -1)
        return y + self.ff_out(a * F.gelu(b))


class RMS(nn.Module):
    """microsoft/unilm Diff-Transformer rms_norm.py."""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class DiffAttention(nn.Module):
    """microsoft/unilm Diff-Transformer multihead_diffattn.py without rotary positions; Ye et al. 2024."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), need(p, "numHeads")
        pos(embedDim=self.e, numHeads=self.h)
        if self.e % (2 * self.h):
            raise ValueError("embedDim is not divisible by twice numHeads")
        d, self.causal = self.e // (2 * self.h), opt(p, "causal", True)
        self.init = opt(p, "lambdaInit", 0.8)
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(self.e, self.e, bias=False) for _ in range(4))
        self.lambda_q1, self.lambda_k1, self.lambda_q2, self.lambda_k2 = (nn.Parameter(torch.randn(d) * 0.1) for _ in range(4))
        self.subln = RMS(2 * d)

    def forward(self, x):
        seq_input(x, self.e)
        b, s = x.shape[:2]
        q, k, v = split(self.q_proj(x), 2 * self.h), split(self.k_proj(x), 2 * self.h), split(self.v_proj(x), self.h)
        w = torch.bmm(q * q.shape[-1] ** -0.5, k.transpose(1, 2))
        if self.causal:
            w = w + torch.triu(torch.full((s, s), float("-inf"), device=x.device), 1)
        w = torch.softmax(w, -1).view(b * self.h, 2, s, s)
        one = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        two = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        y = torch.bmm(w[:, 0] - (one - two + self.init) * w[:, 1], v)
        y = self.subln(y) * (1 - self.init)
        return self.out_proj(join(y, self.h))


class DividedAttention(nn.Module):
    """facebookresearch/TimeSformer vit.py Block with attention_type divided_space_time, without class token and mlp; Bertasius et al. 2021."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h, bias = need(p, "embedDim"), opt(p, "numHeads", 8), opt(p, "qkvBias", False)
        divided(self.e, self.h)
        for name in ("temporal", "spatial"):
            setattr(self, name + "_norm", nn.LayerNorm(self.e))
            setattr(self, name + "_qkv", nn.Linear(self.e, 3 * self.e, bias=bias))
            setattr(self, name + "_proj", nn.Linear(self.e, self.e))
        self.temporal_fc = nn.Linear(self.e, self.e)

    def attend(self, x, name):
        """x: [groups, positions, features]"""
        q, k, v = getattr(self, name + "_qkv")(x).chunk(3, -1)
        return getattr(self, name + "_proj")(join(plain(split(q, self.h), split(k, self.h), split(v, self.h)), self.h))

    def forward(self, x):
        if x.dim() != 4 or x.shape[3] != self.e:
            raise ValueError("takes [batch, frames, patches, embedDim]")
        b, t, n, e = x.shape
        y = self.temporal_norm(x).transpose(1, 2).reshape(b * n, t, e)
        x = x + self.temporal_fc(self.attend(y, "temporal")).view(b, n, t, e).transpose(1, 2)
        y = self.attend(self.spatial_norm(x).view(b * t, n, e), "spatial")
        return x + y.view(b, t, n, e)


class MixtureOfDepths(nn.Module):
    """Raposo et al. 2024, section 3.4: the positions with the largest weights go through the block, here a feed-forward network with GELU."""

    def __init__(self, p):
        super().__init__()
        self.e = pos(embedDim=need(p, "embedDim"))
        f, self.c = pos(ffDim=opt(p, "ffDim", 4 * self.e)), opt(p, "capacity", 0.125)
        if isinstance(self.c, (bool, str, list)) or not 0 < self.c <= 1:
            raise ValueError("capacity is a share of the positions")
        self.router, self.up, self.down = nn.Linear(self.e, 1, bias=False), nn.Linear(self.e, f), nn.Linear(f, self.e)

    def forward(self, x):
        seq_input(x, self.e)
        weights, places = torch.topk(self.router(x).squeeze(-1), max(1, int(self.c * x.shape[1])), dim=1)
        places = places[:, :, None].expand(-1, -1, self.e)
        y = self.down(F.gelu(self.up(x.gather(1, places))))
        return x.scatter_add(1, places, y * weights[:, :, None])


class MultiTokenPrediction(nn.Module):
    """FasterDecoding/Medusa medusa_model.py: heads of residual blocks, each with logits for one of the tokens ahead; Cai et al. 2024."""

    def __init__(self, p):
        super().__init__()
        self.e, v, n, layers = pos(embedDim=need(p, "embedDim"), vocabSize=need(p, "vocabSize"), numTokens=opt(p, "numTokens", 4),
                                   numLayers=opt(p, "numLayers", 1))
        self.blocks = nn.ModuleList(nn.ModuleList(nn.Linear(self.e, self.e) for _ in range(layers)) for _ in range(n))
        self.heads = nn.ModuleList(nn.Linear(self.e, v, bias=False) for _ in range(n))

    def forward(self, x):
        seq_input(x, self.e)
        ys = []
        for blocks, head in zip(self.blocks, self.heads):
            y = x
            for linear in blocks:
                y = y + F.silu(linear(y))
            ys.append(head(y))
        return torch.stack(ys, 1)


# ---- codebooks, splines, points

class VectorQuantizer(nn.Module):
    """van den Oord et al. 2017, section 3.2; with several codebooks Zeghidour et al. 2021, algorithm 1 (residual). The gradient is passed straight through."""

    def __init__(self, p, several):
        super().__init__()
        self.k, self.d = pos(numEmbeddings=need(p, "numEmbeddings"), embeddingDim=need(p, "embeddingDim"))
        n = pos(numQuantizers=need(p, "numQuantizers")) if several else 1
        self.codebooks = nn.ParameterList(nn.Parameter(torch.randn(self.k, self.d)) for _ in range(n))

    def forward(self, x):
        floats(x)
        last_axis(x, self.d)
        with torch.no_grad():
            rest = x.reshape(-1, self.d)
            for w in self.codebooks:
                far = rest.pow(2).sum(1, keepdim=True) + w.pow(2).sum(1) - 2 * torch.mm(rest, w.t())
                rest = rest - w[far.argmin(1)]
            change = -rest.view(x.shape)
        return x + change


class EdgeConv(nn.Module):
    """torch_geometric.nn.EdgeConv with the network of its tutorial and the largest message; Wang et al. 2019. Edges are [2, edges]."""

    def __init__(self, p):
        super().__init__()
        self.i, self.o = pos(inChannels=need(p, "inChannels"), outChannels=need(p, "outChannels"))
        self.first, self.second = nn.Linear(2 * self.i, self.o), nn.Linear(self.o, self.o)

    def forward(self, x, edges):
        floats(x)
        seq_input(x, self.i)
        if edges.dim() != 3 or edges.shape[1] != 2:
            raise ValueError("edges are [batch, 2, edges]")
        source, target = (edges[:, k, :, None] for k in (0, 1))
        here = x.gather(1, target.expand(-1, -1, self.i))
        there = x.gather(1, source.expand(-1, -1, self.i))
        y = self.second(F.relu(self.first(torch.cat([here, there - here], -1))))
        zeros = y.new_zeros(x.shape[0], x.shape[1], self.o)
        return zeros.scatter_reduce(1, target.expand(-1, -1, self.o), y, "amax", include_self=False)


class KAN(nn.Module):
    """Blealtan/efficient-kan KANLinear; Liu et al. 2024."""

    def __init__(self, p):
        super().__init__()
        self.i, self.o, g, self.k = pos(inFeatures=need(p, "inFeatures"), outFeatures=need(p, "outFeatures"), gridSize=opt(p, "gridSize", 5),
                                        splineOrder=opt(p, "splineOrder", 3))
        self.base_weight = nn.Parameter(torch.randn(self.o, self.i))
        self.spline_weight = nn.Parameter(torch.randn(self.o, self.i, g + self.k))
        self.spline_scaler = nn.Parameter(torch.randn(self.o, self.i))
        self.register_buffer("grid", (torch.arange(-self.k, g + self.k + 1) * (2.0 / g) - 1).expand(self.i, -1).contiguous())

    def bases(self, x):
        g, x = self.grid, x.unsqueeze(-1)
        y = ((x >= g[:, :-1]) & (x < g[:, 1:])).to(x.dtype)
        for k in range(1, self.k + 1):
            left = (x - g[:, : -(k + 1)]) / (g[:, k:-1] - g[:, : -(k + 1)])
            right = (g[:, k + 1 :] - x) / (g[:, k + 1 :] - g[:, 1:-k])
            y = left * y[:, :, :-1] + right * y[:, :, 1:]
        return y.flatten(1)

    def forward(self, x):
        last_axis(x, self.i)
        shape, x = x.shape[:-1], x.reshape(-1, self.i)
        weight = (self.spline_weight * self.spline_scaler.unsqueeze(-1)).flatten(1)
        y = F.linear(F.silu(x), self.base_weight) + F.linear(self.bases(x), weight)
        return y.view(*shape, self.o)


# ---- linear recurrences, step by step

def l2(x):
    return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)


class Short(nn.Module):
    """fla.modules.ShortConvolution: a causal depthwise convolution and SiLU."""

    def __init__(self, d, k):
        super().__init__()
        self.conv = nn.Conv1d(d, d, k, groups=d, padding=k - 1, bias=False)

    def forward(self, x):
        return F.silu(self.conv(x.transpose(1, 2))[..., : x.shape[1]]).transpose(1, 2)


class DeltaNet(nn.Module):
    """fla.layers DeltaNet and GatedDeltaNet over naive.py delta_rule_recurrence and naive_recurrent_gated_delta_rule; Yang et al. 2024, 2025."""

    def __init__(self, p, gated):
        super().__init__()
        self.e, self.h, self.gated = need(p, "embedDim"), opt(p, "numHeads", 6 if gated else 4), gated
        pos(embedDim=self.e, numHeads=self.h)
        if gated:
            dk, x = pos(headDim=opt(p, "headDim", 256), expandV=opt(p, "expandV", 2))
            dv = dk * x
        else:
            divided(self.e, self.h)
            dk = dv = self.e // self.h
        k = pos(convKernel=opt(p, "convKernel", 4))
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(self.e, self.h * d, bias=False) for d in (dk, dk, dv))
        self.q_conv, self.k_conv, self.v_conv = (Short(self.h * d, k) for d in (dk, dk, dv))
        self.b_proj, self.o_norm, self.o_proj = nn.Linear(self.e, self.h, bias=False), RMS(dv), nn.Linear(self.h * dv, self.e, bias=False)
        if gated:
            self.a_proj, self.g_proj = nn.Linear(self.e, self.h, bias=False), nn.Linear(self.e, self.h * dv, bias=False)
            self.A_log, self.dt_bias = nn.Parameter(torch.zeros(self.h)), nn.Parameter(torch.zeros(self.h))

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = (conv(proj(x)).unflatten(2, (self.h, -1)) for conv, proj in
                   ((self.q_conv, self.q_proj), (self.k_conv, self.k_proj), (self.v_conv, self.v_proj)))
        q, k, beta = l2(q) * q.shape[-1] ** -0.5, l2(k), torch.sigmoid(self.b_proj(x))
        if self.gated:
            decay = torch.exp(-torch.exp(self.A_log) * F.softplus(self.a_proj(x) + self.dt_bias))
        state, ys = x.new_zeros(x.shape[0], self.h, k.shape[-1], v.shape[-1]), []
        for t in range(x.shape[1]):
            if self.gated:
                state = state * decay[:, t, :, None, None]
            key = k[:, t, :, :, None]
            change = (v[:, t] - (state * key).sum(-2)) * beta[:, t, :, None]
            state = state + key * change[:, :, None]
            ys.append((state * q[:, t, :, :, None]).sum(-2))
        y = self.o_norm(torch.stack(ys, 1))
        if self.gated:
            y = y * F.silu(self.g_proj(x)).view(y.shape)
        return self.o_proj(y.flatten(2))


class GatedLinearAttention(nn.Module):
    """fla.layers.GatedLinearAttention over naive.py naive_recurrent_gla; Yang et al. 2023."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h, rank_ = pos(embedDim=need(p, "embedDim"), numHeads=opt(p, "numHeads", 4), gateLowRankDim=opt(p, "gateLowRankDim", 16))
        dk, dv = int(self.e * opt(p, "expandK", 0.5)), int(self.e * opt(p, "expandV", 1.0))
        pos(keyDim=dk, valueDim=dv)
        if dk % self.h or dv % self.h:
            raise ValueError("the heads do not divide keys or values")
        self.q_proj, self.k_proj, self.v_proj, self.g_proj = (nn.Linear(self.e, d, bias=False) for d in (dk, dk, dv, dv))
        self.gk_proj = nn.Sequential(nn.Linear(self.e, rank_, bias=False), nn.Linear(rank_, dk))
        self.g_norm, self.o_proj = RMS(dv // self.h), nn.Linear(dv, self.e, bias=False)

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = (proj(x).unflatten(2, (self.h, -1)) for proj in (self.q_proj, self.k_proj, self.v_proj))
        q = q * q.shape[-1] ** -0.5
        gate = torch.exp(-F.softplus(-self.gk_proj(x)) / 16).unflatten(2, (self.h, -1))
        state, ys = x.new_zeros(x.shape[0], self.h, k.shape[-1], v.shape[-1]), []
        for t in range(x.shape[1]):
            state = state * gate[:, t, :, :, None] + k[:, t, :, :, None] * v[:, t, :, None]
            ys.append((q[:, t, :, :, None] * state).sum(-2))
        y = self.g_norm(torch.stack(ys, 1)) * F.silu(self.g_proj(x)).unflatten(2, (self.h, -1))
        return self.o_proj(y.flatten(2))


class RGLRU(nn.Module):
    """google-deepmind/recurrentgemma torch/layers.py RGLRU; De et al. 2024, Griffin, section 2.4."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 1)
        divided(self.e, self.h)
        d = self.e // self.h
        self.a_param = nn.Parameter(torch.randn(self.e))
        for name in ("input_gate", "a_gate"):
            setattr(self, name + "_w", nn.Parameter(torch.randn(self.h, d, d)))
            setattr(self, name + "_b", nn.Parameter(torch.zeros(self.h, d)))

    def gate(self, x, name):
        y = torch.bmm(x.reshape(-1, self.h, self.e // self.h).transpose(0, 1), getattr(self, name + "_w")).transpose(0, 1)
        return torch.sigmoid((y + getattr(self, name + "_b")).reshape(x.shape))

    def forward(self, x):
        seq_input(x, self.e)
        gate_x, gate_a = self.gate(x, "input_gate"), self.gate(x, "a_gate")
        log_a = -8.0 * gate_a * F.softplus(self.a_param)
        first = (torch.arange(x.shape[1], device=x.device) == 0).to(x.dtype)[:, None]
        later = 1 - first
        y = x * gate_x * (first + later * torch.sqrt(1 - torch.exp(2 * log_a)))
        a = torch.exp(log_a) * later
        ys = [y[:, 0]]
        for t in range(1, x.shape[1]):
            ys.append(a[:, t] * ys[-1] + y[:, t])
        return torch.stack(ys, 1)


class SparseConv3d(nn.Module):
    """spconv.pytorch.SubMConv3d on a dense grid: a convolution whose result is zero where no channel of the input is; Graham et al. 2018."""

    def __init__(self, p):
        super().__init__()
        k = pos(kernelSize=opt(p, "kernelSize", 3))
        self.c, o = pos(inChannels=need(p, "inChannels"), outChannels=need(p, "outChannels"))
        if k % 2 == 0:
            raise ValueError("an even kernel has no centre")
        self.conv = nn.Conv3d(self.c, o, k, padding=k // 2, bias=opt(p, "bias", True))

    def forward(self, x):
        image_input(x, 5)
        y = self.conv(x)
        return y * (x != 0).any(1, keepdim=True).to(y.dtype)


# ---- extended LSTM, attention at trained offsets

class MLSTM(nn.Module):
    """Beck et al. 2024, equations 19 to 27, in the form of NX-AI/xlstm parallel_stabilized_simple: all positions at once."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 4)
        divided(self.e, self.h)
        self.q, self.k, self.v, self.o = (nn.Linear(self.e, self.e) for _ in range(4))
        self.i, self.f = nn.Linear(self.e, self.h), nn.Linear(self.e, self.h)

    def forward(self, x):
        seq_input(x, self.e)
        s, q, k, v = x.shape[1], split(self.q(x), self.h), split(self.k(x), self.h), split(self.v(x), self.h)
        total = torch.cumsum(-F.softplus(-self.f(x)), 1).transpose(1, 2).flatten(0, 1)
        past = torch.ones(s, s, dtype=torch.bool, device=x.device).tril()
        log_d = torch.where(past, total[:, :, None] - total[:, None], -float("inf")) + self.i(x).transpose(1, 2).flatten(0, 1)[:, None]
        top = log_d.max(-1, keepdim=True)[0]
        c = torch.bmm(q, k.transpose(1, 2) * k.shape[-1] ** -0.5) * torch.exp(log_d - top)
        norm = torch.maximum(c.sum(-1, keepdim=True).abs(), torch.exp(-top))
        return torch.sigmoid(self.o(x)) * join(torch.bmm(c / (norm + 1e-6), v), self.h)


class SLSTM(nn.Module):
    """Beck et al. 2024, equations 8 to 18 with exponential gates and the stabiliser of appendix A; NX-AI/xlstm slstm cell. Heads do not mix."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 4)
        divided(self.e, self.h)
        d = self.e // self.h
        self.w, self.r = nn.Linear(self.e, 4 * self.e), nn.Parameter(torch.randn(self.h, d, 4 * d) * 0.1)

    def forward(self, x):
        seq_input(x, self.e)
        wx = self.w(x).unflatten(2, (self.h, -1))
        h = c = n = m = x.new_zeros(x.shape[0], self.h, self.e // self.h)
        ys = []
        for t in range(x.shape[1]):
            i, f, z, o = (wx[:, t] + torch.bmm(h.transpose(0, 1), self.r).transpose(0, 1)).chunk(4, -1)
            kept = m - F.softplus(-f)
            m = torch.maximum(kept, i)
            enter, stay = torch.exp(i - m), torch.exp(kept - m)
            c, n = stay * c + enter * torch.tanh(z), stay * n + enter
            h = torch.sigmoid(o) * (c / n)
            ys.append(h)
        return torch.stack(ys, 1).flatten(2)


class DeformableAttention(nn.Module):
    """fundamentalvision/Deformable-DETR ms_deform_attn.py MSDeformAttn with one level, over ms_deform_attn_core_pytorch: every pixel asks."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h, self.n = need(p, "embedDim"), opt(p, "numHeads", 8), opt(p, "numPoints", 4)
        divided(self.e, self.h)
        pos(numPoints=self.n)
        self.value_proj, self.output_proj = nn.Linear(self.e, self.e), nn.Linear(self.e, self.e)
        self.sampling_offsets, self.attention_weights = nn.Linear(self.e, self.h * self.n * 2), nn.Linear(self.e, self.h * self.n)

    def forward(self, x):
        image_input(x)
        if x.shape[1] != self.e:
            raise ValueError("other channels than embedDim")
        b, e, height, width = x.shape
        x = x.flatten(2).transpose(1, 2).contiguous()
        value = self.value_proj(x).transpose(1, 2).reshape(b * self.h, -1, height, width)
        offsets = self.sampling_offsets(x).unflatten(2, (self.h, self.n, 2)) / x.new_tensor([width, height])
        weights = torch.softmax(self.attention_weights(x).unflatten(2, (self.h, self.n)), -1)
        rows, columns = torch.meshgrid((torch.arange(height, device=x.device) + 0.5) / height,
                                       (torch.arange(width, device=x.device) + 0.5) / width, indexing="ij")
        centres = torch.stack([columns, rows], -1).view(-1, 1, 1, 2)
        grid = (2 * (centres + offsets) - 1).transpose(1, 2).flatten(0, 1)
        y = F.grid_sample(value, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        y = (y * weights.transpose(1, 2).flatten(0, 1)[:, None]).sum(-1).view(b, e, -1).transpose(1, 2)
        return self.output_proj(y).transpose(1, 2).unflatten(2, (height, width))


# ---- memory that learns, sets of points

class TitansMemory(nn.Module):
    """Behrouz et al. 2024, Titans, equations 11 to 15 with a linear memory: a matrix for each head, gradient steps with momentum and forgetting."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 1)
        divided(self.e, self.h)
        self.q, self.k, self.v, self.out = (nn.Linear(self.e, self.e, bias=False) for _ in range(4))
        self.alpha, self.eta, self.theta = (nn.Linear(self.e, self.h) for _ in range(3))

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = (f(x).unflatten(2, (self.h, -1)) for f in (self.q, self.k, self.v))
        keep, eta, theta = 1 - torch.sigmoid(self.alpha(x)), torch.sigmoid(self.eta(x)), torch.sigmoid(self.theta(x))
        memory = surprise = x.new_zeros(x.shape[0], self.h, k.shape[-1], v.shape[-1])
        ys = []
        for t in range(x.shape[1]):
            key = k[:, t, :, :, None]
            error = (memory * key).sum(-2) - v[:, t]
            surprise = eta[:, t, :, None, None] * surprise - key * (theta[:, t, :, None] * error)[:, :, None]
            memory = keep[:, t, :, None, None] * memory + surprise
            ys.append((memory * q[:, t, :, :, None]).sum(-2))
        return self.out(torch.stack(ys, 1).flatten(2))


class SetAbstraction(nn.Module):
    """yanx27/Pointnet_Pointnet2_pytorch models/pointnet2_utils.py PointNetSetAbstraction; the first three features of a point are its place,
    and sampling begins with the first point. Qi et al. 2017."""

    def __init__(self, p):
        super().__init__()
        self.s, self.k, self.c = pos(numPoints=need(p, "numPoints"), numSamples=need(p, "numSamples"), inChannels=need(p, "inChannels"))
        self.radius, mlp = need(p, "radius") ** 2, need(p, "mlp")
        if self.c < 3 or not isinstance(mlp, list) or not mlp:
            raise ValueError("points need three coordinates, and mlp is a list of sizes")
        sizes = [self.c] + [pos(size=n) for n in mlp]
        self.convs = nn.ModuleList(nn.Conv2d(i, o, 1) for i, o in zip(sizes, sizes[1:]))
        self.bns = nn.ModuleList(nn.BatchNorm2d(o) for o in mlp)

    @torch.no_grad()
    def sample(self, xyz):
        b, n, _ = xyz.shape
        far, at, chosen = torch.full((b, n), 1e10, device=xyz.device), torch.zeros(b, dtype=torch.long, device=xyz.device), []
        for _ in range(self.s):
            chosen.append(at)
            centre = xyz[torch.arange(b, device=xyz.device), at][:, None]
            far = torch.minimum(far, ((xyz - centre) ** 2).sum(-1))
            at = far.argmax(-1)
        return torch.stack(chosen, 1)

    @torch.no_grad()
    def near(self, xyz, centres):
        n = xyz.shape[1]
        if self.k > n:
            raise ValueError(f"{self.k} samples of {n} points")
        index = torch.arange(n, device=xyz.device).expand(xyz.shape[0], self.s, n).clone()
        index[((centres[:, :, None] - xyz[:, None]) ** 2).sum(-1) > self.radius] = n
        index = index.sort(-1)[0][:, :, : self.k]
        return torch.where(index == n, index[:, :, :1], index)

    def forward(self, x):
        seq_input(x, self.c)
        xyz = x[..., :3]
        centres = xyz.gather(1, self.sample(xyz)[..., None].expand(-1, -1, 3))
        index = self.near(xyz, centres).flatten(1)
        y = x.gather(1, index[..., None].expand(-1, -1, self.c)).unflatten(1, (self.s, self.k))
        y = torch.cat([y[..., :3] - centres[:, :, None], y[..., 3:]], -1).permute(0, 3, 2, 1)
        for conv, bn in zip(self.convs, self.bns):
            y = F.relu(bn(conv(y)))
        return torch.cat([centres, y.max(2)[0].transpose(1, 2)], -1)


class TTTLayer(nn.Module):
    """Sun et al. 2024, section 2.1 to 2.3: a linear model for each head, trained at every position by a step of its own size; W0 is trained as any weight."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = need(p, "embedDim"), opt(p, "numHeads", 1)
        divided(self.e, self.h)
        d = self.e // self.h
        self.q, self.k, self.v, self.out = (nn.Linear(self.e, self.e, bias=False) for _ in range(4))
        self.eta, self.W0 = nn.Linear(self.e, self.h), nn.Parameter(torch.randn(self.h, d, d) * 0.02)

    def forward(self, x):
        seq_input(x, self.e)
        q, k, v = (f(x).unflatten(2, (self.h, -1)) for f in (self.q, self.k, self.v))
        eta, w, ys = torch.sigmoid(self.eta(x)), self.W0.expand(x.shape[0], -1, -1, -1), []
        for t in range(x.shape[1]):
            key = k[:, t, :, :, None]
            error = 2 * ((w * key).sum(-2) - v[:, t])
            w = w - key * (eta[:, t, :, None] * error)[:, :, None]
            ys.append((w * q[:, t, :, :, None]).sum(-2))
        return self.out(torch.stack(ys, 1).flatten(2))


class Hyena(nn.Module):
    """HazyResearch/safari src/models/sequence/hyena.py HyenaOperator of order 2; Poli et al. 2023."""

    def __init__(self, p):
        super().__init__()
        self.e, f = pos(embedDim=need(p, "embedDim"), filterDim=opt(p, "filterDim", 64))
        self.in_proj, self.out_proj = nn.Linear(self.e, 3 * self.e), nn.Linear(self.e, self.e)
        self.short = nn.Conv1d(3 * self.e, 3 * self.e, 3, groups=3 * self.e, padding=2)
        self.fc0, self.fc1, self.fc2, self.fc3 = nn.Linear(3, f), nn.Linear(f, f), nn.Linear(f, f), nn.Linear(f, self.e, bias=False)
        self.freq, self.bias = nn.Parameter(torch.ones(1, f)), nn.Parameter(torch.randn(self.e))

    def kernel(self, s, device):
        t = torch.linspace(0, 1, s, device=device)[:, None]
        angle = 2 * torch.pi * torch.arange(s, device=device)[:, None] / s
        y = torch.cat([t, torch.cos(1e-4 * angle), -torch.sin(1e-4 * angle)], -1)
        for fc in (self.fc0, self.fc1, self.fc2):
            y = torch.sin(self.freq * fc(y))
        decay = torch.exp(-t * torch.linspace(3.07, 15.35, self.e, device=device))
        return (self.fc3(y) * decay).t()

    def forward(self, x):
        seq_input(x, self.e)
        s = x.shape[1]
        x0, x1, v = self.short(self.in_proj(x).transpose(1, 2))[..., :s].split(self.e, 1)
        v = v * x1
        spectrum = torch.fft.rfft(v, n=2 * s) * (torch.fft.rfft(self.kernel(s, x.device), n=2 * s) / (2 * s))
        y = torch.fft.irfft(spectrum, n=2 * s, norm="forward")[..., :s] + v * self.bias[:, None]
        return self.out_proj((y * x0).transpose(1, 2))


class NativeSparseAttention(nn.Module):
    """fla-org/native-sparse-attention modeling_nsa.py NativeSparseAttention over ops/naive.py naive_nsa_with_compression, without rotary positions;
    Yuan et al. 2025. The own block of a position is always among the chosen ones, and three attentions share the scores of queries and keys."""

    def __init__(self, p):
        super().__init__()
        self.e, self.h = pos(embedDim=need(p, "embedDim"), numHeads=need(p, "numHeads"))
        self.kv = pos(numKVHeads=opt(p, "numKVHeads", self.h))
        self.d = pos(headDim=p["headDim"]) if p.get("headDim") is not None else divides(self.e, self.h)
        self.size, self.top, self.window = pos(blockSize=opt(p, "blockSize", 64), topBlocks=opt(p, "topBlocks", 16),
                                               slidingWindow=opt(p, "slidingWindow", 512))
        divides(self.h, self.kv)
        bias = opt(p, "bias", False)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(self.e, n * self.d, bias=bias) for n in (self.h, self.kv, self.kv))
        self.g_proj, self.o_proj = nn.Linear(self.e, 3 * self.h, bias=False), nn.Linear(self.h * self.d, self.e, bias=False)

    def split(self, x, heads):
        return x.unflatten(2, (heads, self.d)).transpose(1, 2).reshape(-1, x.shape[1] * heads // self.kv, self.d)

    def compress(self, x):
        blocks = -(-x.shape[1] // self.size)
        if blocks * self.size > x.shape[1]:
            x = F.pad(x, (0, 0, 0, blocks * self.size - x.shape[1]))
        return x.unflatten(1, (blocks, self.size)).mean(2)

    @torch.no_grad()
    def chosen(self, weights, own, ahead):
        s, blocks = own.shape
        weights = weights.view(-1, self.h // self.kv, s, blocks).sum(1).masked_fill(own, float("inf"))
        places = weights.topk(min(self.top, blocks), -1)[1]
        seen = torch.zeros_like(weights, dtype=torch.bool).scatter(-1, places, True).repeat_interleave(self.size, -1)[..., :s]
        return torch.zeros(seen.shape, device=own.device).masked_fill(~seen | ahead, float("-inf"))[:, None]

    def forward(self, x):
        seq_input(x, self.e)
        b, s, g = x.shape[0], x.shape[1], self.h // self.kv
        q = self.split(self.q_proj(x) * self.d**-0.5, self.h)
        k, v = self.split(self.k_proj(x), self.kv), self.split(self.v_proj(x), self.kv)
        at, short = torch.arange(s, device=x.device), self.compress(k)
        block = torch.arange(short.shape[1], device=x.device)
        ahead, own, past = at[:, None] < at, at[:, None] // self.size == block, (at[:, None] + 1) // self.size > block
        none = ~past.any(1, keepdim=True)
        hidden = torch.zeros(past.shape, device=x.device).masked_fill(~past & ~none, float("-inf"))
        gates = torch.sigmoid(self.g_proj(x)).unflatten(2, (self.h, 3)) * torch.cat([~none, none | True, none | True], 1)[:, None]
        gates = gates.transpose(1, 2)

        weights = torch.softmax(torch.bmm(q, short.transpose(1, 2)).view(-1, g, *past.shape) + hidden, -1)
        scores = torch.bmm(q, k.transpose(1, 2)).view(-1, g, s, s)
        window = torch.zeros(s, s, device=x.device).masked_fill(ahead | (at[:, None] - at >= self.window), float("-inf"))
        y = 0
        for i, (w, of) in enumerate([(weights, self.compress(v)), (torch.softmax(scores + self.chosen(weights, own, ahead), -1), v),
                                     (torch.softmax(scores + window, -1), v)]):
            part = torch.bmm(w.view(b * self.kv, g * s, -1), of).view(b, self.h, s, self.d) * gates[..., i : i + 1]
            y = part if i == 0 else y + part
        return self.o_proj(y.transpose(1, 2).flatten(2))


class GatedDeltaRule(nn.Module):
    """transformers modeling_qwen3_next.py Qwen3NextGatedDeltaNet between its convolution and its norm, over torch_recurrent_gated_delta_rule; Yang et al.
    2025. Reading and writing the matrices are products of matrices here, which the reference sums element by element. allowNegEigval: that of fla."""

    def __init__(self, p):
        super().__init__()
        self.h, self.d = pos(numHeads=need(p, "numHeads"), headDim=need(p, "headDim"))
        self.keys, self.values = pos(numKeyHeads=opt(p, "numKeyHeads", self.h), valueDim=opt(p, "valueDim", self.d))
        if self.h % self.keys:
            raise ValueError("the heads of keys do not divide those of values")
        self.negative = opt(p, "allowNegEigval", False)
        self.A_log, self.dt_bias = nn.Parameter(torch.zeros(self.h)), nn.Parameter(torch.zeros(self.h))

    def rows(self, x):
        return x.transpose(1, 2).flatten(0, 1)

    def forward(self, x, b, a):
        floats(x, b, a)
        wide = self.keys * self.d
        if x.dim() != 3 or x.shape[2] != 2 * wide + self.h * self.values or b.shape != (*x.shape[:2], self.h) or a.shape != b.shape:
            raise ValueError("takes [batch, sequence, queries, keys and values], and twice [batch, sequence, heads]")
        q, k, v = x.split([wide, wide, self.h * self.values], -1)
        q, k, v = q.unflatten(2, (self.keys, -1)), k.unflatten(2, (self.keys, -1)), v.unflatten(2, (self.h, -1))
        if self.keys < self.h:
            q, k = (y.repeat_interleave(self.h // self.keys, 2) for y in (q, k))
        q, k, v = self.rows(l2(q) * self.d**-0.5), self.rows(l2(k)), self.rows(v)
        beta = self.rows(b).sigmoid()
        if self.negative:
            beta = beta * 2.0
        decay = torch.exp(self.rows(-torch.exp(self.A_log) * F.softplus(a + self.dt_bias)))
        state, ys = x.new_zeros(q.shape[0], self.d, self.values), []
        for t in range(x.shape[1]):
            state, key = state * decay[:, t, None, None], k[:, t : t + 1]
            change = (v[:, t : t + 1] - torch.bmm(key, state)) * beta[:, t, None, None]
            state = state + torch.bmm(key.transpose(1, 2), change)
            ys.append(torch.bmm(q[:, t : t + 1], state))
        return torch.cat(ys, 1).unflatten(0, (-1, self.h)).transpose(1, 2).flatten(2)


class LSHAttention(nn.Module):
    """transformers modeling_reformer.py LSHSelfAttention between its projections and ReformerSelfOutput, without an attention mask;
    Kitaev et al. 2020, section 2. A sequence that is no longer than a chunk is not hashed. In evaluation the rotations are drawn anew as in training."""

    def __init__(self, p):
        super().__init__()
        self.h, self.chunk, self.buckets, self.hashes = pos(numHeads=need(p, "numHeads"), chunkLength=opt(p, "chunkLength", 64),
                                                            numBuckets=need(p, "numBuckets"), numHashes=opt(p, "numHashes", 1))
        self.before, self.after, self.causal = opt(p, "chunksBefore", 1), opt(p, "chunksAfter", 0), opt(p, "causal", False)
        self.dropout = opt(p, "dropout", 0.0)
        for n in (self.before, self.after):
            if isinstance(n, bool) or not isinstance(n, int) or n < 0:
                raise TypeError("chunks are a whole number from 0")
        if self.buckets % 2:
            raise ValueError(f"There should be an even number of buckets, but num_buckets: {self.buckets}")

    @torch.no_grad()
    def sort(self, x):
        s, d = x.shape[2:]
        turned = torch.matmul(x, torch.randn(self.h, d, self.hashes * (self.buckets // 2), device=x.device))
        turned = turned.unflatten(3, (self.hashes, -1)).transpose(2, 3)
        buckets = torch.cat([turned, -turned], -1).argmax(-1)
        buckets = (buckets + self.buckets * torch.arange(self.hashes, device=x.device)[:, None]).flatten(2)
        at = torch.arange(buckets.shape[2], device=x.device)
        places = (s * buckets + at % s).argsort(-1)
        back = torch.zeros_like(places).scatter_(-1, places, at.expand_as(places))
        return places % s, back

    def gather(self, x, places):
        return x.repeat(1, 1, self.hashes, 1).gather(2, places[..., None].expand(-1, -1, -1, x.shape[3]))

    def adjacent(self, x):
        if self.before == self.after == 0:
            return x
        return torch.cat([x if i == 0 else torch.cat([x[:, :, i:], x[:, :, :i]], 2) for i in range(-self.before, self.after + 1)], 3)

    def attend(self, q, k, v, at, of):
        scores = torch.matmul(q, k.transpose(-1, -2))
        if self.causal:
            scores = torch.where(at[..., None] >= of[..., None, :], scores, torch.tensor(-1e9, device=q.device))
        scores = torch.where(at[..., None] != of[..., None, :], scores, torch.tensor(-1e5, device=q.device))
        logits = torch.logsumexp(scores, -1, keepdim=True)
        return torch.matmul(F.dropout(torch.exp(scores - logits), self.dropout, self.training), v), logits

    def forward(self, x, y):
        floats(x, y)
        if x.dim() != 3 or x.shape != y.shape or x.shape[2] % self.h:
            raise ValueError("takes [batch, sequence, features] twice, which the heads divide")
        s = x.shape[1]
        q, v = (z.unflatten(2, (self.h, -1)).transpose(1, 2) for z in (x, y))
        if s <= self.chunk:
            at = torch.arange(s, device=x.device).repeat(*q.shape[:2], 1)
            return self.attend(q, self.norm(q), v, at, at)[0].transpose(1, 2).flatten(2)
        if s % self.chunk:
            raise ValueError(f"{s} positions are no multiple of a chunk of {self.chunk}")
        places, back = self.sort(q)
        q, v, at = (z.unflatten(2, (-1, self.chunk)) for z in (self.gather(q, places), self.gather(v, places), places))
        k, v, of = self.adjacent(self.norm(q)), self.adjacent(v), self.adjacent(at)
        out, logits = (z.flatten(2, 3) for z in self.attend(q, k, v, at, of))
        out = out.gather(2, back[..., None].expand_as(out))
        if self.hashes > 1:
            out, logits = (z.unflatten(2, (self.hashes, s)) for z in (out, logits.gather(2, back[..., None])))
            out = (out * torch.exp(logits - torch.logsumexp(logits, 2, keepdim=True))).sum(2)
        return out.transpose(1, 2).flatten(2)

    def norm(self, x):
        return x * torch.rsqrt(torch.mean(x**2, -1, keepdim=True) + 1e-6) / x.shape[-1] ** 0.5


class BandAttention(nn.Module):
    """transformers modeling_longformer.py LongformerSelfAttention between its projections and LongformerSelfOutput, without global positions and
    without an attention mask: _sliding_chunks_query_key_matmul, a softmax, and _sliding_chunks_matmul_attn_probs_value; Beltagy et al. 2020."""

    def __init__(self, p):
        super().__init__()
        self.h, self.w = pos(numHeads=need(p, "numHeads"), windowSize=need(p, "windowSize"))
        self.dropout = opt(p, "dropout", 0.0)

    def pieces(self, x, size, step):
        """Overlapping pieces of the positions of [batch * heads, positions, features], as a view."""
        n, s, d = x.shape
        return x.as_strided((n, (s - size) // step + 1, size, d), (x.stride(0), step * x.stride(1), x.stride(1), x.stride(2)))

    def band(self, q, k):
        """The scores of each position and of those at most w away: [batch * heads, positions, 2 w + 1]."""
        w, n, s = self.w, q.shape[0], q.shape[1]
        both = torch.matmul(self.pieces(q, 2 * w, w), self.pieces(k, 2 * w, w).transpose(2, 3))
        both = F.pad(both, (0, 0, 0, 1)).view(n, s // w - 1, 2 * w, 2 * w + 1)
        out = both.new_zeros(n, s // w, w, 2 * w + 1)
        out[:, :-1, :, w:] = both[:, :, :w, : w + 1]
        out[:, -1, :, w:] = both[:, -1, w:, : w + 1]
        out[:, 1:, :, :w] = both[:, :, -w - 1 : -1, w + 1 :]
        out[:, 0, 1:w, 1:w] = both[:, 0, : w - 1, 1 - w :]
        out = out.view(n, s, 2 * w + 1)
        outside = torch.ones(w, w + 1, dtype=torch.bool, device=q.device).tril().flip(0)
        out[:, :w, : w + 1] = out[:, :w, : w + 1].masked_fill(outside, float("-inf"))
        out[:, -w:, -w - 1 :] = out[:, -w:, -w - 1 :].masked_fill(outside.flip(0, 1), float("-inf"))
        return out

    def weigh(self, weights, v):
        w, n, s = self.w, v.shape[0], v.shape[1]
        weights = weights.view(n, s // w, w, 2 * w + 1)
        spread = F.pad(weights, (0, w + 1)).view(n, s // w, -1)[:, :, :-w].view(n, s // w, w, 3 * w + 1)[..., :-1]
        padded = F.pad(v, (0, 0, w, w), value=-1)
        return torch.matmul(spread, self.pieces(padded, 3 * w, w)).reshape(n, s, -1)

    def forward(self, q, k, v):
        floats(q, k, v)
        if q.dim() != 3 or q.shape != k.shape or q.shape != v.shape or q.shape[2] % self.h:
            raise ValueError("takes [batch, sequence, features] three times, which the heads divide")
        if q.shape[1] % (2 * self.w):
            raise ValueError(f"Sequence length should be multiple of {2 * self.w}. Given {q.shape[1]}")
        q = q / (q.shape[2] // self.h) ** 0.5
        q, k, v = (x.unflatten(2, (self.h, -1)).transpose(1, 2).flatten(0, 1) for x in (q, k, v))
        y = self.weigh(F.dropout(torch.softmax(self.band(q, k), -1), self.dropout, self.training), v)
        return y.unflatten(0, (-1, self.h)).transpose(1, 2).flatten(2)


# ---- tables

class Sparsemax(torch.autograd.Function):
    """dreamquark-ai/tabnet sparsemax.py SparsemaxFunction over the last axis; Martins and Astudillo 2016."""

    @staticmethod
    def forward(ctx, x):
        x = x - x.max(-1, keepdim=True)[0]
        ordered = x.sort(-1, descending=True)[0]
        over = ordered.cumsum(-1) - 1
        count = (torch.arange(1, x.shape[-1] + 1, device=x.device, dtype=x.dtype) * ordered > over).sum(-1, keepdim=True)
        y = torch.clamp(x - over.gather(-1, count - 1) / count.to(x.dtype), min=0)
        ctx.save_for_backward(count, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        count, y = ctx.saved_tensors
        grad = grad.masked_fill(y == 0, 0)
        return torch.where(y != 0, grad - grad.sum(-1, keepdim=True) / count.to(y.dtype), grad)


class TabNet(nn.Module):
    """dreamquark-ai/tabnet tab_network.py TabNetEncoder and the last map of TabNetNoEmbeddings; Arik and Pfister 2021. Norms go over the whole batch, as
    where it is not larger than virtual_batch_size; the loss of the masks is left to the caller. Without outputDim it is the encoder."""

    def __init__(self, p):
        super().__init__()
        self.f, self.d, a, self.steps = pos(inputDim=need(p, "inputDim"), decisionDim=opt(p, "decisionDim", 8),
                                            attentionDim=opt(p, "attentionDim", 8), numSteps=opt(p, "numSteps", 3))
        self.n, self.own, self.gamma, w = opt(p, "numShared", 2), opt(p, "numIndependent", 2), opt(p, "gamma", 1.3), self.d + a
        for n in (self.n, self.own):
            if isinstance(n, bool) or not isinstance(n, int) or n < 0:
                raise TypeError("the number of layers is a whole number from 0")
        if self.n + self.own == 0:
            raise ValueError("n_shared and n_independent can't be both zero")
        if isinstance(self.gamma, (bool, str, list)):
            raise TypeError("gamma is a number")
        self.w, layers = w, self.steps + 1
        self.initial_bn = nn.BatchNorm1d(self.f)
        self.first = nn.ModuleList(nn.Linear(self.f, 2 * w, bias=False) for _ in range(1 if self.n else layers))
        self.shared = nn.ModuleList(nn.Linear(w, 2 * w, bias=False) for _ in range(self.n - 1))
        self.each = self.own if self.n else self.own - 1
        self.specific = nn.ModuleList(nn.Linear(w, 2 * w, bias=False) for _ in range(layers * self.each))
        self.bns = nn.ModuleList(nn.BatchNorm1d(2 * w) for _ in range(layers * (self.n + self.own)))
        self.fcs = nn.ModuleList(nn.Linear(a, self.f, bias=False) for _ in range(self.steps))
        self.masks = nn.ModuleList(nn.BatchNorm1d(self.f) for _ in range(self.steps))
        out = p.get("outputDim")
        self.final = None if out is None else nn.Linear(self.d, pos(outputDim=out), bias=False)

    def transform(self, x, step):
        layers = [self.first[0 if self.n else step], *self.shared, *self.specific[step * self.each : (step + 1) * self.each]]
        for k, fc in enumerate(layers):
            y = self.bns[step * len(layers) + k](fc(x))
            y = y[:, : self.w] * torch.sigmoid(y[:, self.w :])
            x = y if k == 0 else (x + y) * 0.5**0.5
        return x

    def forward(self, x):
        if x.dim() != 2 or x.shape[1] != self.f:
            raise ValueError(f"takes [batch, {self.f}], got {list(x.shape)}")
        x = self.initial_bn(x)
        y, prior, total = self.transform(x, 0), None, None
        for step in range(self.steps):
            scores = self.masks[step](self.fcs[step](y[:, self.d :]))
            mask = Sparsemax.apply(scores if prior is None else scores * prior)
            if step + 1 < self.steps:
                prior = self.gamma - mask if prior is None else (self.gamma - mask) * prior
            y = self.transform(mask * x, step + 1)
            part = F.relu(y[:, : self.d])
            total = part if total is None else total + part
        return total if self.final is None else self.final(total)


TYPES = {
    "pixelNorm": PixelNorm, "adaIN": AdaIN, "film": FiLM, "dyt": DyT, "revIN": RevIN, "gumbelSoftmax": GumbelSoftmax,
    "dqnHead": lambda p: Head(p, "numActions"), "actorHead": lambda p: Head({**p, "dueling": None}, "numActions"),
    "criticHead": lambda p: Head(p, "outputDim", 1), "policyNetwork": lambda p: Network(p, "numActions"),
    "valueNetwork": lambda p: Network(p, "outputDim", 1), "seriesDecomp": SeriesDecomp, "nerfPositionalEncoding": NerfEncoding,
    "miniBatchStdDev": MiniBatchStdDev, "scatter": Scatter, "vaeBottleneck": VaeBottleneck, "spatialPyramidPool": SpatialPyramidPool,
    "attentionPool": AttentionPool, "ftTransformerBlock": FTBlock, "perceiverLatent": PerceiverLatent, "differentialAttention": DiffAttention,
    "dividedSpaceTimeAttention": DividedAttention, "mixtureOfDepths": MixtureOfDepths, "multiTokenPrediction": MultiTokenPrediction,
    "vectorQuantizer": lambda p: VectorQuantizer(p, False), "residualVQ": lambda p: VectorQuantizer(p, True), "edgeConv": EdgeConv, "kan": KAN,
    "deltaNet": lambda p: DeltaNet(p, False), "gatedDeltaNet": lambda p: DeltaNet(p, True), "gatedLinearAttention": GatedLinearAttention,
    "rgLru": RGLRU, "sparseConv3d": SparseConv3d, "mLSTM": MLSTM, "sLSTM": SLSTM, "deformableAttention": DeformableAttention,
    "titansMemory": TitansMemory, "setAbstraction": SetAbstraction, "tttLayer": TTTLayer, "hyena": Hyena,
    "nativeSparseAttention": NativeSparseAttention, "tabnet": TabNet,
    "gatedDeltaRule": GatedDeltaRule, "lshAttention": LSHAttention, "bandAttention": BandAttention,
}

ARITY = {"adaIN": (2, 2), "film": (2, 2), "scatter": (3, 3), "edgeConv": (2, 2), "gatedDeltaRule": (3, 3), "lshAttention": (2, 2), "bandAttention": (3, 3)}


# ---- random cases

def tensor(r, least=1, most=4):
    return [r.randint(1, 7) for _ in range(r.randint(least, most))]


def pixel_norm(r):
    p = {}
    some(r, p, 0.4, eps=r.choice([1e-8, 1e-5, 0, 1]))
    return p, [tensor(r)]


def adain(r):
    c = r.randint(1, 8)
    p = {}
    some(r, p, 0.3, eps=r.choice([1e-5, 1e-3]))
    if r.random() < 0.5:
        d = r.randint(1, 12)
        p.update(styleDim=d, numFeatures=c)
        return p, [img(r, c, 2, 8), [d]]
    some(r, p, 0.4, numFeatures=c)
    return p, [img(r, c, 1, 8), img(r, c, 1, 8)]


def film(r):
    c, d = r.randint(1, 12), r.randint(1, 12)
    return dict(numFeatures=c, condDim=d), [[c] + tensor(r, 0, 3), [d]]


def dyt(r):
    d = r.randint(1, 24)
    p = dict(dim=d)
    some(r, p, 0.4, alphaInit=r.choice([0.5, 0.8, 1, 0]))
    if r.random() < 0.35:
        p["channelsLast"] = False
        return p, [img(r, d, 1, 8)]
    some(r, p, 0.3, channelsLast=True)
    return p, [tensor(r, 0, 3) + [d]]


def rev_in(r):
    d = r.randint(1, 16)
    p = dict(numFeatures=d)
    some(r, p, 0.4, eps=r.choice([1e-5, 1e-3]), affine=r.random() < 0.4)
    return p, [[S(r), d]]


def gumbel(r):
    p = {}
    s = tensor(r)
    some(r, p, 0.5, tau=r.choice([0.1, 0.5, 1, 2.0]), hard=r.random() < 0.6, dim=r.randint(-len(s) - 1, len(s)))
    return p, [s]


def head(size, dueling=False):
    def f(r):
        i = r.randint(1, 24)
        p = {}
        some(r, p, 0.6, inFeatures=i)
        if size == "numActions" or r.random() < 0.6:
            p[size] = r.randint(1, 12)
        if dueling:
            some(r, p, 0.5, dueling=r.random() < 0.7)
        return p, [tensor(r, 0, 2) + [i]]
    return f


def network(size):
    def f(r):
        p, xs = head(size)(r)
        some(r, p, 0.6, hiddenSize=r.randint(1, 48), activation=r.choice(["tanh", "relu"]))
        return p, xs
    return f


def decomp(r):
    p = dict(kernelSize=r.choice([1, 3, 5, 7, 25]))
    some(r, p, 0.5, index=r.randint(0, 1))
    return p, [[S(r), r.randint(1, 8)]]


def even_window(r, p, xs, dt):
    p["kernelSize"] = r.choice([2, 4, 6])
    xs[0][0] += 2


def nerf(r):
    p = {}
    some(r, p, 0.7, numFreqs=r.randint(1, 10), includeInput=r.random() < 0.5)
    return p, [tensor(r, 0, 2) + [r.randint(1, 5)]]


def std_dev(r):
    return {}, [img(r, r.randint(1, 8), 1, 8)]


def scatter(r):
    n = r.randint(1, 3)
    at = r.randint(1, n)
    x = [r.randint(2, 7) for _ in range(n)]
    index = [r.randint(1, 7) if i + 1 == at else r.randint(1, x[i]) for i in range(n)]
    p = {}
    if at != 1 or r.random() < 0.4:
        p["dim"] = at if r.random() < 0.6 else at - n - 1
    some(r, p, 0.4, reduce="add")
    d = r.choice(["float", "float", "int64"])
    return p, [x, index, [k + r.randint(0, 2) for k in index]], [d, "int64", d]


def large_index(r, p, xs, dt):
    i = r.randrange(len(xs[0]))
    xs[1][i] = max(xs[0][i], xs[2][i]) + 1


def vae(r):
    i = r.randint(1, 24)
    p = dict(latentDim=r.randint(1, 12))
    some(r, p, 0.5, inFeatures=i, index=r.randint(0, 2))
    return p, [tensor(r, 0, 2) + [i]]


def pyramid(r):
    p = {}
    some(r, p, 0.7, levels=r.choice([[1], [1, 2], [1, 2, 3], [2, 3, 6], 2, [4, 2, 1]]))
    return p, [img(r, r.randint(1, 8), 1, 12)]


def attention_pool(r):
    e, h = heads(r)
    return dict(embedDim=e, numHeads=h), [[S(r), e]]


def ft_block(r):
    p, xs = attention_pool(r)
    some(r, p, 0.5, ffDim=r.randint(1, 24))
    return p, xs


def default_heads(r, p, xs, dt):
    p.pop("numHeads", None)


def perceiver(r):
    i = r.randint(1, 16)
    p = dict(numLatents=r.randint(1, 6), latentDim=r.randint(1, 16), inputDim=i)
    some(r, p, 0.6, numHeads=r.randint(1, 4), headDim=r.randint(1, 8))
    return p, [[S(r), i]]


def differential(r):
    h = r.choice([1, 2, 2, 3])
    e = 2 * h * r.randint(1, 6)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.4, causal=r.random() < 0.4, lambdaInit=r.choice([0.8, 0.2, 0.5]))
    return p, [[S(r), e]]


def divided_attention(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.4, qkvBias=r.random() < 0.6)
    return p, [[r.randint(1, 5), r.randint(1, 6), e]]


def depths(r):
    e = r.randint(1, 16)
    p = dict(embedDim=e)
    some(r, p, 0.6, ffDim=r.randint(1, 24), capacity=r.choice([0.125, 0.25, 0.5, 1, 0.9]))
    return p, [[S(r), e]]


def medusa(r):
    e = r.randint(1, 12)
    p = dict(embedDim=e, vocabSize=r.randint(1, 30))
    some(r, p, 0.6, numTokens=r.randint(1, 5), numLayers=r.randint(1, 3))
    return p, [[S(r), e]]


def quantizer(several):
    def f(r):
        d = r.randint(1, 12)
        p = dict(numEmbeddings=r.randint(1, 20), embeddingDim=d)
        if several:
            p["numQuantizers"] = r.randint(1, 5)
        return p, [tensor(r, 0, 3) + [d]]
    return f


def edge_conv(r):
    i = r.randint(1, 8)
    return dict(inChannels=i, outChannels=r.randint(1, 8)), [[r.randint(1, 8), i], [2, r.randint(1, 12)]], ["float", "int64"]


def two_rows(r, p, xs, dt):
    xs[1][0] = r.choice([1, 3])


def kan(r):
    i = r.randint(1, 8)
    p = dict(inFeatures=i, outFeatures=r.randint(1, 8))
    some(r, p, 0.6, gridSize=r.randint(1, 8), splineOrder=r.randint(1, 4))
    return p, [tensor(r, 0, 2) + [i]]


def no_axis(r, p, xs, dt):
    xs[0] = []


def delta_net(r):
    p, xs = attention_pool(r)
    some(r, p, 0.4, convKernel=r.randint(1, 5))
    xs[0][0] = r.randint(1, 6)
    return p, xs


def gated_delta_net(r):
    e = r.randint(1, 12)
    p = dict(embedDim=e, headDim=r.randint(1, 6))
    some(r, p, 0.7, numHeads=r.randint(1, 4), expandV=r.randint(1, 3))
    some(r, p, 0.4, convKernel=r.randint(1, 5))
    return p, [[r.randint(1, 6), e]]


def gla(r):
    h = r.choice([1, 2, 4])
    e = 2 * h * r.randint(1, 4)
    p = dict(embedDim=e)
    if h != 4 or r.random() < 0.5:
        p["numHeads"] = h
    some(r, p, 0.4, expandK=r.choice([0.5, 1, 1.5, 2]), expandV=r.choice([0.5, 1, 2]), gateLowRankDim=r.randint(1, 8))
    return p, [[r.randint(1, 6), e]]


def rg_lru(r):
    e, h = heads(r)
    p = dict(embedDim=e)
    if h > 1 or r.random() < 0.5:
        p["numHeads"] = h
    return p, [[r.randint(1, 7), e]]


def sparse(r):
    c = r.randint(1, 5)
    p = dict(inChannels=c, outChannels=r.randint(1, 6))
    some(r, p, 0.5, kernelSize=r.choice([1, 3, 5]), bias=r.random() < 0.4)
    return p, [[c] + [r.randint(1, 5) for _ in range(3)]]


def deformable(r):
    e, h = heads(r)
    p = dict(embedDim=e, numHeads=h)
    some(r, p, 0.5, numPoints=r.randint(1, 5))
    return p, [img(r, e, 1, 6)]


def titans(r):
    p, xs = rg_lru(r)
    xs[0][0] = r.randint(1, 6)
    return p, xs


def abstraction(r):
    c, n = r.randint(3, 8), r.randint(1, 10)
    p = dict(numPoints=r.randint(1, 6), numSamples=r.randint(1, n), radius=r.choice([0.2, 0.5, 1, 2.0]), inChannels=c,
             mlp=[r.randint(1, 8) for _ in range(r.randint(1, 3))])
    return p, [[n, c]]


def hyena(r):
    p, xs = only_embed(r)
    some(r, p, 0.6, filterDim=r.randint(1, 16))
    return p, xs


def native_sparse(r):
    kv = r.choice([1, 1, 2])
    h = kv * r.choice([1, 2, 3])
    e = h * r.randint(1, 6)
    p = dict(embedDim=e, numHeads=h)
    if kv != h or r.random() < 0.4:
        p["numKVHeads"] = kv
    some(r, p, 0.3, headDim=r.randint(1, 8), bias=r.random() < 0.5)
    some(r, p, 0.8, blockSize=r.randint(1, 5), topBlocks=r.randint(1, 4), slidingWindow=r.randint(1, 6))
    return p, [[r.randint(1, 14), e]]


def uneven_keys(r, p, xs, dt):
    p["numKVHeads"] = p["numHeads"] + r.randint(1, 3)


def delta_rule(r):
    keys, d = r.choice([1, 1, 2]), r.randint(1, 5)
    h, dv = keys * r.randint(1, 3), d
    p = dict(numHeads=h, headDim=d)
    if keys != h or r.random() < 0.4:
        p["numKeyHeads"] = keys
    if r.random() < 0.5:
        p["valueDim"] = dv = r.randint(1, 6)
    some(r, p, 0.3, allowNegEigval=r.random() < 0.5)
    s = r.randint(1, 6)
    return p, [[s, 2 * keys * d + h * dv], [s, h], [s, h]]


def lsh(r):
    h, chunk = r.randint(1, 3), r.randint(1, 4)
    p = dict(numHeads=h, numBuckets=2 * r.randint(1, 4), chunkLength=chunk)
    some(r, p, 0.4, numHashes=r.randint(1, 3), chunksBefore=r.randint(0, 2), chunksAfter=r.randint(0, 2), causal=r.random() < 0.5)
    x = [chunk * r.randint(2, 5) if r.random() < 0.8 else r.randint(1, chunk), h * r.randint(1, 5)]
    return p, [x, list(x)]


def band(r):
    h, w = r.randint(1, 3), r.randint(2, 4)
    x = [2 * w * r.randint(1, 4), h * r.randint(1, 5)]
    return dict(numHeads=h, windowSize=w), [x, list(x), list(x)]


def longer_first(r, p, xs, dt):
    xs[0][0] += 1


def longer(r, p, xs, dt):
    for x in xs:
        x[0] += 1


def odd_buckets(r, p, xs, dt):
    p["numBuckets"] = 2 * r.randint(0, 3) + 1


def tab_net(r):
    f = r.randint(1, 12)
    p = dict(inputDim=f)
    some(r, p, 0.6, outputDim=r.randint(1, 8), decisionDim=r.randint(1, 8), attentionDim=r.randint(1, 8), numSteps=r.randint(1, 4))
    some(r, p, 0.4, gamma=r.choice([1.0, 1.3, 1.5, 2]), numShared=r.randint(0, 3), numIndependent=r.randint(1, 3))
    if opt(p, "numShared", 2) > 0 and r.random() < 0.15:
        p["numIndependent"] = 0
    return p, [[f]]


def no_layers(r, p, xs, dt):
    p["numShared"] = p["numIndependent"] = 0


def many_samples(r, p, xs, dt):
    p["numSamples"] = xs[0][0] + r.randint(1, 3)


CASES = {
    "pixelNorm": case(pixel_norm, [lambda r, p, xs, dt: xs.__setitem__(0, []), extra, ints, *bad(eps=["x", "small"])]),
    "adaIN": case(adain, [chan(0), chan(1), rank(0), rank(1), lose, extra, ints, *without("numFeatures"), *bad(numFeatures=NONE, styleDim=NONE)]),
    "film": case(film, [chan(0), chan(0), feat(1), rank(1), lose, extra, ints, *without("numFeatures", "condDim"), *bad(numFeatures=NONE, condDim=NONE)]),
    "dyt": case(dyt, [feat(), chan(), lambda r, p, xs, dt: xs.__setitem__(0, []), extra, *without("dim"), *bad(dim=NONE, alphaInit=["x"])]),
    "revIN": case(rev_in, ONE + [*without("numFeatures"), *bad(numFeatures=NONE)]),
    "gumbelSoftmax": case(gumbel, [extra, ints, ints, lambda r, p, xs, dt: p.__setitem__("dim", r.choice([-1, 1]) * (len(xs[0]) + 2)), *bad(dim=[9, -9], tau=["x"])]),
    "dqnHead": case(head("numActions", True), [feat(), lambda r, p, xs, dt: xs.__setitem__(0, []), extra, ints, *without("numActions"), *bad(numActions=NONE, inFeatures=NONE)]),
    "actorHead": case(head("numActions"), [feat(), lambda r, p, xs, dt: xs.__setitem__(0, []), extra, ints, *without("numActions"), *bad(numActions=NONE, inFeatures=NONE)]),
    "criticHead": case(head("outputDim"), [feat(), lambda r, p, xs, dt: xs.__setitem__(0, []), extra, ints, *bad(outputDim=NONE, inFeatures=NONE)]),
    "policyNetwork": case(network("numActions"), [feat(), extra, ints, *without("numActions"), *bad(numActions=NONE, hiddenSize=NONE, activation=["gelu", "Tanh"])]),
    "valueNetwork": case(network("outputDim"), [feat(), extra, ints, *bad(outputDim=NONE, hiddenSize=NONE, activation=["gelu", "Tanh"])]),
    "seriesDecomp": case(decomp, [rank(), rank(), even_window, even_window, extra, *without("kernelSize"), *bad(kernelSize=NONE, index=[2, -1])]),
    "nerfPositionalEncoding": case(nerf, [extra, lambda r, p, xs, dt: xs.__setitem__(0, []), *bad(numFreqs=NONE)]),
    "miniBatchStdDev": case(std_dev, [rank(), rank(), extra, ints]),
    "scatter": case(scatter, [large_index, large_index, rank(0), rank(1), rank(2), lose, extra, ints, ints, *bad(dim=[5, -6], reduce=["max", "sum"])]),
    "vaeBottleneck": case(vae, [feat(), extra, ints, lambda r, p, xs, dt: xs.__setitem__(0, []), *without("latentDim"), *bad(latentDim=NONE, index=[3, -1])]),
    "spatialPyramidPool": case(pyramid, [rank(), rank(), extra, ints, *bad(levels=[0, -1, [1, 0], []])]),
    "attentionPool": case(attention_pool, ONE + HEADS[:2] + [*without("embedDim"), default_heads]),
    "ftTransformerBlock": case(ft_block, ONE + HEADS[:2] + [*without("embedDim"), default_heads, *bad(ffDim=NONE)]),
    "perceiverLatent": case(perceiver, ONE + [*without("numLatents", "latentDim", "inputDim"), *bad(numLatents=NONE, latentDim=NONE, numHeads=NONE, headDim=NONE)]),
    "differentialAttention": case(differential, ONE + HEADS + [lambda r, p, xs, dt: p.__setitem__("numHeads", p["embedDim"])]),
    "dividedSpaceTimeAttention": case(divided_attention, ONE + HEADS[:2] + [*without("embedDim"), default_heads]),
    "mixtureOfDepths": case(depths, ONE + [*without("embedDim"), *bad(embedDim=NONE, ffDim=NONE, capacity=[0, 1.5, -0.5, "x"])]),
    "multiTokenPrediction": case(medusa, ONE + [*without("embedDim", "vocabSize"), *bad(vocabSize=NONE, numTokens=NONE, numLayers=NONE)]),
    "vectorQuantizer": case(quantizer(False), [feat(), feat(), no_axis, extra, ints, *without("numEmbeddings", "embeddingDim"), *bad(numEmbeddings=NONE)]),
    "residualVQ": case(quantizer(True), [feat(), feat(), no_axis, extra, ints, *without("numEmbeddings", "embeddingDim", "numQuantizers"), *bad(numQuantizers=NONE)]),
    "edgeConv": case(edge_conv, [feat(0), feat(0), rank(0), rank(1), two_rows, lose, extra, ints, *without("inChannels", "outChannels"), *bad(inChannels=NONE, outChannels=NONE)]),
    "kan": case(kan, [feat(), feat(), no_axis, extra, ints, *without("inFeatures", "outFeatures"), *bad(outFeatures=NONE, gridSize=NONE, splineOrder=NONE)]),
    "deltaNet": case(delta_net, ONE + HEADS[:2] + [*without("embedDim"), *bad(convKernel=NONE)]),
    "gatedDeltaNet": case(gated_delta_net, ONE + [*without("embedDim"), *bad(numHeads=NONE, headDim=NONE, expandV=NONE, convKernel=NONE)]),
    "gatedLinearAttention": case(gla, ONE + HEADS[:2] + [*without("embedDim"), *bad(expandK=[0, -1, 0.01], expandV=[0, -1], gateLowRankDim=NONE)]),
    "rgLru": case(rg_lru, ONE + HEADS[:2] + [*without("embedDim")]),
    "sparseConv3d": case(sparse, [chan(), rank(), extra, ints, *without("inChannels", "outChannels"), *bad(kernelSize=[2, 4, 0, -1], outChannels=NONE)]),
    "mLSTM": case(attention_pool, ONE + HEADS[:2] + [*without("embedDim"), default_heads]),
    "sLSTM": case(attention_pool, ONE + HEADS[:2] + [*without("embedDim"), default_heads]),
    "deformableAttention": case(deformable, [chan(), rank(), extra, ints] + HEADS[:2] + [*without("embedDim"), *bad(numPoints=NONE)]),
    "titansMemory": case(titans, ONE + HEADS[:2] + [*without("embedDim")]),
    "tttLayer": case(titans, ONE + HEADS[:2] + [*without("embedDim")]),
    "hyena": case(hyena, ONE + [*without("embedDim"), *bad(embedDim=NONE, filterDim=NONE)]),
    "nativeSparseAttention": case(native_sparse, ONE + HEADS[:2] + [uneven_keys, *without("embedDim", "numHeads"),
                                                                    *bad(numKVHeads=NONE, headDim=NONE, blockSize=NONE, topBlocks=NONE, slidingWindow=NONE)]),
    "gatedDeltaRule": case(delta_rule, [feat(0), feat(1), feat(2), rank(0), rank(1), lose, extra, ints, longer_first, *without("numHeads", "headDim"),
                                        *bad(numHeads=NONE, headDim=NONE, numKeyHeads=[0, -1, 4, 5], valueDim=NONE)]),
    "lshAttention": case(lsh, [feat(0), feat(1), rank(0), rank(1), lose, extra, ints, longer, longer, odd_buckets, *without("numHeads", "numBuckets"),
                               *bad(numHeads=NONE, numBuckets=NONE, chunkLength=NONE, numHashes=NONE, chunksBefore=[-1, "x"], chunksAfter=[-1, -2], dropout=[-0.1, 1.5])]),
    "bandAttention": case(band, [feat(0), feat(1), feat(2), rank(0), rank(1), lose, extra, ints, longer, longer, *without("numHeads", "windowSize"),
                                 *bad(numHeads=NONE, windowSize=[1, *NONE], dropout=[-0.1, 1.5])]),
    "tabnet": case(tab_net, [feat(), feat(), rank(), extra, ints, no_layers, *without("inputDim"),
                             *bad(inputDim=NONE, outputDim=NONE, decisionDim=NONE, numSteps=NONE, numShared=[-1, "x"], gamma=["x"])]),
    "setAbstraction": case(abstraction, ONE + [many_samples, many_samples, *without("numPoints", "numSamples", "radius", "inChannels", "mlp"),
                                               *bad(mlp=[[], [0], [4, -1], 8], inChannels=[2, 1], numPoints=NONE, radius=["x"])]),
}

FILL = {}
