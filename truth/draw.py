"""Draws training runs at random and measures them on the GPU: python3 draw.py OUT.jsonl --seed N [--graphs N] [--models N] [--part 0/8] [--timed]

What nobody chose says more about models that nobody looked at. A drawn graph is a tower of PyTorch's modules of random kinds and widths; a
drawn model is one of transformers' types with its widths, heads, layers, biases, experts and activation changed, trained in a random way.
Every draw has a number of its own, so that a part of them is the same whoever measures the others. Rows are those of memory.py. Without
--timed they have no time, so that several parts can be measured at once on one card. --smoke runs them small, on the CPU.
"""
import argparse, gc, json, os, random, signal, sys, time, traceback
import torch
import memory
from graphs import B

ACTS = ("relu", "gelu", "silu", "leakyRelu", "elu", "tanh", "hardSwish", "mish", "relu6", "softplus", "sigmoid", "squaredRelu")
WAYS = ["fp32 sdpa", "amp sdpa", "amp eager", "bf16 sdpa", "bf16 eager"]


def way(r):
    """precision, attention, optimizer, checkpointing: mostly what the shared rows have."""
    p, a = r.choice(WAYS if r.random() < 0.85 else ["tf32 sdpa", "fp16 sdpa", "fp32 eager"]).split()
    o = "adamw" if r.random() < 0.75 else r.choice(["sgd", "sgd-plain", "adam", "adamw-fused", "adafactor"])
    return dict(precision=p, attention=a, optimizer=o, checkpointing=r.random() < 0.1)


# ---- graphs: each returns a graph and a batch

def sequence(r, name):
    """A tower over tokens: norm, mixer, norm, feed-forward, with residuals; or whole blocks."""
    h, d = r.choice([4, 8, 12]), r.choice([32, 48, 64, 96, 128])
    e, s, v, n = h * d, r.choice([96, 128, 250, 256, 384, 512, 1024]), r.choice([2000, 8000, 32000, 50257]), r.randint(2, 6)
    norm, act = r.choice(["layerNorm", "rmsNorm"]), r.choice(["relu", "gelu"])
    kv = r.choice([k for k in (1, 2, 4, 8, 12) if h % k == 0])
    mixers = [("multiHeadAttention", dict(embedDim=e, numHeads=h)), ("causalAttention", dict(embedDim=e, numHeads=h)), ("selfAttention", dict(embedDim=e, numHeads=h)),
              ("groupedQueryAttention", dict(embedDim=e, numHeads=h, numKVHeads=kv)), ("groupedQueryAttention", dict(embedDim=e, numHeads=h, numKVHeads=kv, causal=True, qkNorm=r.random() < 0.5)),
              ("ropeAttention", dict(embedDim=e, numHeads=h, numKVHeads=kv, bias=r.random() < 0.5)), ("mla", dict(embedDim=e, numHeads=h, kvLoraRank=128, qkNopeHeadDim=64, qkRopeHeadDim=32, vHeadDim=64)),
              ("linearAttention", dict(embedDim=e, numHeads=h)), ("localAttention", dict(embedDim=e, numHeads=h, windowSize=32)), ("retention", dict(embedDim=e, numHeads=h)),
              ("lstm", dict(inputSize=e, hiddenSize=e)), ("gru", dict(inputSize=e, hiddenSize=e)), ("multiHeadAttention", dict(embedDim=e, numHeads=h, dropout=0.1))]
    f = r.choice([2 * e, 4 * e, 8 * e // 3 // 8 * 8])
    feeds = [("feedForward", dict(embedDim=e, ffDim=f, activation=act)), ("swiglu", dict(embedDim=e, intermediateSize=f)), ("geglu", dict(embedDim=e, intermediateSize=f)),
             ("moeLayer", dict(embedDim=e, numExperts=8, topK=2, expertDim=f // 4)), ("sharedExpertMoE", dict(embedDim=e, numExperts=8, topK=2, expertDim=f // 4, sharedExpertDim=f // 2)), None]
    wholes = [("transformerBlock", dict(embedDim=e, numHeads=h, ffDim=f, activation=act, normFirst=r.random() < 0.5)), ("transformerBlock", dict(embedDim=e, numHeads=h, ffDim=f, dropout=0.1)),
              ("transformerDecoderBlock", dict(embedDim=e, numHeads=h, ffDim=f, activation=act)), ("conformerBlock", dict(embedDim=e, numHeads=h))]
    b = B(name)
    x = b.add("embedding", b.add("input", shape=[s]), numEmbeddings=v, embeddingDim=e)
    if r.random() < 0.5:
        x = b.add(r.choice(["learnedPositionalEmbedding", "positionalEncoding"]), x, maxLen=s, embedDim=e)
    whole, mixer, feed, drop = r.choice(wholes) if r.random() < 0.25 else None, r.choice(mixers), r.choice(feeds), r.random() < 0.2
    for _ in range(n):
        if whole:
            x = b.add(whole[0], x, **whole[1])
            continue
        y = b.add(mixer[0], b.add(norm, x, normalizedShape=e), **mixer[1])
        x = b.add("add", [x, b.add("dropout", y, p=0.1) if drop else y])
        y = b.add(norm, x, normalizedShape=e)
        if feed:
            y = b.add(feed[0], y, **feed[1])
        else:
            y = b.add("linear", b.add(r.choice(ACTS), b.add("linear", y, inFeatures=e, outFeatures=f)), inFeatures=f, outFeatures=e)
        x = b.add("add", [x, y])
    if r.random() < 0.7:
        b.add("output", b.add("lmHead", b.add(norm, x, normalizedShape=e), embedDim=e, vocabSize=v))
    else:
        b.add("output", b.add("linear", b.add("mean", b.add(norm, x, normalizedShape=e), dim=1), inFeatures=e, outFeatures=r.choice([2, 10, 1000])))
    return b.g, max(2, r.choice([2048, 4096, 8192]) // s)


def image(r, name):
    """A tower over pictures: stages of convolutions or whole blocks, each on half the side."""
    side, c = r.choice([64, 96, 128, 160, 224]), r.choice([24, 32, 48, 64])
    norm, act = r.choice(["batchNorm", "batchNorm", "groupNorm", "instanceNorm", None]), r.choice(ACTS)
    kind = r.choice(["conv", "conv", "basicBlock", "bottleneckBlock", "invResidualBlock", "mbConvBlock", "convNeXtBlock", "denseLayer", "separableConv2d", "grouped", "dilatedConv2d", "se"])
    bias, k = r.random() < 0.5, r.choice([3, 3, 3, 5])
    b = B(name)

    def normed(x, w):
        if norm == "groupNorm":
            x = b.add(norm, x, numGroups=8, numChannels=w)
        elif norm:
            x = b.add(norm, x, numFeatures=w)
        return b.add(act, x)
    x = b.add("conv2d", b.add("input", shape=[3, side, side]), inChannels=3, outChannels=c, kernelSize=r.choice([3, 7]), stride=2, padding=1, bias=bias)
    x = normed(x, c)
    for stage in range(r.randint(2, 4)):
        o = 2 * c if stage else c
        for j in range(r.randint(1, 3)):
            stride = 2 if stage and j == 0 else 1
            if kind in ("conv", "grouped", "dilatedConv2d", "se"):
                more = dict(groups=8) if kind == "grouped" else dict(dilation=2) if kind == "dilatedConv2d" else {}
                y = b.add("dilatedConv2d" if kind == "dilatedConv2d" else "conv2d", x, inChannels=c, outChannels=o, kernelSize=k, stride=stride, padding=(k // 2) * more.get("dilation", 1), bias=bias, **more)
                y = normed(y, o)
                y = b.add("seBlock", y, channels=o) if kind == "se" else y
                x = b.add("add", [x, y]) if c == o and stride == 1 else y
            elif kind == "separableConv2d":
                x = normed(b.add(kind, x, inChannels=c, outChannels=o, kernelSize=k, stride=stride, padding=k // 2), o)
            elif kind == "basicBlock":
                x = b.add(kind, x, inChannels=c, channels=o, stride=stride)
            elif kind == "bottleneckBlock":
                x = b.add(kind, x, inChannels=c, channels=o // 4, stride=stride)
            elif kind in ("invResidualBlock", "mbConvBlock"):
                x = b.add(kind, x, inChannels=c, outChannels=o, stride=stride, expandRatio=r.choice([2, 4, 6]))
            elif kind == "convNeXtBlock":
                x = b.add("conv2d", x, inChannels=c, outChannels=o, kernelSize=2, stride=2) if stride == 2 else x
                x = b.add(kind, x, channels=o)
            else:
                o = c + 32
                x = b.add("denseLayer", x, inChannels=c, growthRate=32)
            c = o
        if r.random() < 0.2:
            x = b.add(r.choice(["maxpool2d", "avgpool2d"]), x, kernelSize=2)
        if r.random() < 0.15:
            x = b.add("dropout2d", x, p=0.1)
    return memory.classify(b, x, c, r.choice([10, 100, 1000])), r.choice([8, 16, 24, 32, 64])


def dense(r, name):
    """Features through layers of all kinds of activations; pictures up and down again; sounds."""
    b, kind = B(name), r.random()
    if kind < 0.4:
        d = r.choice([64, 256, 784])
        x = b.add("input", shape=[d])
        for _ in range(r.randint(2, 7)):
            o = r.choice([256, 512, 1000, 2048, 4096])
            x = b.add("linear", x, inFeatures=d, outFeatures=o)
            x = b.add("batchNorm", x, numFeatures=o) if r.random() < 0.4 else b.add("layerNorm", x, normalizedShape=o) if r.random() < 0.3 else x
            x, d = b.add(r.choice(ACTS), x), o
            x = b.add("dropout", x, p=0.2) if r.random() < 0.3 else x
        b.add("output", b.add("linear", x, inFeatures=d, outFeatures=r.choice([2, 10, 1000])))
        return b.g, r.choice([64, 256, 1000, 4096])
    if kind < 0.7:
        side, c, depth, skips = r.choice([64, 128, 192]), r.choice([16, 32, 48]), r.randint(2, 4), []
        x, i, up, act = b.add("input", shape=[3, side, side]), 3, r.random() < 0.5, r.choice(ACTS)
        two = lambda x, i, o: memory.conv(b, memory.conv(b, x, i, o, act=act), o, o, act=act)
        for lv in range(depth):
            x, i = two(x, i, c * 2 ** lv), c * 2 ** lv
            skips.append((x, i))
            x = b.add("maxpool2d", x, kernelSize=2)
        x, i = two(x, i, 2 * i), 2 * i
        for y, w in reversed(skips):
            if up:
                x = b.add("conv2d", b.add("upsample", x, scaleFactor=2, mode=r.choice(["nearest", "bilinear"])), inChannels=i, outChannels=w, kernelSize=1)
            else:
                x = b.add("transposeConv2d", x, inChannels=i, outChannels=w, kernelSize=2, stride=2)
            x, i = two(b.add("concatenate", [y, x], dim=1), 2 * w, w), w
        b.add("output", b.add("conv2d", x, inChannels=i, outChannels=r.choice([2, 21]), kernelSize=1))
        return b.g, r.choice([2, 4, 8])
    s, c, act = r.choice([500, 1000, 4000]), r.choice([32, 64, 128]), r.choice(ACTS)
    x, i = b.add("input", shape=[r.choice([1, 16, 80]), s]), None
    i = b.g["components"][0]["params"]["shape"][0]
    for j in range(r.randint(2, 6)):
        k = r.choice([3, 5, 9])
        x, i = b.add("conv1d", x, inChannels=i, outChannels=c, kernelSize=k, padding=k // 2, stride=r.choice([1, 1, 2])), c
        x = b.add("batchNorm", x, numFeatures=c) if r.random() < 0.6 else x
        x = b.add(act, x)
        c = min(512, c * r.choice([1, 2]))
    if r.random() < 0.4:
        x = b.add("transpose", x, dim0=1, dim1=2)
        two = r.random() < 0.5
        x = b.add(("bidirectionalLSTM" if two else "lstm"), x, inputSize=i, hiddenSize=256, returnSequences=False)
        x, i = x, 512 if two else 256
    else:
        x = b.add("globalAvgPool1d", x)
    b.add("output", b.add("linear", x, inFeatures=i, outFeatures=100))
    return b.g, r.choice([8, 16, 32])


def vision_transformer(r, name):
    h, d = r.choice([3, 6, 8, 12]), r.choice([32, 64])
    e, side, k = h * d, r.choice([96, 128, 224]), r.choice([8, 16])
    b = B(name)
    x = b.add("patchEmbed", b.add("input", shape=[3, side, side]), inChannels=3, patchSize=k, embedDim=e)
    n = (side // k) ** 2
    token = r.random() < 0.5
    if token:
        x, n = b.add("classToken", x, embedDim=e), n + 1
    x = b.add("learnedPositionalEmbedding", x, maxLen=n, embedDim=e)
    for _ in range(r.randint(2, 8)):
        x = b.add("transformerBlock", x, embedDim=e, numHeads=h, ffDim=r.choice([2, 4]) * e, activation="gelu", normFirst=True)
    x = b.add("layerNorm", x, normalizedShape=e)
    x = b.add("select", x, index=0) if token else b.add("mean", x, dim=1)
    b.add("output", b.add("linear", x, inFeatures=e, outFeatures=r.choice([10, 1000])))
    return b.g, r.choice([4, 8, 16, 32])


def graph(seed, k):
    r = random.Random(f"graph/{seed}/{k}")
    g, batch = r.choice([sequence, sequence, image, image, dense, vision_transformer])(r, f"drawn{seed}.{k}")
    return dict(kind="graph", make=lambda: g, batch=batch, aside=False, **way(r))


# ---- transformers' models

def changed(base, r):
    """Values for the keys that a configuration has: widths that go together, and what can be switched."""
    h = r.choice([4, 8, 12, 16])
    d, o = r.choice([32, 64, 64, 128]), {}
    e, kv, f, n, whole = h * d, r.choice([k for k in (1, 2, 4, 8, 12, 16) if h % k == 0]), 128 * r.randint(4, 24), r.randint(2, 5), lambda k: isinstance(base.get(k), int) and not isinstance(base.get(k), bool)
    for keys, value in ((("hidden_size", "n_embd", "d_model"), e), (("num_attention_heads", "n_head", "encoder_attention_heads", "decoder_attention_heads"), h), (("intermediate_size", "encoder_ffn_dim", "decoder_ffn_dim"), f),
                        (("num_hidden_layers", "n_layer", "encoder_layers", "decoder_layers"), n), (("vocab_size",), r.choice([4000, 20000, 32000, 50257])), (("moe_intermediate_size",), 64 * r.randint(2, 12)),
                        (("num_local_experts", "num_experts", "n_routed_experts"), r.choice([4, 8, 16])), (("num_experts_per_tok",), 2), (("n_group", "topk_group"), 1)):
        o.update({k: value for k in keys if whole(k)})
    if "num_key_value_heads" in base and not isinstance(base["num_key_value_heads"], list):
        o["num_key_value_heads"] = kv
    if base.get("head_dim", 0) is None or whole("head_dim"):
        o["head_dim"] = d if r.random() < 0.7 else r.choice([32, 64, 128])
    for k in ("tie_word_embeddings", "attention_bias", "mlp_bias", "use_bias"):
        if isinstance(base.get(k), bool):
            o[k] = r.random() < 0.5
    o.update({k: 1 for k in base if k.endswith("_token_id") and whole(k) and base[k] >= 4000})  # of tokens that a small vocabulary has not
    act = r.choice(["gelu", "relu", "silu", "gelu_new", "gelu_pytorch_tanh"])
    for k in ("hidden_act", "hidden_activation", "activation_function"):
        if isinstance(base.get(k), str) and r.random() < 0.3:
            o[k] = act
    if isinstance(base.get("depths"), (list, tuple)):
        o["depths"] = [r.randint(1, 3) for _ in base["depths"]]
    if whole("embed_dim") and isinstance(base.get("num_heads"), (list, tuple)):
        o["embed_dim"] = base["num_heads"][0] * r.choice([16, 32])
    return o


def pairs():
    from transformers import CONFIG_MAPPING
    for task in memory.TASKS:
        mapping = memory.auto(task)._model_mapping
        for ty in sorted(CONFIG_MAPPING.keys()):
            try:
                if CONFIG_MAPPING[ty] in mapping.keys():
                    yield task, ty
            except Exception:
                continue


def model(seed, k, known):
    """Draw k: every pair of a task and a type comes once before any comes again."""
    order = list(known)
    random.Random(f"models/{seed}/{k // len(order)}").shuffle(order)
    task, ty = order[k % len(order)]
    r = random.Random(f"model/{seed}/{k}")
    from transformers import CONFIG_MAPPING
    over = changed(CONFIG_MAPPING[ty]().to_dict(), r)
    drop, run, image = r.random() < 0.1, way(r), task == "image-classification"
    cfg, d = memory.hf_config(dict(type=ty, task=task, over=over, dropout=drop))
    places = min(v for k, v in {**d, "": 1 << 30}.items() if k in ("", "max_position_embeddings", "n_positions", "max_target_positions", "max_seq_len", "max_seq_length") and isinstance(v, int) and v > 0)
    s = 0 if image else min(r.choice([64, 128, 200, 256, 384, 512, 1000, 1024]), places - 2)
    batch = r.choice([4, 8, 16]) if image else max(1, r.choice([1024, 2048, 4096, 6144]) // s)
    row = dict(task=task, batch=batch, seqLen=s, **run, aside=False)
    return dict(id=f"{ty}-{seed}.{k}-b{batch}-s{s}-{run['precision']}-{run['attention']}-{run['optimizer']}{'-ckpt' if run['checkpointing'] else ''}{'-dropout' if drop else ''}", **row), cfg, d


def measure(c, dev, a, known):
    """A row of draw c, which is a pair of a kind and a number."""
    few = {} if a.timed or a.smoke else dict(count=3, warm=1)  # of fp16 more, until the scaler lets the optimizer step
    if c[0] == "graph":
        c = graph(a.seed, c[1])
        if a.smoke:
            c["batch"] = 2
        g = c["make"]()
        run = {k: c[k] for k in ("batch", "precision", "attention", "optimizer", "checkpointing", "aside")}
        row = dict(id=f"{g['name']}-b{c['batch']}-{c['precision']}-{c['attention']}-{c['optimizer']}{'-ckpt' if c['checkpointing'] else ''}", **run)
        return dict(row, **memory.train_graph(g, run, dev, **({} if run["precision"] == "fp16" else few)), graph=g)
    row, cfg, d = model(a.seed, c[1], known)
    return dict(row, **memory.train_hf(cfg, dict(row, seq=min(row["seqLen"], 16) if a.smoke else row["seqLen"], batch=2 if a.smoke else row["batch"]), dev, **({} if row["precision"] == "fp16" else few)), config=d)


def late(*_):
    raise TimeoutError("took too long")


def main():
    signal.signal(signal.SIGALRM, late)
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--seed", default="1"); ap.add_argument("--graphs", type=int, default=0); ap.add_argument("--models", type=int, default=0); ap.add_argument("--part", default="0/1")
    ap.add_argument("--seconds", type=float, default=1e9); ap.add_argument("--timed", action="store_true"); ap.add_argument("--smoke", action="store_true"); ap.add_argument("--room", type=float, default=1.0); ap.add_argument("--after", type=int, default=-1)
    a = ap.parse_args()
    memory.further_types()
    dev, start, memory.PROFILE = "cpu" if a.smoke else "cuda", time.time(), a.timed
    if dev == "cuda":
        torch.cuda.set_per_process_memory_fraction(a.room)
        memory.settle(dev)
    known = list(pairs()) if a.models else []
    draws = [x for k in range(max(a.graphs, a.models)) for x in ([("graph", k)] if k < a.graphs else []) + ([("model", k)] if k < a.models else [])]
    part, parts = map(int, a.part.split("/"))
    with open(a.out, "a" if a.after >= 0 else "w") as f:
        for n, c in list(enumerate(draws[part::parts]))[a.after + 1:]:
            if time.time() - start > a.seconds:
                print("out of time at", c); break
            t = time.time()
            try:
                signal.alarm(60)
                row = dict(measure(c, dev, a, known), gpu=torch.cuda.get_device_name(0) if dev == "cuda" else "none", torch=torch.__version__)
            except Exception as e:
                print("failed", c, type(e).__name__, str(e)[:200].replace("\n", " "), traceback.format_exc()[-600:] if a.smoke and c[0] == "graph" else "", flush=True)
                if "CUDA error" in str(e):  # nothing runs in this process any more
                    os.execv(sys.executable, [sys.executable, *sys.argv, "--after", str(n), "--seconds", str(a.seconds - time.time() + start)])
                e = None
                gc.collect()
                continue
            finally:
                signal.alarm(0)
            if not a.timed:
                row.pop("stepMs", None)
            f.write(json.dumps(row, separators=(",", ":")) + "\n"); f.flush()
            print(row["id"], row["params"], row.get("peakBytes", 0) >> 20, "MiB", row.get("stepMs", ""), f"{time.time() - t:.1f}s", flush=True)


if __name__ == "__main__":
    main()
