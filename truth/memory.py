"""Measures training footprint and step time on the GPU: python3 memory.py OUT.jsonl [--seconds N] [--only PREFIX] [--smoke]

Two kinds of rows in one format. A row with `graph` trains the PyTorch modules that the catalogue stands for, a row with `config` and
`task` trains transformers' own modules with random weights. `peakBytes` is max_memory_allocated of a steady step, `reservedBytes`
max_memory_reserved, `steadyBytes` what is allocated between steps, `stepMs` the median of seven steps after four. Cross-entropy over
the output (transformers: its own loss, labels are the inputs); gradients are set to none; dropout is 0 in transformers' models;
cuBLAS's workspace, allocated once per process, is not in it. Rows with `aside` are never used to fit anything: their architecture
occurs in no other row. --smoke runs every row small, on the CPU, and measures nothing.

precision: fp32, tf32 (torch.backends.cuda.matmul.allow_tf32), amp (bf16 autocast), fp16 (fp16 autocast with GradScaler), bf16 (all of it).
optimizer: adamw, adam, sgd (momentum 0.9), sgd-plain, adamw-fused, adafactor: torch.optim with its defaults. adamw-8bit needs bitsandbytes.
checkpointing: torch.utils.checkpoint around each attention layer and block of a graph, gradient_checkpointing_enable() of transformers.
"""
import argparse, contextlib, gc, json, time, traceback, warnings
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
    return lm("moe", layers, e, v, s, residual(lambda b, x: b.add("groupedQueryAttention", x, embedDim=e, numHeads=12, numKVHeads=4),
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


def steps(m, o, loss_of, precision, base, dev, count=11, warm=4):
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
    torch.backends.cuda.matmul.allow_tf32 = False
    if dev != "cuda":
        return dict(params=sum(p.numel() for p in m.parameters()))
    times = sorted(times[warm:])
    return dict(peakBytes=peak, reservedBytes=torch.cuda.max_memory_reserved(), steadyBytes=torch.cuda.memory_allocated() - base,
                stepMs=round(1000 * times[len(times) // 2], 3), params=sum(p.numel() for p in m.parameters()))


def fresh(dev):
    gc.collect()
    if dev != "cuda":
        return 0
    torch.cuda.empty_cache(); torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats()
    return torch.cuda.memory_allocated()


def train_graph(g, c, dev, **more):
    base = fresh(dev)
    reference.EAGER = c["attention"] == "eager"
    with torch.device(dev) if hasattr(torch.device(dev), "__enter__") else contextlib.nullcontext():
        m = reference.Graph(g).train()
    if c["checkpointing"]:
        for i in m.order:
            if m.comps[i]["type"] in CHECKPOINTED:
                m.mods[m.key[i]] = Checkpointed(m.mods[m.key[i]])
    xs = m.inputs(c["batch"], dev)
    if c["precision"] == "bf16":
        m, xs = m.bfloat16(), {k: v.bfloat16() if v.is_floating_point() else v for k, v in xs.items()}
    if any("lazy" in type(x).__name__.lower() for x in m.modules()):
        m(xs)
    target = []

    def loss_of(cast):
        with cast():
            y = m(xs)
            y = y if y.dim() == 4 else y.reshape(-1, y.shape[-1])
            if not target:
                target.append(torch.zeros(y.shape[:1] + y.shape[2:], dtype=torch.long, device=dev))
            return F.cross_entropy(y, target[0]), y  # a script holds its logits through the step
    o = optimizer(c["optimizer"], m.parameters())
    return steps(m, o, loss_of, c["precision"], base, dev, **more)


DROPOUTS = ("attention_dropout", "attn_pdrop", "embd_pdrop", "resid_pdrop", "hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "dropout_rate", "hidden_dropout",
            "activation_dropout", "layerdrop", "drop_path_rate", "classifier_dropout", "encoder_layerdrop", "decoder_layerdrop", "qa_dropout", "seq_classif_dropout")


def auto(task):
    import transformers as t
    t.logging.set_verbosity_error()
    return {"causal-lm": t.AutoModelForCausalLM, "masked-lm": t.AutoModelForMaskedLM, "image-classification": t.AutoModelForImageClassification, "seq2seq-lm": t.AutoModelForSeq2SeqLM}[task]


def hf_config(c):
    from transformers import CONFIG_MAPPING
    cfg = CONFIG_MAPPING[c["type"]](**c["over"])
    for k in DROPOUTS:
        if isinstance(getattr(cfg, k, None), (int, float)):
            setattr(cfg, k, 0.0)
    d = json.loads(json.dumps(cfg.to_dict(), default=str))
    mapped = auto(c["task"])._model_mapping[type(cfg)]
    d["model_type"], d["architectures"] = c["type"], [(mapped[0] if isinstance(mapped, tuple) else mapped).__name__]
    for k in ("transformers_version", "_name_or_path", "id2label", "label2id"):
        d.pop(k, None)
    if c["task"] == "image-classification":
        d["num_labels"] = cfg.num_labels
    cfg.use_cache = False
    return cfg, d


def train_hf(cfg, c, dev, **more):
    base = fresh(dev)
    with torch.device(dev):
        m = auto(c["task"]).from_config(cfg, attn_implementation=c["attention"]).train()
    if c["precision"] == "bf16":
        m = m.bfloat16()
    if c["checkpointing"]:
        m.gradient_checkpointing_enable()
    o = optimizer(c["optimizer"], m.parameters())
    if c["task"] == "image-classification":
        x = dict(pixel_values=torch.randn(c["batch"], 3, cfg.image_size if hasattr(cfg, "image_size") else 224, cfg.image_size if hasattr(cfg, "image_size") else 224, device=dev,
                                          dtype=torch.bfloat16 if c["precision"] == "bf16" else torch.float32), labels=torch.zeros(c["batch"], dtype=torch.long, device=dev))
    else:
        ids = torch.randint(5, 1000, (c["batch"], c["seq"]), device=dev)
        x = dict(input_ids=ids, labels=ids)

    def loss_of(cast):
        with cast():
            return m(**x).loss, None
    return steps(m, o, loss_of, c["precision"], base, dev, **more)


def row_of(c):
    if c["kind"] == "graph":
        g = c["make"]()
        run = {k: c[k] for k in ("batch", "precision", "attention", "optimizer", "checkpointing", "aside")}
        return dict(id=f"{g['name']}-b{c['batch']}-{c['precision']}-{c['attention']}-{c['optimizer']}{'-ckpt' if c['checkpointing'] else ''}", **run), lambda dev: train_graph(g, run, dev), dict(graph=g)
    cfg, d = hf_config(c)
    p, a, o, *ck = c["run"].split()
    run = dict(task=c["task"], batch=c["batch"], seq=c["seq"], precision=p, attention=a, optimizer=o, checkpointing=bool(ck), aside=c["aside"])
    row = {("seqLen" if k == "seq" else k): v for k, v in run.items()}
    return dict(id=f"{c['type']}-b{c['batch']}-s{c['seq']}-{p}-{a}-{o}{'-ckpt' if ck else ''}", **row), lambda dev: train_hf(cfg, run, dev), dict(config=d)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--seconds", type=float, default=1e9); ap.add_argument("--only", default=""); ap.add_argument("--smoke", action="store_true"); ap.add_argument("--graphs", action="store_true")
    a = ap.parse_args()
    try:
        import more_blocks, more_ops
        reference.TYPES.update(more_ops.TYPES); reference.TYPES.update(more_blocks.TYPES)
        reference.MULTI |= set(more_ops.ARITY) | set(more_blocks.ARITY)
    except ImportError as e:
        print("without the further types:", e)
    reference.TYPES["moeLayer"], reference.TYPES["sharedExpertMoE"] = Routed, lambda p: Routed(p, True)
    dev, start = "cpu" if a.smoke else "cuda", time.time()
    if dev == "cuda":
        x = torch.randn(256, 256, device=dev, requires_grad=True)
        (x @ x).sum().backward(); (x.bfloat16() @ x.bfloat16()).sum().backward(); (x.half() @ x.half()).sum().backward()  # cuBLAS's workspace, once
        del x
    graphs, hf = list(graph_cases()), [] if a.graphs else list(hf_cases())
    cases = [c for i in range(max(len(graphs), len(hf))) for c in (graphs[i:i + 1] + hf[i:i + 1])]
    with open(a.out, "w") as f:
        for c in cases:
            if time.time() - start > a.seconds:
                print("out of time"); break
            if a.smoke:
                c = dict(c, batch=2)
            try:
                row, run, what = row_of(c)
                if a.only not in row["id"]:
                    continue
                t = time.time()
                row.update(run(dev), gpu=torch.cuda.get_device_name(0) if dev == "cuda" else "none", torch=torch.__version__, **what)
            except Exception as e:
                print("failed", c.get("type") or c["make"], c["precision"] if "precision" in c else c["run"], type(e).__name__, str(e)[:300], traceback.format_exc()[-400:] if a.smoke else "", flush=True)
                e = run = None
                continue
            f.write(json.dumps(row, separators=(",", ":")) + "\n"); f.flush()
            print(row["id"], row["params"], row.get("peakBytes", 0) >> 20, "MiB", row.get("stepMs"), f"{time.time() - t:.1f}s", flush=True)
            run = None


if __name__ == "__main__":
    main()
