"""Measures training footprint and step time on the GPU: python3 memory.py OUT.jsonl [--seconds N] [--only PREFIX] [--smoke] [--rows FILE]

Two kinds of rows in one format. A row with `graph` trains the PyTorch modules that the catalogue stands for, a row with `config` and
`task` trains transformers' own modules with random weights. `peakBytes` is max_memory_allocated of a steady step, `reservedBytes`
max_memory_reserved, `steadyBytes` what is allocated between steps, `stepMs` the median of seven steps after four. Cross-entropy over
the output (transformers: its own loss, labels are the inputs); gradients are set to none; dropout is 0 in transformers' models;
cuBLAS's workspace, allocated once per process, is not in it. Rows with `aside` are never used to fit anything: their architecture
occurs in no other row. --smoke runs every row small, on the CPU, and measures nothing. --rows measures the rows of a file: transformers'
models as replay.py plans them, which counts the same without a card.

precision: fp32, tf32 (torch.backends.cuda.matmul.allow_tf32), amp (bf16 autocast), fp16 (fp16 autocast with GradScaler), bf16 (all of it).
optimizer: adamw, adam, sgd (momentum 0.9), sgd-plain, adamw-fused, adafactor: torch.optim with its defaults. adamw-8bit needs bitsandbytes.
checkpointing: torch.utils.checkpoint around each attention layer and block of a graph, gradient_checkpointing_enable() of transformers.
"""
import argparse, contextlib, copy, gc, gzip, json, time, traceback, warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.utils.checkpoint
from graphs import B
import reference

warnings.filterwarnings("ignore")
CHECKPOINTED = set("""attentionCore basicBlock bottleneckBlock causalAttention coAttention conformerBlock convNeXtBlock crossAttention
crossAttentionBlock denseLayer ditBlock feedForward fpn geglu groupedQueryAttention invResidualBlock layerScale linearAttention localAttention
mbConvBlock mla moeLayer multiHeadAttention perceiverResampler retention ropeAttention scaledDotProductAttention seBlock selfAttention
sharedExpertMoE swiglu transformerBlock transformerDecoderBlock windowAttention""".split())


class Routed(nn.Module):
    """Experts that each see the tokens routed to them, as Mixtral's and Qwen2-MoE's blocks do; reference.MoE, which only counts, leaves most
    experts without gradients."""

    def __init__(self, p, shared=False):
        super().__init__()
        e, n, i = p["embedDim"], p["numExperts"], p["expertDim"]
        self.k, self.router = p["topK"], nn.Linear(e, n, bias=False)
        gated = lambda w: reference.Gated(dict(embedDim=e, intermediateSize=w), F.silu)
        self.experts = nn.ModuleList(gated(i) for _ in range(n))
        s = p.get("sharedExpertDim", i) if shared else p.get("numSharedExperts", 0) * p.get("sharedExpertDim", i)
        self.shared = gated(s) if s else None
        self.gate = nn.Linear(e, 1, bias=False) if shared and p.get("sharedGate", True) else None

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        share, chosen = self.router(flat).float().softmax(-1).topk(self.k, -1)
        share = (share / share.sum(-1, keepdim=True)).to(x.dtype)
        y = torch.zeros_like(flat)
        for n, expert in enumerate(self.experts):
            token, nth = (chosen == n).nonzero(as_tuple=True)
            y = y.index_add(0, token, (expert(flat[token]) * share[token, nth, None]).to(y.dtype))
        y = y.reshape(x.shape)
        if self.shared is None:
            return y
        s = self.shared(x)
        return y + (s if self.gate is None else torch.sigmoid(self.gate(x)) * s)


class Checkpointed(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, *xs):
        return torch.utils.checkpoint.checkpoint(self.m, *xs, use_reentrant=False)


# ---- graphs: each function takes the scale of --smoke, 1 for the real size and less for a small one

def lm(name, layers, e, v, s, block, norm="layerNorm", positions=True):
    b = B(f"{name}-{layers}x{e}")
    x = b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e)
    if positions:
        x = b.add("learnedPositionalEmbedding", x, maxLen=s, embedDim=e)
    n = lambda y: b.add(norm, y, normalizedShape=e)
    for _ in range(layers):
        x = block(b, n, x)
    b.add("output", b.add("lmHead", n(x), embedDim=e, vocabSize=v))
    return b.g


def residual(attend, feed):
    def block(b, n, x):
        x = b.add("add", [x, attend(b, n(x))])
        return b.add("add", [x, feed(b, n(x))])
    return block


def gpt(e=512, layers=6, v=32000, s=512):
    return lm("gpt", layers, e, v, s, residual(lambda b, x: b.add("multiHeadAttention", x, embedDim=e, numHeads=e // 64),
                                               lambda b, x: b.add("feedForward", x, embedDim=e, ffDim=4 * e)))


def llama(e=1024, layers=8, i=2816, v=32000, s=1024, h=16, kv=16):
    return lm("llama", layers, e, v, s, residual(lambda b, x: b.add("groupedQueryAttention", x, embedDim=e, numHeads=h, numKVHeads=kv),
                                                 lambda b, x: b.add("swiglu", x, embedDim=e, intermediateSize=i)), "rmsNorm", False)


def moe(e=768, layers=6, v=32000, s=1024, n=8, k=2, i=1536):
    return lm("moe", layers, e, v, s, residual(lambda b, x: b.add("groupedQueryAttention", x, embedDim=e, numHeads=e // 64, numKVHeads=4),
                                               lambda b, x: b.add("moeLayer", x, embedDim=e, numExperts=n, topK=k, expertDim=i)), "rmsNorm", False)


def sharedmoe(e=512, layers=8, v=24000, s=768, n=16, k=4, i=384):
    return lm("sharedmoe", layers, e, v, s, residual(lambda b, x: b.add("ropeAttention", x, embedDim=e, numHeads=8, numKVHeads=8),
                                                     lambda b, x: b.add("sharedExpertMoE", x, embedDim=e, numExperts=n, topK=k, expertDim=i, sharedExpertDim=1024)), "rmsNorm", False)


def rope(e=896, layers=10, v=48000, s=1536):
    return lm("rope-geglu", layers, e, v, s, residual(lambda b, x: b.add("ropeAttention", x, embedDim=e, numHeads=14, numKVHeads=2),
                                                      lambda b, x: b.add("geglu", x, embedDim=e, intermediateSize=2560)), "rmsNorm", False)


def decoder(e=640, layers=8, v=20000, s=384):
    return lm("decoder", layers, e, v, s, lambda b, n, x: b.add("transformerDecoderBlock", x, embedDim=e, numHeads=10, ffDim=2048, activation="gelu"))


def vit(e=768, h=12, layers=12, img=224, k=16):
    b = B(f"vit-{layers}x{e}")
    x = b.add("patchEmbed", b.add("input", shape=[3, img, img]), inChannels=3, patchSize=k, embedDim=e)
    x = b.add("learnedPositionalEmbedding", x, maxLen=(img // k) ** 2, embedDim=e)
    for _ in range(layers):
        x = b.add("transformerBlock", x, embedDim=e, numHeads=h, ffDim=4 * e, activation="gelu")
    x = b.add("mean", b.add("layerNorm", x, normalizedShape=e), dim=1)
    b.add("output", b.add("linear", x, inFeatures=e, outFeatures=1000))
    return b.g


def conv(b, x, i, o, k=3, s=1, g=1, act="relu"):
    x = b.add("batchNorm", b.add("conv2d", x, inChannels=i, outChannels=o, kernelSize=k, stride=s, padding=k // 2, groups=g, bias=False), numFeatures=o)
    return b.add(act, x) if act else x


def classify(b, x, c, n=1000):
    b.add("output", b.add("linear", b.add("globalAvgPool2d", x), inFeatures=c, outFeatures=n))
    return b.g


def resnet(blocks=(2, 2, 2, 2), wide=False, img=224, groups=1, name="resnet"):
    b = B(f"{name}-{sum(blocks)}{'b' if wide else ''}-{img}")
    x, c = b.add("maxpool2d", conv(b, b.add("input", shape=[3, img, img]), 3, 64, 7, 2), kernelSize=3, stride=2, padding=1), 64
    for st, n in enumerate(blocks):
        w = 64 * 2 ** st * (2 if groups > 1 else 1)
        o = 64 * 2 ** st * (4 if wide else 1)
        for j in range(n):
            s = 2 if j == 0 and st else 1
            y = conv(b, conv(b, x, c, w, 1), w, w, 3, s, groups) if wide else conv(b, x, c, w, 3, s)
            y = conv(b, y, w, o, 1 if wide else 3, act=None)
            z = conv(b, x, c, o, 1, s, act=None) if s > 1 or c != o else x
            x, c = b.add("relu", b.add("add", [y, z])), o
    return classify(b, x, c)


def densenet(img=224, growth=32):
    b = B(f"densenet-{img}")
    x, c = b.add("maxpool2d", conv(b, b.add("input", shape=[3, img, img]), 3, 64, 7, 2), kernelSize=3, stride=2, padding=1), 64
    for st, n in enumerate((6, 12, 24, 16)):
        for _ in range(n):
            x, c = b.add("denseLayer", x, inChannels=c, growthRate=growth), c + growth
        if st < 3:
            x = b.add("conv2d", b.add("relu", b.add("batchNorm", x, numFeatures=c)), inChannels=c, outChannels=c // 2, kernelSize=1, bias=False)
            x, c = b.add("avgpool2d", x, kernelSize=2), c // 2
    return classify(b, b.add("relu", b.add("batchNorm", x, numFeatures=c)), c)


def efficientnet(img=224):
    b = B(f"efficientnet-{img}")
    x, c = conv(b, b.add("input", shape=[3, img, img]), 3, 32, 3, 2, act="silu"), 32
    for t, k, s, o, n in ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)):
        for j in range(n):
            x, c = b.add("mbConvBlock", x, inChannels=c, outChannels=o, kernelSize=k, stride=s if j == 0 else 1, expandRatio=t), o
    return classify(b, conv(b, x, c, 1280, 1, act="silu"), 1280)


def convnext(img=224):
    b = B(f"convnext-{img}")
    x, c = b.add("conv2d", b.add("input", shape=[3, img, img]), inChannels=3, outChannels=96, kernelSize=4, stride=4), 96
    for st, n in enumerate((3, 3, 9, 3)):
        if st:
            x, c = b.add("conv2d", b.add("groupNorm", x, numGroups=1, numChannels=c), inChannels=c, outChannels=2 * c, kernelSize=2, stride=2), 2 * c
        for _ in range(n):
            x = b.add("convNeXtBlock", x, channels=c)
    return classify(b, x, c)


def mixer(img=224, k=16, e=512, layers=8):
    b = B(f"mixer-{layers}x{e}")
    n = (img // k) ** 2
    x = b.add("patchEmbed", b.add("input", shape=[3, img, img]), inChannels=3, patchSize=k, embedDim=e)
    for _ in range(layers):
        y = b.add("transpose", b.add("layerNorm", x, normalizedShape=e), dim0=1, dim1=2)
        y = b.add("linear", b.add("gelu", b.add("linear", y, inFeatures=n, outFeatures=256)), inFeatures=256, outFeatures=n)
        x = b.add("add", [x, b.add("transpose", y, dim0=1, dim1=2)])
        y = b.add("linear", b.add("layerNorm", x, normalizedShape=e), inFeatures=e, outFeatures=2048)
        x = b.add("add", [x, b.add("linear", b.add("gelu", y), inFeatures=2048, outFeatures=e)])
    b.add("output", b.add("linear", b.add("mean", b.add("layerNorm", x, normalizedShape=e), dim=1), inFeatures=e, outFeatures=1000))
    return b.g


def textcnn(v=30000, e=300, s=256, w=512):
    b = B(f"textcnn-{w}")
    x = b.add("transpose", b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e), dim0=1, dim1=2)
    ways = []
    for k in (3, 5, 7):
        y = b.add("relu", b.add("conv1d", x, inChannels=e, outChannels=w, kernelSize=k, padding=k // 2))
        y = b.add("relu", b.add("conv1d", y, inChannels=w, outChannels=w, kernelSize=k, padding=k // 2))
        ways.append(b.add("flatten", b.add("adaptiveMaxPool1d", y, outputSize=1)))
    x = b.add("dropout", b.add("concatenate", ways, dim=1), p=0.5)
    b.add("output", b.add("linear", x, inFeatures=3 * w, outFeatures=20))
    return b.g


def recurrent(ty, e=256, h=512, n=2, s=256, v=20000, two=False, **more):
    b = B(f"{ty}-{n}x{h}")
    x = b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e)
    x = b.add(ty, x, inputSize=e, hiddenSize=h, numLayers=n, **more)
    b.add("output", b.add("linear", x, inFeatures=h * (2 if two else 1), outFeatures=v))
    return b.g


def autoencoder(img=128, w=64):
    b = B(f"autoencoder-{img}")
    x, c = b.add("input", shape=[3, img, img]), 3
    for o in (w, 2 * w, 4 * w, 8 * w):
        x, c = b.add("leakyRelu", b.add("instanceNorm", b.add("conv2d", x, inChannels=c, outChannels=o, kernelSize=4, stride=2, padding=1), numFeatures=o)), o
    for o in (4 * w, 2 * w, w, w):
        x = b.add("transposeConv2d", x, inChannels=c, outChannels=o, kernelSize=4, stride=2, padding=1)
        x, c = b.add("elu", b.add("instanceNorm", x, numFeatures=o)), o
    b.add("output", b.add("conv2d", x, inChannels=c, outChannels=16, kernelSize=3, padding=1))
    return b.g


def video(img=96, frames=16):
    b = B(f"video-{frames}x{img}")
    x, c = b.add("input", shape=[3, frames, img, img]), 3
    for j, o in enumerate((32, 64, 128, 256)):
        x = b.add("relu", b.add("groupNorm", b.add("conv3d", x, inChannels=c, outChannels=o, kernelSize=3, padding=1), numGroups=8, numChannels=o))
        x, c = b.add("maxpool3d", x, kernelSize=[1, 2, 2] if j == 0 else 2), o
    x = b.add("flatten", b.add("adaptiveAvgPool3d", x, outputSize=1))
    b.add("output", b.add("linear", x, inFeatures=c, outFeatures=400))
    return b.g


def mlp(d=784, w=4096, n=6):
    b = B(f"mlp-{n}x{w}")
    x = b.add("input", shape=[d])
    for _ in range(n):
        x, d = b.add("relu", b.add("linear", x, inFeatures=d, outFeatures=w)), w
    b.add("output", b.add("linear", x, inFeatures=d, outFeatures=10))
    return b.g


def unet(img=256, w=64):
    b = B(f"unet-{img}")
    two = lambda x, i, o: conv(b, conv(b, x, i, o), o, o)
    x, c, skips = b.add("input", shape=[3, img, img]), 3, []
    for lv in range(4):
        x, c = two(x, c, w * 2 ** lv), w * 2 ** lv
        skips.append((x, c))
        x = b.add("maxpool2d", x, kernelSize=2)
    x, c = two(x, c, c * 2), c * 2
    for s, sc in reversed(skips):
        x = b.add("transposeConv2d", x, inChannels=c, outChannels=sc, kernelSize=2, stride=2)
        x, c = two(b.add("concatenate", [s, x], dim=1), 2 * sc, sc), sc
    b.add("output", b.add("conv2d", x, inChannels=c, outChannels=2, kernelSize=1))
    return b.g


def mlafour(e=1024, layers=6, v=32000, s=1024):
    return lm("mla", layers, e, v, s, residual(lambda b, x: b.add("mla", x, embedDim=e, numHeads=16, kvLoraRank=256, qLoraRank=384, qkNopeHeadDim=64, qkRopeHeadDim=32, vHeadDim=64),
                                               lambda b, x: b.add("swiglu", x, embedDim=e, intermediateSize=2816)), "rmsNorm", False)


def seq2seq(e=512, layers=4, v=16000, s=256):
    b = B(f"seq2seq-{layers}x{e}")
    src, x = (b.add("learnedPositionalEmbedding", b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e), maxLen=s, embedDim=e) for _ in range(2))
    for _ in range(layers):
        src = b.add("transformerBlock", src, embedDim=e, numHeads=8, ffDim=4 * e)
    for _ in range(layers):
        n = lambda y: b.add("layerNorm", y, normalizedShape=e)
        x = b.add("add", [x, b.add("causalAttention", n(x), embedDim=e, numHeads=8)])
        x = b.add("add", [x, b.add("crossAttention", [n(x), src], embedDim=e, numHeads=8)])
        x = b.add("add", [x, b.add("feedForward", n(x), embedDim=e, ffDim=4 * e)])
    b.add("output", b.add("lmHead", x, embedDim=e, vocabSize=v))
    return b.g


def inception(img=160):
    b = B(f"inception-{img}")
    x, c = b.add("maxpool2d", conv(b, b.add("input", shape=[3, img, img]), 3, 64, 5, 2), kernelSize=3, stride=2, padding=1), 64
    for w in (32, 48, 64, 96):
        ways = [conv(b, x, c, 2 * w, 1), conv(b, conv(b, x, c, w, 1), w, 2 * w), conv(b, conv(b, x, c, w, 1), w, w, 5),
                conv(b, b.add("maxpool2d", x, kernelSize=3, stride=1, padding=1), c, w, 1)]
        x, c = b.add("concatenate", ways, dim=1), 6 * w
        x = b.add("avgpool2d", x, kernelSize=2) if w in (48, 64) else x
    return classify(b, x, c)


def shuffle(img=224):
    b = B(f"shuffle-{img}")
    x, c = conv(b, b.add("input", shape=[3, img, img]), 3, 48, 3, 2), 48
    for o in (96, 192, 384):
        for j in range(3):
            y = b.add("channelShuffle", conv(b, x, c, o, 1, g=4), groups=4)
            y = conv(b, conv(b, y, o, o, 3, 2 if j == 0 else 1, o, None), o, o, 1, g=4, act=None)
            x, c = b.add("hardSwish", y if j == 0 else b.add("add", [x, y])), o
        x = b.add("seBlock", x, channels=c, reduction=8)
    return classify(b, x, c, 100)


def blocks(kind, img=224):
    b = B(f"{kind}-{img}")
    x, c = conv(b, b.add("input", shape=[3, img, img]), 3, 32, 3, 2, act="relu6"), 32
    if kind == "inverted":
        for t, o, n, s in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for j in range(n):
                x, c = b.add("invResidualBlock", x, inChannels=c, outChannels=o, stride=s if j == 0 else 1, expandRatio=t), o
    else:
        for o, n in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for j in range(n):
                x, c = b.add("bottleneckBlock", x, inChannels=c, channels=o, stride=2 if j == 0 else 1), 4 * o
    return classify(b, x, c)


def generator(w=64, z=128):
    b = B(f"generator-{w}")
    x, c = b.add("reshape", b.add("linear", b.add("input", shape=[z]), inFeatures=z, outFeatures=8 * w * 16), shape=[8 * w, 4, 4]), 8 * w
    for o in (8 * w, 4 * w, 2 * w, w):
        x = conv(b, b.add("upsample", x, scaleFactor=2, mode="nearest"), c, o, act="leakyRelu")
        x, c = b.add("upsample", x, scaleFactor=2, mode="bilinear") if o == w else x, o
    b.add("output", b.add("tanh", b.add("conv2d", x, inChannels=c, outChannels=8, kernelSize=3, padding=1)))
    return b.g


def tower(e=384, layers=6, s=400, f=80):
    b = B(f"conformer-{layers}x{e}")
    x = b.add("linear", b.add("input", shape=[s, f]), inFeatures=f, outFeatures=e)
    for _ in range(layers):
        x = b.add("conformerBlock", x, embedDim=e, numHeads=6)
    b.add("output", b.add("linear", x, inFeatures=e, outFeatures=1000))
    return b.g


def wavenet(w=128, s=4000):
    b = B(f"wavenet-{w}")
    x = b.add("conv1d", b.add("input", shape=[64, s]), inChannels=64, outChannels=w, kernelSize=1)
    for n in range(10):
        y = b.add("conv1d", x, inChannels=w, outChannels=2 * w, kernelSize=3, padding=2 ** (n % 5), dilation=2 ** (n % 5))
        x = b.add("add", [x, b.add("conv1d", b.add("glu", y, dim=1), inChannels=w, outChannels=w, kernelSize=1)])
    b.add("output", b.add("linear", b.add("globalAvgPool1d", x), inFeatures=w, outFeatures=100))
    return b.g


def wide(d=1024, w=8192, n=4):
    b = B(f"wide-{n}x{w}")
    x = b.add("input", shape=[d])
    for k in range(n):
        x, d = b.add("dropout", b.add(("gelu", "silu", "tanh", "mish")[k % 4], b.add("batchNorm", b.add("linear", x, inFeatures=d, outFeatures=w), numFeatures=w)), p=0.2), w
    b.add("output", b.add("linear", x, inFeatures=d, outFeatures=1000))
    return b.g


def classifier(ty="lstm", e=300, h=768, s=400, v=60000, **more):
    b = B(f"{ty}classifier-{h}")
    x = b.add(ty, b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e), inputSize=e, hiddenSize=h, returnSequences=False, **more)
    b.add("output", b.add("linear", b.add("dropout", x, p=0.3), inFeatures=h, outFeatures=10))
    return b.g


def vgg(img=224):
    b = B(f"vgg13bn-{img}")
    x, c = b.add("input", shape=[3, img, img]), 3
    for o in (64, 128, 256, 512, 512):
        x, c = b.add("maxpool2d", conv(b, conv(b, x, c, o), o, o), kernelSize=2), o
    x, d = b.add("flatten", x), 512 * (img // 32) ** 2
    for o in (4096, 4096):
        x, d = b.add("dropout", b.add("relu", b.add("linear", x, inFeatures=d, outFeatures=o)), p=0.5), o
    b.add("output", b.add("linear", x, inFeatures=d, outFeatures=1000))
    return b.g


def dit(e=768, layers=8, img=32, k=2):
    b = B(f"dit-{layers}x{e}")
    n = (img // k) ** 2
    x = b.add("learnedPositionalEmbedding", b.add("patchEmbed", b.add("input", shape=[4, img, img]), inChannels=4, patchSize=k, embedDim=e), maxLen=n, embedDim=e)
    c = b.add("linear", b.add("input", shape=[256]), inFeatures=256, outFeatures=e)
    for _ in range(layers):
        x = b.add("ditBlock", [x, c], embedDim=e, numHeads=12)
    b.add("output", b.add("linear", b.add("layerNorm", x, normalizedShape=e), inFeatures=e, outFeatures=32))
    return b.g


def more_cases():
    """Of kinds that the first had not, none aside: what a mended model was held to."""
    def case(make, batch, *runs, **more):
        for r in runs:
            p, a, o, c = (r.split() + ["sdpa", "adamw", ""][len(r.split()) - 1:] + [""])[:4]
            yield dict(kind="graph", make=make, batch=batch, precision=p, optimizer=o, attention=a, checkpointing=c == "ckpt", aside=False, **more)
    yield from case(mlafour, 4, "fp32", "amp", "bf16")
    yield from case(seq2seq, 16, "fp32", "amp", "bf16", "amp sdpa adamw ckpt")
    yield from case(inception, 64, "fp32", "amp")
    yield from case(shuffle, 64, "fp32", "amp", "bf16 sdpa sgd")
    yield from case(lambda: blocks("inverted"), 48, "fp32", "amp", "fp32 sdpa sgd ckpt")
    yield from case(lambda: blocks("bottleneck"), 32, "fp32", "amp", "bf16")
    yield from case(generator, 64, "fp32", "amp")
    yield from case(tower, 16, "fp32", "amp")
    yield from case(wavenet, 16, "fp32", "amp")
    yield from case(wide, 512, "fp32", "amp", "bf16 sdpa adafactor", "fp32 sdpa sgd")
    yield from case(classifier, 64, "fp32", "amp")
    yield from case(lambda: classifier("gru", h=512, numLayers=3), 64, "fp32")
    yield from case(vgg, 32, "fp32", "amp", "fp32 sdpa sgd")
    yield from case(dit, 16, "fp32", "amp", "bf16")
    yield from case(lambda: moe(e=512, layers=8, v=16000, s=512, n=16, k=4, i=768), 8, "amp", "fp32", "bf16 sdpa adamw ckpt")
    yield from case(lambda: gpt(e=1024, layers=4, v=50000, s=768), 3, "fp32 eager", "amp eager", "bf16 eager sgd", "fp32 sdpa adafactor")
    yield from case(lambda: vit(e=384, h=6, layers=8, img=256), 24, "fp32", "amp", "bf16", "bf16 eager", "fp32 sdpa adamw ckpt")
    yield from case(lambda: llama(e=768, layers=10, i=2048, v=16000, s=1536, h=12, kv=4), 3, "fp32", "amp", "bf16 eager", "fp16")
    yield from case(lambda: resnet((3, 4, 6, 3)), 24, "fp32", "amp", "bf16")
    yield from case(lambda: recurrent("lstm", e=512, h=1024, n=3, s=128, v=10000), 32, "fp32", "amp", "bf16")
    for lo in (dict(rank=16), dict(rank=64)):
        yield from case(llama, 4, "bf16", "amp", "fp32", lora=lo)
    yield from case(resnet, 32, "fp32", "amp", frozen="all but the last layer")
    yield from case(gpt, 8, "fp32", "amp", frozen="first half")
    yield from case(lambda: resnet((3, 4, 6, 3), True), 32, "fp32", frozen="first half")
    yield from case(gpt, 16, "fp32", "amp", microBatch=4)


def graph_cases():
    def case(make, batch, *runs, aside=False):
        for r in runs:
            p, o, c = (r.split() + ["adamw", ""])[:3] if " " in r else (r, "adamw", "")
            yield dict(kind="graph", make=make, batch=batch, precision=p, optimizer=o, attention="sdpa", checkpointing=c == "ckpt", aside=aside)
    yield from case(densenet, 16, "fp32", "amp", aside=True)
    yield from case(efficientnet, 32, "fp32", "amp", aside=True)
    yield from case(convnext, 32, "fp32", "amp", aside=True)
    yield from case(mixer, 64, "fp32", "amp", "bf16 adamw-fused", aside=True)
    yield from case(textcnn, 64, "fp32", "amp sgd", aside=True)
    yield from case(lambda: recurrent("bidirectionalGRU", h=384, two=True, s=200), 24, "fp32", "amp", aside=True)
    yield from case(sharedmoe, 4, "amp", "bf16", aside=True)
    yield from case(decoder, 8, "fp32", "amp", "amp adamw ckpt", aside=True)
    yield from case(autoencoder, 32, "fp32", "amp adam", aside=True)
    yield from case(rope, 4, "amp", "bf16 adafactor", "bf16 adamw ckpt", aside=True)
    yield from case(lambda: resnet((3, 4, 6, 3), True, groups=32, name="resnext"), 32, "fp32", "fp16 sgd", aside=True)
    yield from case(video, 8, "fp32", "amp", aside=True)
    yield from case(gpt, 16, "tf32", "fp16", "amp adam", "fp32 sgd-plain", "amp adamw-fused", "fp32 adafactor", "fp32 adamw ckpt", "amp adamw ckpt", "bf16 adamw ckpt")
    yield from case(llama, 6, "tf32", "bf16 adamw-fused", "amp adamw ckpt", "bf16 adafactor")
    yield from case(moe, 4, "fp32", "amp", "bf16", "amp adamw ckpt")
    yield from case(lambda: recurrent("gru"), 32, "fp32", "amp", "bf16")
    yield from case(lambda: recurrent("bidirectionalLSTM", h=256, n=1, two=True), 48, "fp32", "amp")
    yield from case(lambda: recurrent("rnn", h=1024, n=1), 32, "fp32")
    yield from case(vit, 48, "tf32", "fp16", "bf16", "amp adamw ckpt")
    yield from case(resnet, 64, "fp16", "bf16", "fp32 adamw-fused", "fp32 sgd-plain", "amp adafactor")
    yield from case(lambda: resnet((3, 4, 6, 3), True), 48, "bf16", "fp16 sgd")
    yield from case(mlp, 256, "fp32 adafactor", "fp32 sgd-plain", "fp32 adam", "fp32 adamw-fused", "bf16 sgd")
    yield from case(unet, 6, "bf16", "fp16")


# ---- transformers: task, model type, config, tokens, batch, aside
HF = [
    ("causal-lm", "opt", dict(), 1024, 4, True),
    ("causal-lm", "gemma", dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=1, head_dim=128, vocab_size=64000), 1024, 4, True),
    ("seq2seq-lm", "t5", dict(), 512, 8, True),
    ("causal-lm", "mixtral", dict(hidden_size=768, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=12, num_key_value_heads=4, vocab_size=32000, sliding_window=None), 1024, 4, True),
    ("causal-lm", "phi", dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=12, num_attention_heads=16, vocab_size=51200), 1024, 4, True),
    ("masked-lm", "roberta", dict(max_position_embeddings=514), 512, 12, True),
    ("image-classification", "deit", dict(), 0, 32, True),
    ("image-classification", "convnext", dict(), 0, 32, True),
    ("causal-lm", "gpt_neox", dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=50432), 1024, 4, True),
    ("masked-lm", "distilbert", dict(), 512, 16, True),
    ("causal-lm", "qwen3", dict(hidden_size=1024, intermediate_size=3072, num_hidden_layers=10, num_attention_heads=16, num_key_value_heads=8, head_dim=128, vocab_size=100000, tie_word_embeddings=True), 1024, 4, True),
    ("causal-lm", "bloom", dict(hidden_size=768, n_layer=10, n_head=12, vocab_size=60000), 768, 4, True),
    ("image-classification", "swin", dict(), 0, 32, True),
    ("image-classification", "resnet", dict(), 0, 32, True),
    ("seq2seq-lm", "bart", dict(encoder_layers=6, decoder_layers=6, d_model=768, encoder_ffn_dim=3072, decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12), 512, 8, True),
    ("causal-lm", "gemma2", dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=8, num_attention_heads=8, num_key_value_heads=4, head_dim=128, vocab_size=64000), 1024, 4, True),
    ("causal-lm", "phi3", dict(hidden_size=1024, intermediate_size=2816, num_hidden_layers=10, num_attention_heads=16, num_key_value_heads=16, vocab_size=32064, pad_token_id=0), 1024, 4, True),
]
AGAIN = [  # types of the shared rows with options that those have not
    ("causal-lm", "llama", dict(hidden_size=1024, intermediate_size=2816, num_hidden_layers=12, num_attention_heads=16, num_key_value_heads=4, vocab_size=32000), 1024, 8, ("amp sdpa adamw ckpt", "bf16 eager adamw ckpt", "fp16 sdpa sgd")),
    ("causal-lm", "gpt2", {}, 1024, 6, ("amp sdpa adamw ckpt", "tf32 sdpa adamw-fused", "bf16 sdpa adafactor")),
    ("masked-lm", "bert", {}, 512, 16, ("amp sdpa adamw ckpt", "fp16 eager adamw-fused")),
    ("image-classification", "vit", {}, 0, 32, ("tf32 sdpa sgd", "bf16 sdpa adamw ckpt")),
]


D = lambda h, i, l, a, kv, v, **k: dict(hidden_size=h, intermediate_size=i, num_hidden_layers=l, num_attention_heads=a, num_key_value_heads=kv, vocab_size=v, **k)
E = lambda h, i, l, a, v, **k: dict(hidden_size=h, intermediate_size=i, num_hidden_layers=l, num_attention_heads=a, vocab_size=v, **k)
FURTHER_ASIDE = ("albert", "dinov2", "segformer", "deepseek_v3", "gptj", "mobilenet_v2")
MORE = [  # further types
    ("causal-lm", "olmo2", D(1024, 2816, 8, 16, 16, 40000, pad_token_id=1), 768, 4),
    ("causal-lm", "granite", D(1024, 2816, 8, 16, 4, 40000), 1024, 4),
    ("causal-lm", "starcoder2", D(1024, 4096, 8, 16, 4, 40000), 1024, 4),
    ("causal-lm", "stablelm", D(1024, 2816, 8, 16, 16, 40000), 1024, 4),
    ("causal-lm", "falcon", dict(hidden_size=1024, num_hidden_layers=8, num_attention_heads=16, vocab_size=40000), 1024, 4),
    ("causal-lm", "gpt_neo", dict(hidden_size=768, num_layers=8, num_heads=12, vocab_size=40000, attention_types=[[["global", "local"], 4]], max_position_embeddings=1024), 1024, 4),
    ("causal-lm", "gptj", dict(n_embd=1024, n_layer=8, n_head=16, rotary_dim=32, vocab_size=40000, n_positions=1024), 1024, 4),
    ("causal-lm", "mpt", dict(d_model=1024, n_heads=16, n_layers=8, vocab_size=40000, max_seq_len=1024), 1024, 4),
    ("causal-lm", "cohere", D(1024, 2816, 8, 16, 4, 60000), 1024, 4),
    ("causal-lm", "smollm3", D(1024, 2816, 8, 16, 4, 40000, pad_token_id=0), 1024, 4),
    ("causal-lm", "mistral", D(1024, 2816, 8, 16, 4, 32000, sliding_window=256), 1024, 4),
    ("causal-lm", "gemma3_text", D(1024, 4096, 8, 8, 4, 64000, head_dim=128, sliding_window=512), 1024, 4),
    ("causal-lm", "qwen2_moe", D(768, 2048, 6, 12, 12, 40000, moe_intermediate_size=512, shared_expert_intermediate_size=1024, num_experts=16, num_experts_per_tok=4), 1024, 4),
    ("causal-lm", "qwen3_moe", D(768, 2048, 6, 12, 4, 40000, moe_intermediate_size=384, num_experts=32, num_experts_per_tok=4, head_dim=64), 1024, 4),
    ("causal-lm", "olmoe", D(768, 512, 6, 12, 12, 40000, num_experts=16, num_experts_per_tok=4), 1024, 4),
    ("causal-lm", "gpt_oss", D(768, 768, 6, 12, 4, 40000, num_local_experts=8, num_experts_per_tok=2, head_dim=64), 1024, 4),
    ("causal-lm", "deepseek_v3", D(768, 2048, 6, 12, 12, 40000, moe_intermediate_size=384, n_routed_experts=16, num_experts_per_tok=4, n_group=4, topk_group=2, first_k_dense_replace=1, q_lora_rank=256, kv_lora_rank=128, qk_nope_head_dim=64, qk_rope_head_dim=32, v_head_dim=64), 1024, 4),
    ("masked-lm", "electra", E(768, 3072, 8, 12, 30522, embedding_size=256), 512, 16),
    ("masked-lm", "albert", E(768, 3072, 12, 12, 30000), 512, 16),
    ("masked-lm", "deberta-v2", E(768, 3072, 8, 12, 60000, relative_attention=True, position_buckets=256, pos_att_type=["p2c", "c2p"], max_relative_positions=-1, norm_rel_ebd="layer_norm", share_att_key=True), 512, 8),
    ("masked-lm", "modernbert", E(768, 1152, 12, 12, 50368), 512, 16),
    ("masked-lm", "mpnet", E(768, 3072, 8, 12, 30527, max_position_embeddings=514), 512, 16),
    ("seq2seq-lm", "m2m_100", dict(encoder_layers=4, decoder_layers=4, d_model=768, encoder_ffn_dim=3072, decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12, vocab_size=50000), 384, 8),
    ("image-classification", "dinov2", {}, 0, 24), ("image-classification", "beit", {}, 0, 24), ("image-classification", "swinv2", dict(), 0, 24),
    ("image-classification", "mobilenet_v2", {}, 0, 48), ("image-classification", "regnet", {}, 0, 32), ("image-classification", "efficientnet", dict(image_size=224), 0, 12),
    ("image-classification", "convnextv2", {}, 0, 32), ("image-classification", "segformer", {}, 0, 32), ("image-classification", "bit", {}, 0, 16),
    ("image-classification", "siglip", {}, 0, 32),
]
ADAPTED = [
    ("causal-lm", "llama", D(1024, 2816, 12, 16, 4, 32000), 1024, 4, dict(lora=dict(rank=16)), ("bf16 sdpa adamw", "amp sdpa adamw", "fp32 sdpa adamw", "bf16 sdpa adamw ckpt")),
    ("causal-lm", "qwen2", D(1024, 2816, 12, 16, 4, 64000), 1024, 4, dict(lora=dict(rank=8, targets=["*.q_proj", "*.v_proj"])), ("bf16 sdpa adamw", "amp sdpa adamw")),
    ("masked-lm", "bert", {}, 512, 16, dict(frozen="first half"), ("fp32 sdpa adamw", "amp sdpa adamw")),
    ("image-classification", "vit", {}, 0, 32, dict(frozen="all but the last layer"), ("fp32 sdpa adamw", "bf16 sdpa adamw")),
]


def more_hf():
    for k, (task, ty, over, seq, batch) in enumerate(MORE):
        for run in ("amp sdpa adamw", ("bf16 eager adamw", "fp32 sdpa adamw", "bf16 sdpa sgd")[k % 3]):
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=ty in FURTHER_ASIDE)
    for task, ty, over, seq, batch, what, runs in ADAPTED:
        for run in runs:
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=False, **what)
    for task, ty, over, seq, batch in MORE[1:4] + MORE[23:24]:
        yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=2 * batch, run="amp sdpa adamw ckpt", aside=ty in FURTHER_ASIDE)


S = lambda d, f, l, h, v, **k: dict(d_model=d, encoder_ffn_dim=f, decoder_ffn_dim=f, encoder_layers=l, decoder_layers=l, encoder_attention_heads=h, decoder_attention_heads=h, vocab_size=v, **k)
T = lambda d, f, l, h, v, **k: dict(d_model=d, d_ff=f, num_layers=l, num_decoder_layers=l, num_heads=h, d_kv=d // h, vocab_size=v, **k)
KIN = [  # models that resemble those set aside which were estimated worst, none aside
    ("seq2seq-lm", "mt5", T(512, 2048, 6, 8, 40000, feed_forward_proj="relu"), 384, 8), ("seq2seq-lm", "umt5", T(768, 2048, 6, 12, 50000), 512, 6),
    ("seq2seq-lm", "longt5", T(512, 1536, 5, 8, 32000), 768, 6), ("seq2seq-lm", "pegasus", S(768, 3072, 5, 12, 60000), 512, 6),
    ("seq2seq-lm", "marian", S(512, 2048, 6, 8, 58101), 512, 8), ("seq2seq-lm", "mbart", S(1024, 4096, 4, 16, 50265), 384, 6),
    ("seq2seq-lm", "blenderbot", S(640, 2560, 5, 10, 8008, max_position_embeddings=512), 512, 8), ("seq2seq-lm", "led", S(768, 3072, 4, 12, 50265, attention_window=256), 1024, 4),
    ("image-classification", "donut-swin", {}, 0, 24), ("image-classification", "swinv2", dict(embed_dim=64, num_heads=[2, 4, 8, 16]), 0, 40), ("image-classification", "focalnet", {}, 0, 24),
    ("image-classification", "pvt", {}, 0, 32), ("image-classification", "levit", {}, 0, 96), ("image-classification", "cvt", dict(drop_path_rate=[0.0, 0.0, 0.0]), 0, 32),
    ("image-classification", "mobilevit", {}, 0, 48), ("image-classification", "poolformer", {}, 0, 48), ("image-classification", "convnextv2", dict(hidden_sizes=[64, 128, 256, 512]), 0, 48),
    ("causal-lm", "xlnet", dict(d_model=768, n_layer=6, n_head=12, d_inner=3072, vocab_size=32000), 512, 8), ("masked-lm", "funnel", dict(block_sizes=[3, 3, 3]), 512, 12),
    ("masked-lm", "nystromformer", E(768, 3072, 8, 12, 30000, max_position_embeddings=512), 512, 12), ("masked-lm", "big_bird", E(768, 3072, 6, 12, 50358), 1024, 4),
    ("masked-lm", "longformer", E(768, 3072, 6, 12, 50265, attention_window=256, max_position_embeddings=1030), 1024, 6),
]
FRESH = [  # set aside, of architectures that occur nowhere else; chosen before what the rows of KIN showed was mended
    ("causal-lm", "gpt_bigcode", dict(n_embd=768, n_layer=8, n_head=12, vocab_size=40000, n_positions=1024), 1024, 4), ("causal-lm", "codegen", dict(n_embd=1024, n_layer=8, n_head=16, rotary_dim=32, vocab_size=40000, n_positions=1024), 1024, 4),
    ("causal-lm", "xglm", dict(d_model=1024, num_layers=8, attention_heads=16, ffn_dim=4096, vocab_size=40000, max_position_embeddings=1024), 768, 4), ("causal-lm", "olmo", D(1024, 2816, 8, 16, 16, 40000), 1024, 4),
    ("causal-lm", "nemotron", D(1024, 4096, 8, 16, 4, 40000), 1024, 4), ("causal-lm", "glm", D(1024, 2816, 8, 16, 4, 50000, head_dim=64, pad_token_id=0), 1024, 4),
    ("causal-lm", "granitemoe", D(768, 512, 6, 12, 4, 40000, num_local_experts=16, num_experts_per_tok=4), 1024, 4), ("causal-lm", "helium", D(1024, 2816, 8, 16, 16, 48000, head_dim=64), 1024, 4),
    ("masked-lm", "roformer", E(768, 3072, 8, 12, 50000, embedding_size=768), 512, 12), ("masked-lm", "rembert", E(768, 3072, 6, 12, 60000, input_embedding_size=256, output_embedding_size=512), 512, 8),
    ("masked-lm", "xlm-roberta", E(768, 3072, 6, 12, 100000, max_position_embeddings=514), 512, 12), ("masked-lm", "squeezebert", E(768, 3072, 8, 12, 30528, embedding_size=768), 512, 12), ("masked-lm", "convbert", E(768, 3072, 8, 12, 30522), 512, 12),
    ("seq2seq-lm", "plbart", S(768, 3072, 6, 12, 50005), 512, 8), ("seq2seq-lm", "switch_transformers", T(512, 1024, 4, 8, 32128, num_experts=4), 512, 6), ("seq2seq-lm", "mvp", S(1024, 4096, 4, 16, 50267), 384, 6),
    ("seq2seq-lm", "prophetnet", dict(hidden_size=512, encoder_ffn_dim=2048, decoder_ffn_dim=2048, num_encoder_layers=4, num_decoder_layers=4, num_encoder_attention_heads=8, num_decoder_attention_heads=8), 256, 8),
    ("image-classification", "pvt_v2", {}, 0, 48), ("image-classification", "mobilevitv2", {}, 0, 48), ("image-classification", "vit_msn", {}, 0, 32), ("image-classification", "mobilenet_v1", {}, 0, 64),
    ("image-classification", "swiftformer", {}, 0, 48), ("image-classification", "dinov2_with_registers", {}, 0, 24), ("image-classification", "hgnet_v2", {}, 0, 32), ("image-classification", "data2vec-vision", {}, 0, 24),
]

LAST = [  # set aside, chosen before what the rows of FRESH showed was mended
    ("causal-lm", "persimmon", E(1024, 4096, 8, 16, 40000), 1024, 4), ("causal-lm", "arcee", D(1024, 4096, 8, 16, 4, 40000), 1024, 4), ("causal-lm", "ernie4_5", D(1024, 2816, 8, 16, 4, 40000, head_dim=64), 1024, 4),
    ("causal-lm", "cohere2", D(1024, 2816, 8, 16, 4, 60000, sliding_window=512), 1024, 4), ("causal-lm", "exaone4", D(1024, 2816, 8, 16, 4, 50000, sliding_window=512), 1024, 4),
    ("causal-lm", "glm4", D(1024, 2816, 8, 16, 4, 50000, head_dim=64, pad_token_id=0), 1024, 4), ("causal-lm", "phimoe", D(768, 1024, 6, 12, 4, 32064, num_local_experts=8, num_experts_per_tok=2), 1024, 4),
    ("causal-lm", "biogpt", E(1024, 4096, 8, 16, 42384), 1024, 4), ("causal-lm", "openai-gpt", dict(n_embd=768, n_layer=8, n_head=12), 512, 8), ("causal-lm", "seed_oss", D(1024, 2816, 8, 16, 4, 40000, head_dim=64), 1024, 4),
    ("causal-lm", "apertus", D(1024, 4096, 8, 16, 4, 40000, pad_token_id=0), 1024, 4), ("masked-lm", "ernie", E(768, 3072, 8, 12, 30522), 512, 12), ("masked-lm", "mobilebert", {}, 512, 12),
    ("masked-lm", "megatron-bert", E(1024, 4096, 6, 16, 29056), 512, 12), ("masked-lm", "camembert", E(768, 3072, 6, 12, 32005, max_position_embeddings=514), 512, 12), ("masked-lm", "nomic_bert", E(768, 3072, 6, 12, 30528), 512, 12),
    ("seq2seq-lm", "pegasus_x", S(768, 3072, 4, 12, 50000), 512, 4), ("seq2seq-lm", "blenderbot-small", S(512, 2048, 6, 8, 50265), 384, 8),
    ("image-classification", "pvt_v2", {}, 0, 48), ("image-classification", "levit", {}, 0, 96), ("image-classification", "ijepa", dict(hidden_size=768, num_hidden_layers=8, num_attention_heads=12, intermediate_size=3072, image_size=224, patch_size=16), 0, 32),
    ("image-classification", "pp_lcnet", {}, 0, 64),
]


def kin_hf():
    for run in ("amp sdpa adamw", "bf16 eager adamw", "fp32 sdpa adamw"):
        for task, ty, over, seq, batch in KIN:
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=False)
    for task, ty, over, seq, batch in KIN[:1] + KIN[4:5]:
        yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=2 * batch, run="amp sdpa adamw ckpt", aside=False)


def fresh_hf(chosen):
    for k, (task, ty, over, seq, batch) in enumerate(chosen):
        for run in ("amp sdpa adamw", ("bf16 eager adamw", "fp32 sdpa adamw", "bf16 sdpa sgd")[k % 3]):
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=True)


def infer_cases():
    """Models that are used, not trained: a prompt and what is generated behind it, greedily, or one batch of samples."""
    for p in ("bf16", "fp32"):
        for ty, over in (("llama", D(2048, 5632, 12, 16, 4, 32000)), ("gpt2", {}), ("qwen2", D(1024, 2816, 12, 16, 2, 100000)), ("mistral", D(1024, 2816, 8, 16, 4, 32000, sliding_window=512))):
            for batch, prompt, generated in ((8, 512, 64), (1, 1, 200), (16, 960, 16)):
                yield dict(kind="generate", task="causal-lm", type=ty, over=over, batch=batch, precision=p, prompt=prompt, generated=generated, attention="sdpa")
        yield dict(kind="generate", task="causal-lm", type="llama", over=D(1024, 2816, 8, 8, 8, 32000), batch=4, precision=p, prompt=1500, generated=16, attention="eager")
        for make, batch in ((resnet, 64), (vit, 64), (unet, 8), (lambda: llama(s=1024), 8), (gpt, 16), (mlp, 512), (lambda: blocks("inverted"), 64), (inception, 64)):
            yield dict(kind="forward", make=make, batch=batch, precision=p, attention="sdpa")


def hf_cases():
    for run in ("amp sdpa adamw", "bf16 eager adamw", "fp32 sdpa adamw"):
        for task, ty, over, seq, batch, aside in HF:
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=aside)
    for task, ty, over, seq, batch, runs in AGAIN:
        for run in runs:
            yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=batch, run=run, aside=False)
    for task, ty, over, seq, batch, aside in HF[:5]:
        yield dict(kind="hf", task=task, type=ty, over=over, seq=seq, batch=2 * batch, run="amp sdpa adamw ckpt", aside=aside)


# ---- measuring

def optimizer(name, params):
    o = torch.optim
    return {"adamw": lambda: o.AdamW(params, lr=1e-4), "adam": lambda: o.Adam(params, lr=1e-4), "adamw-fused": lambda: o.AdamW(params, lr=1e-4, fused=True),
            "sgd": lambda: o.SGD(params, lr=1e-3, momentum=0.9), "sgd-plain": lambda: o.SGD(params, lr=1e-3), "adafactor": lambda: o.Adafactor(params, lr=1e-3)}[name]()


class Adapter(nn.Module):
    """A frozen linear map and two thin ones beside it, as peft's LoRA without dropout and with its weights in the map's type."""

    def __init__(self, m, rank):
        super().__init__()
        i, o = (m.nf, m.nf) if hasattr(m, "nf") else (m.in_features, m.out_features)
        like = dict(device=m.weight.device, dtype=m.weight.dtype)
        self.m, self.a, self.b = m, nn.Linear(i, rank, bias=False, **like), nn.Linear(rank, o, bias=False, **like)

    def forward(self, x):
        return self.m(x) + self.b(self.a(x)) * 2.0


def adapt(m, c, head):
    """Freezes what a row says, and returns the names of the modules that are frozen."""
    if "lora" in c:
        m.requires_grad_(False)
        ends = [t.split(".")[-1] for t in c["lora"].get("targets", [])]
        for n, parent in list(m.named_modules()):
            for k, child in list(parent.named_children()):
                path = f"{n}.{k}" if n else k
                if isinstance(child, nn.Linear) and child is not head and not isinstance(parent, Adapter) and (not ends or k in ends):
                    setattr(parent, k, Adapter(child, c["lora"]["rank"]))
    return m


def steps(m, o, loss_of, precision, base, dev, count=11, warm=4, micro=1):
    count = count if dev == "cuda" else 1
    scaler = torch.amp.GradScaler(dev) if precision == "fp16" and dev == "cuda" else None
    if dev == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    cast = lambda: torch.autocast(dev, torch.float16 if precision == "fp16" and dev == "cuda" else torch.bfloat16) if precision in ("amp", "fp16") else contextlib.nullcontext()
    times, peak = [], 0
    for _ in range(count):
        if dev == "cuda":
            torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
        t = time.perf_counter()
        for _ in range(micro - 1):
            loss, logits = loss_of(cast)
            loss.backward()
            del loss, logits
        loss, logits = loss_of(cast)
        if scaler:
            scaler.scale(loss).backward(); scaler.step(o); scaler.update()
        else:
            loss.backward(); o.step()
        o.zero_grad(set_to_none=True)
        del loss, logits
        if dev == "cuda":
            torch.cuda.synchronize(); peak = torch.cuda.max_memory_allocated() - base
        times.append(time.perf_counter() - t)
    phases = {} if dev != "cuda" else trace(loss_of, cast, scaler, o, base) if micro == 1 else {}
    if PROFILE and dev == "cuda" and micro == 1:
        phases.update(profile(loss_of, cast, scaler, o))
    torch.backends.cuda.matmul.allow_tf32 = False
    if dev != "cuda":
        return dict(params=sum(p.numel() for p in m.parameters()))
    times = sorted(times[warm:])
    return dict(phases, peakBytes=peak, reservedBytes=torch.cuda.max_memory_reserved(), steadyBytes=torch.cuda.memory_allocated() - base,
                stepMs=round(1000 * times[len(times) // 2], 3), params=sum(p.numel() for p in m.parameters()))


LIVE = []  # what lived at the peak of the last run, for --live


def trace(loss_of, cast, scaler, o, base):
    """One more step, not timed: the most that was allocated in each of its phases, and what lived at the peak."""
    def most():
        torch.cuda.synchronize()
        n = torch.cuda.max_memory_allocated() - base
        torch.cuda.reset_peak_memory_stats()
        return n
    gc.collect(); torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
    if WATCH:
        torch.cuda.memory._record_memory_history(enabled="all", context="all", stacks="python", max_entries=400000)
    loss, logits = loss_of(cast)
    kept = torch.cuda.memory_allocated() - base
    forward = most()
    (scaler.scale(loss) if scaler else loss).backward()
    backward = most()
    if scaler:
        scaler.step(o); scaler.update()
    else:
        o.step()
    step = most()
    if WATCH:
        LIVE[:] = live(torch.cuda.memory._snapshot()["device_traces"][0])
        torch.cuda.memory._record_memory_history(enabled=None)
    o.zero_grad(set_to_none=True)
    return dict(keptBytes=kept, forwardBytes=forward, backwardBytes=backward, optimizerBytes=step)


def live(events):
    """Sizes, counts and places of what was allocated in this step and alive at its peak."""
    now, size, best, at = {}, 0, 0, -1
    for k, e in enumerate(events):
        if e["action"] == "alloc":
            now[e["addr"]] = e["size"]; size += e["size"]
        elif e["action"] == "free_requested" and e["addr"] in now:
            size -= now.pop(e["addr"])
        if size > best:
            best, at = size, k
    now = {}
    for e in events[:at + 1]:
        if e["action"] == "alloc":
            now[e["addr"]] = e
        elif e["action"] == "free_requested":
            now.pop(e["addr"], None)
    count = {}
    for e in now.values():
        frames = [f for f in e.get("frames") or [] if "/torch/" not in f["filename"].replace("/opt/torch/", "/")][:2]
        place = " < ".join(f"{f['filename'].rsplit('/', 1)[-1]}:{f['line']} {f['name']}" for f in frames) or "backward"
        count[e["size"], place] = count.get((e["size"], place), 0) + 1
    return sorted(([n, c, w] for (n, w), c in count.items()), key=lambda x: -x[0] * x[1])


WATCH = PROFILE = False


def profile(loss_of, cast, scaler, o):
    """One more step: how many kernels ran and for how long, how many operations the host called, and how long a step took it until the last was called."""
    from torch.profiler import ProfilerActivity
    def step():
        loss, logits = loss_of(cast)
        (scaler.scale(loss) if scaler else loss).backward()
        if scaler:
            scaler.step(o); scaler.update()
        else:
            o.step()
        o.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    t = time.perf_counter()
    step()
    host = time.perf_counter() - t
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], acc_events=True) as p:
        step()
        torch.cuda.synchronize()
    kernels, micros, calls = 0, 0.0, 0
    for e in p.profiler.kineto_results.events():
        if "CUDA" in str(e.device_type()):
            kernels += 1
            micros += e.duration_ns() / 1e3
        elif e.name().startswith("aten::"):
            calls += 1
    return dict(kernels=kernels, kernelMs=round(micros / 1e3, 3), calls=calls, hostMs=round(1000 * host, 3))


def fresh(dev):
    gc.collect()
    if dev != "cuda":
        return 0
    torch.cuda.empty_cache(); torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
    return torch.cuda.memory_allocated()


def graph_run(g, c, dev, lower=lambda m: m.bfloat16()):
    """The module of a graph with random weights, and a function that gives the loss and the logits of a batch."""
    reference.EAGER = c["attention"] == "eager"
    with torch.device(dev) if hasattr(torch.device(dev), "__enter__") else contextlib.nullcontext():
        m = reference.Graph(g).train()
    if c["checkpointing"]:
        for i in m.order:
            if m.comps[i]["type"] in CHECKPOINTED:
                m.mods[m.key[i]] = Checkpointed(m.mods[m.key[i]])
    xs = m.inputs(c.get("microBatch", c["batch"]), dev)
    if c["precision"] == "bf16":
        lower(m)
        xs = {k: v.bfloat16() if v.is_floating_point() else v for k, v in xs.items()}
    if any("lazy" in type(x).__name__.lower() for x in m.modules()):
        m(xs)
    target = []

    def loss_of(cast):
        with cast():
            y = m(xs)
            y = y if y.dim() == 4 else y.reshape(-1, y.shape[-1])
            if not target or target[0].shape[0] != y.shape[0]:
                target[:] = []
                target.append(torch.zeros(y.shape[:1] + y.shape[2:], dtype=torch.long, device=dev))
            return F.cross_entropy(y, target[0]), y  # a script holds its logits through the step
    adapt(m, c, next(m.mods[m.key[i]] for i in reversed(m.order) if m.comps[i]["type"] != "output"))
    for i in c.get("frozen", ()):
        m.mods[m.key[i]].requires_grad_(False)
    return m, loss_of


def train_graph(g, c, dev, **more):
    base = fresh(dev)
    m, loss_of = graph_run(g, c, dev)
    o = optimizer(c["optimizer"], [p for p in m.parameters() if p.requires_grad])
    return steps(m, o, loss_of, c["precision"], base, dev, micro=c["batch"] // c.get("microBatch", c["batch"]), **more)


DROPOUTS = ("attention_dropout", "attn_pdrop", "embd_pdrop", "resid_pdrop", "hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "dropout_rate", "hidden_dropout",
            "activation_dropout", "layerdrop", "drop_path_rate", "classifier_dropout", "encoder_layerdrop", "decoder_layerdrop", "qa_dropout", "seq_classif_dropout")


TASKS = {"causal-lm": "CausalLM", "masked-lm": "MaskedLM", "image-classification": "ImageClassification", "seq2seq-lm": "Seq2SeqLM"}


def auto(task):
    import transformers as t
    t.logging.set_verbosity_error()
    return getattr(t, "AutoModelFor" + TASKS[task])


def hf_config(c):
    from transformers import CONFIG_MAPPING
    cfg = CONFIG_MAPPING[c["type"]](**c["over"])
    for k in () if c.get("dropout") else DROPOUTS:
        if isinstance(getattr(cfg, k, None), (int, float)):
            setattr(cfg, k, type(getattr(cfg, k))(0))
    d = json.loads(json.dumps(cfg.to_dict(), default=str))
    mapped = auto(c["task"])._model_mapping[type(cfg)]
    d["model_type"], d["architectures"] = c["type"], [(mapped[0] if isinstance(mapped, tuple) else mapped).__name__]
    for k in ("transformers_version", "_name_or_path", "id2label", "label2id"):
        d.pop(k, None)
    if c["task"] == "image-classification":
        d["num_labels"] = cfg.num_labels
    return ready(cfg, c["task"], d["architectures"]), d


def hf_again(row):
    """The configuration of a row."""
    from transformers import CONFIG_MAPPING
    d = {k: v for k, v in row["config"].items() if k not in ("dtype", "num_labels")}
    cfg = CONFIG_MAPPING[d["model_type"]].from_dict(d)
    if "num_labels" in row["config"]:
        cfg.num_labels = row["config"]["num_labels"]
    return ready(cfg, row["task"], d["architectures"])


def ready(cfg, task, architectures):
    cfg.architectures, cfg.use_cache = architectures, False
    if task == "seq2seq-lm" and getattr(cfg, "decoder_start_token_id", None) is None:
        cfg.decoder_start_token_id = 0
    return cfg


def hf_run(cfg, c, dev, lower=lambda m: m.bfloat16()):
    """The model of a row, with random weights, and a batch for it."""
    with torch.device(dev):
        try:
            m = auto(c["task"]).from_config(copy.deepcopy(cfg), attn_implementation=c["attention"]).train()
        except ValueError:  # a model that has no such attention, or none at all
            m = auto(c["task"]).from_config(cfg).train()
    if c["precision"] == "bf16":
        lower(m)
    if c["checkpointing"]:
        m.gradient_checkpointing_enable()
    if "lora" in c and c["checkpointing"]:
        m.enable_input_require_grads()
    adapt(m, c, m.get_output_embeddings())
    for name in c.get("frozen", ()):
        m.get_submodule(name).requires_grad_(False)
    if c["task"] != "image-classification":
        ids = torch.randint(5, 1000, (c["batch"], c["seq"]), device=dev)
        return m, dict(input_ids=ids, labels=ids)
    side = getattr(cfg, "image_size", 224)
    high, wide = side if isinstance(side, (list, tuple)) else (side, side)
    return m, dict(pixel_values=torch.randn(c["batch"], 3, high, wide, device=dev, dtype=torch.bfloat16 if c["precision"] == "bf16" else torch.float32),
                   labels=torch.zeros(c["batch"], dtype=torch.long, device=dev))


def train_hf(cfg, c, dev, **more):
    base = fresh(dev)
    m, x = hf_run(cfg, c, dev)
    o = optimizer(c["optimizer"], [p for p in m.parameters() if p.requires_grad])

    def loss_of(cast):
        with cast():
            return m(**x).loss, None
    return steps(m, o, loss_of, c["precision"], base, dev, **more)


def frozen_of(words, order):
    """What stays as it is, of names in the order in which they run."""
    return order[:-1] if words == "all but the last layer" else order[:len(order) // 2]


def suffix(c):
    return ("-lora%d%s" % (c["lora"]["rank"], "qv" if c["lora"].get("targets") else "") if "lora" in c else "") + ("-" + c["frozen"].replace(" ", "") if "frozen" in c else "") + (f"-micro{c['microBatch']}" if "microBatch" in c else "")


def generate(c, dev):
    cfg, d = hf_config(dict(c, seq=0))
    cfg.use_cache = True
    base = fresh(dev)
    with torch.device(dev):
        m = auto(c["task"]).from_config(cfg, attn_implementation=c["attention"]).eval()
    m = m.to(torch.bfloat16 if c["precision"] == "bf16" else torch.float32)
    ids = torch.randint(5, 1000, (c["batch"], c["prompt"]), device=dev)
    for count in (2, c["generated"]):
        gc.collect(); torch.cuda.empty_cache(); torch.cuda.reset_peak_memory_stats()
        with torch.no_grad():
            m.generate(ids, max_new_tokens=count, min_new_tokens=count, do_sample=False, pad_token_id=0, eos_token_id=1, attention_mask=torch.ones_like(ids))
        torch.cuda.synchronize()
        peak = torch.cuda.max_memory_allocated() - base
    row = {k: c[k] for k in ("task", "batch", "precision", "prompt", "generated", "attention")}
    return dict(id=f"{c['type']}-b{c['batch']}-p{c['prompt']}-g{c['generated']}-{c['precision']}-{c['attention']}", **row, peakBytes=peak, reservedBytes=torch.cuda.max_memory_reserved(),
                params=sum(p.numel() for p in m.parameters()), config=d)


def forward(c, dev):
    g = c["make"]()
    base = fresh(dev)
    reference.EAGER = False
    with torch.device(dev):
        m = reference.Graph(g).eval()
    xs = m.inputs(c["batch"], dev)
    if c["precision"] == "bf16":
        m, xs = m.bfloat16(), {k: v.bfloat16() if v.is_floating_point() else v for k, v in xs.items()}
    for _ in range(3):
        torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
        with torch.no_grad():
            m(xs)
        torch.cuda.synchronize()
    return dict(id=f"{g['name']}-b{c['batch']}-{c['precision']}", batch=c["batch"], precision=c["precision"], attention=c["attention"], peakBytes=torch.cuda.max_memory_allocated() - base,
                reservedBytes=torch.cuda.max_memory_reserved(), params=sum(p.numel() for p in m.parameters()), graph=g)


def row_of(c):
    if c["kind"] == "row":
        row = {k: v for k, v in c["row"].items() if not k.endswith("Bytes")}
        return row, lambda dev: train_hf(hf_again(row), dict(row, seq=row["seqLen"]), dev), {}
    if c["kind"] == "graph":
        g = c["make"]()
        run = {k: c[k] for k in ("batch", "precision", "attention", "optimizer", "checkpointing", "aside", "lora", "microBatch") if k in c}
        if "frozen" in c:
            run["frozen"] = frozen_of(c["frozen"], [i["id"] for i in g["components"] if i["type"] not in ("input", "output")])
        return dict(id=f"{g['name']}-b{c['batch']}-{c['precision']}-{c['attention']}-{c['optimizer']}{'-ckpt' if c['checkpointing'] else ''}{suffix(c)}", **run), lambda dev: train_graph(g, run, dev), dict(graph=g)
    cfg, d = hf_config(c)
    p, a, o, *ck = c["run"].split()
    run = dict(task=c["task"], batch=c["batch"], seq=c["seq"], precision=p, attention=a, optimizer=o, checkpointing=bool(ck), aside=c["aside"])
    if "lora" in c:
        run["lora"] = c["lora"]
    if "frozen" in c:
        layers = [f"{'bert' if c['type'] == 'bert' else 'vit'}.{'encoder.layer' if c['type'] == 'bert' else 'layers'}.{k}" for k in range(12)]
        run["frozen"] = [layers[0].split(".")[0] + ".embeddings"] + (layers[:6] if c["frozen"] == "first half" else layers + ["vit.layernorm"])
    row = {("seqLen" if k == "seq" else k): v for k, v in run.items()}
    return dict(id=f"{c['type']}-b{c['batch']}-s{c['seq']}-{p}-{a}-{o}{'-ckpt' if ck else ''}{suffix(c)}", **row), lambda dev: train_hf(cfg, run, dev), dict(config=d)


def further_types():
    try:
        import more_blocks, more_ops
        reference.TYPES.update(more_ops.TYPES); reference.TYPES.update(more_blocks.TYPES)
        reference.MULTI |= set(more_ops.ARITY) | set(more_blocks.ARITY)
    except ImportError as e:
        print("without the further types:", e)
    reference.TYPES["moeLayer"], reference.TYPES["sharedExpertMoE"] = Routed, lambda p: Routed(p, True)


def settle(dev):
    """Has cuBLAS take its workspaces, once, outside the rows: cuBLASLt's of 1 MiB comes with the first layer that has a bias."""
    x = torch.randn(256, 256, device=dev, requires_grad=True)
    for d in (torch.float32, torch.bfloat16, torch.float16):
        F.linear(x.to(d), x.to(d), x[0].to(d)).sum().backward()
    (x @ x).sum().backward(); (x.bfloat16() @ x.bfloat16()).sum().backward(); (x.half() @ x.half()).sum().backward()


def main():
    global WATCH, PROFILE
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--seconds", type=float, default=1e9); ap.add_argument("--only", default=""); ap.add_argument("--smoke", action="store_true"); ap.add_argument("--profile", action="store_true"); ap.add_argument("--graphs", action="store_true"); ap.add_argument("--live", default=""); ap.add_argument("--more", action="store_true"); ap.add_argument("--infer", action="store_true"); ap.add_argument("--kin", action="store_true"); ap.add_argument("--fresh", action="store_true"); ap.add_argument("--last", action="store_true"); ap.add_argument("--rows", default=""); ap.add_argument("--without", default="")
    a = ap.parse_args()
    watch = open(a.live, "w") if a.live else None
    further_types()
    dev, start, PROFILE = "cpu" if a.smoke else "cuda", time.time(), a.profile
    if dev == "cuda":
        settle(dev)
    if a.infer:
        with open(a.out, "w") as f:
            for c in sorted(infer_cases(), key=lambda c: c["kind"]):
                try:
                    row = (generate if c["kind"] == "generate" else forward)(c, dev)
                except Exception as e:
                    print("failed", c, type(e).__name__, str(e)[:300], flush=True)
                    continue
                f.write(json.dumps(dict(row, gpu=torch.cuda.get_device_name(0), torch=torch.__version__), separators=(",", ":")) + "\n"); f.flush()
                print(row["id"], row["peakBytes"] >> 20, flush=True)
        return
    graphs, hf = (list(more_cases()), list(more_hf())) if a.more else (list(graph_cases()), [] if a.graphs else list(hf_cases()))
    if a.kin or a.fresh or a.last:
        graphs, hf = [], list(kin_hf() if a.kin else fresh_hf(FRESH if a.fresh else LAST))
    if a.rows:
        graphs, hf = [], [dict(kind="row", row=json.loads(l)) for l in open(a.rows)]
    done = {json.loads(l)["id"] for l in gzip.open(a.without, "rt")} if a.without else set()
    cases = [c for i in range(max(len(graphs), len(hf))) for c in (graphs[i:i + 1] + hf[i:i + 1])]
    with open(a.out, "w") as f:
        for c in cases:
            if time.time() - start > a.seconds:
                print("out of time"); break
            if a.smoke:
                c = dict(c, batch=2)
            try:
                row, run, what = row_of(c)
                if a.only not in row["id"] or row["id"] in done:
                    continue
                t = time.time()
                WATCH = watch is not None and not row["aside"]
                row.update(run(dev), gpu=torch.cuda.get_device_name(0) if dev == "cuda" else "none", torch=torch.__version__, **what)
            except Exception as e:
                print("failed", c["row"]["id"] if "row" in c else c.get("type") or c["make"], c.get("precision") or c.get("run"), type(e).__name__, str(e)[:300], traceback.format_exc()[-400:] if a.smoke else "", flush=True)
                if "CUDA error" in str(e):
                    raise
                e = run = None
                continue
            f.write(json.dumps(row, separators=(",", ":")) + "\n"); f.flush()
            print(row["id"], row["params"], row.get("peakBytes", 0) >> 20, "MiB", row.get("stepMs"), f"{time.time() - t:.1f}s", flush=True)
            if WATCH:
                watch.write(json.dumps(dict(id=row["id"], live=LIVE[:120]), separators=(",", ":")) + "\n"); watch.flush()
            run = None


if __name__ == "__main__":
    main()
