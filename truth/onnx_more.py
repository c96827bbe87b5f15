"""Makes ONNX files beyond onnx.tgz: graphs of graphs.jsonl.gz, modules of torch.nn and small transformers models.

    python3 onnx_more.py new FOLDER    with torch 2.11, transformers and onnxscript: TorchScript and dynamo exporters
    python3 onnx_more.py old FOLDER    with torch 1.13: operator sets 7 to 16
    python3 onnx_more.py functions FOLDER SET BATCH    with torch 1.13: modules as local functions, one file for each call

writes files and an index.jsonl (file, params, output) into FOLDER. Every parameter gets its own values, so that the exporters
do not store two of them as one, and params counts those whose names are in the file. `go test ./internal/importer/onnx -run
Shrink -files FOLDER -into onnx-more.tgz` then sets the weights to zero and packs them.
"""
import gzip
import json
import math
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F


class Flat(nn.Module):
    def __init__(self, m, keys):
        super().__init__()
        self.m, self.keys = m, keys

    def forward(self, *xs):
        return self.m(dict(zip(self.keys, xs)))


class With(nn.Module):
    """A function of an input and of modules."""

    def __init__(self, f, *ms):
        super().__init__()
        self.ms, self.f = nn.ModuleList(ms), f

    def forward(self, x):
        return self.f(self.ms, x)


class Positions(nn.Module):
    """Sinusoids in a buffer, a class token, trained positions and a scale."""

    def __init__(self, n, d):
        super().__init__()
        pe, p = torch.zeros(n, d), torch.arange(n)[:, None]
        dv = torch.exp(torch.arange(0, d, 2) * (-math.log(1e4) / d))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(p * dv), torch.cos(p * dv)
        self.register_buffer("pe", pe[None])
        self.cls, self.pos, self.gamma = nn.Parameter(torch.randn(1, 1, d)), nn.Parameter(torch.randn(1, n, d)), nn.Parameter(torch.ones(d))
        self.l = nn.Linear(d, d)

    def forward(self, x):
        x = x + self.pe[:, :x.shape[1]]
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        x = x + self.pos[:, :x.shape[1]]
        return self.l(x) * self.gamma


class Causal(nn.Module):
    """Attention as nanoGPT writes it."""

    def __init__(self):
        super().__init__()
        self.qkv, self.o = nn.Linear(32, 96), nn.Linear(32, 32)
        self.register_buffer("bias", torch.tril(torch.ones(64, 64)).view(1, 1, 64, 64))

    def forward(self, x):
        b, t, c = x.size()
        q, k, v = [y.view(b, t, 4, 8).transpose(1, 2) for y in self.qkv(x).split(c, 2)]
        a = (q @ k.transpose(-2, -1)) * (1 / 8 ** .5)
        a = torch.softmax(a.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf")), -1)
        return self.o((a @ v).transpose(1, 2).contiguous().view(b, t, c))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.LSTM(16, 24, 2, batch_first=True, bidirectional=True)
        self.b = nn.GRU(48, 20, batch_first=True)
        self.c = nn.RNN(20, 12, batch_first=True, nonlinearity="relu")
        self.d = nn.LSTM(12, 12, bias=False)

    def forward(self, x):
        y, (h, _) = self.a(x)
        y, h2 = self.b(y)
        y, h3 = self.c(y)
        z, _ = self.d(y.transpose(0, 1))
        return torch.cat([h[-1], h[0], h2[0], h3[-1], z[-1]], 1)


def mixed(m, x):
    return torch.cat([m[0](x).topk(3, -1)[0], x.max(-1, keepdim=True)[0], x.std(-1, keepdim=True), x.norm(dim=-1, keepdim=True),
                      x.clamp(0.1, 0.9)[..., 1:7:2], x.flip(-1), x.cumsum(-1)], -1)


NEW = dict(
    gn=lambda: (nn.Sequential(nn.Conv2d(3, 16, 3), nn.GroupNorm(4, 16), nn.SiLU(), nn.InstanceNorm2d(16, affine=True), nn.InstanceNorm2d(16), nn.PReLU(16),
                              nn.Hardswish(), nn.Mish(), nn.GELU(approximate="tanh"), nn.Softplus(), nn.CELU(), nn.SELU(), nn.Hardsigmoid(), nn.ReLU6(),
                              nn.Hardtanh(-2, 2), nn.LogSoftmax(1), nn.Softsign()), (3, 20, 20)),
    pools=lambda: (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.MaxPool2d(3, 2, 1, ceil_mode=True), nn.AvgPool2d(3, 1, 1, count_include_pad=False),
                                 nn.ZeroPad2d((1, 2, 0, 1)), nn.ReflectionPad2d(1), nn.ReplicationPad2d(1), nn.PixelShuffle(2),
                                 nn.Upsample(scale_factor=1.5, mode="bilinear"), nn.Upsample(size=(20, 22), mode="nearest"), nn.BatchNorm2d(2, affine=False),
                                 nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 4)), (3, 24, 24)),
    d3=lambda: (nn.Sequential(nn.Conv3d(2, 4, 3, groups=2), nn.BatchNorm3d(4), nn.MaxPool3d(2), nn.ConvTranspose3d(4, 3, 2, stride=2, output_padding=1),
                              nn.AdaptiveAvgPool3d(1), nn.Flatten()), (2, 9, 9, 9)),
    d1=lambda: (nn.Sequential(nn.Conv1d(4, 8, 3, dilation=2, padding="same"), nn.ConvTranspose1d(8, 6, 4, stride=2, padding=1, groups=2, bias=False), nn.BatchNorm1d(6),
                              nn.AvgPool1d(2), nn.GLU(1), nn.LayerNorm(20), nn.LayerNorm([3, 20], elementwise_affine=False), nn.RMSNorm(20), nn.Unflatten(1, (1, 3)),
                              nn.Flatten(1, 2), nn.Dropout(0.3)), (4, 20)),
    posenc=lambda: (Positions(50, 32), (20, 32)),
    cross=lambda: (With(lambda m, x: m[0](m[1](x), x, x, need_weights=False)[0], nn.MultiheadAttention(32, 4, batch_first=True), nn.Linear(32, 32)), (11, 32)),
    rnns=lambda: (Recurrent(), (9, 16)),
    causal=lambda: (Causal(), (13, 32)),
    enc=lambda: (nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True), 2, enable_nested_tensor=False), (10, 32)),
    encpost=lambda: (nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu"), (10, 32)),
    dec=lambda: (With(lambda m, x: m[0](x, x * 2), nn.TransformerDecoderLayer(32, 4, 64, batch_first=True)), (10, 32)),
    einsum=lambda: (With(lambda m, x: torch.einsum("bij,bkj->bik", m[0](x), x), nn.Linear(8, 8)), (5, 8)),
    topk=lambda: (With(mixed, nn.Linear(8, 8)), (5, 8)),
)
OLD = dict(
    cnn=lambda: (nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU6(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(8, 8, 3, groups=8), nn.Hardtanh(-1, 1),
                               nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5), nn.Softmax(-1)), (3, 20, 20)),
    up=lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.Upsample(scale_factor=2), nn.Conv2d(8, 4, 1), nn.ConstantPad2d(1, 0.5)), (3, 9, 9)),
    upb=lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)), (3, 9, 9)),
    ln=lambda: (nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 8), nn.LayerNorm([5, 8]), nn.Tanh()), (5, 6)),
    gn=lambda: (nn.Sequential(nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.SiLU(), nn.InstanceNorm2d(8), nn.InstanceNorm2d(8, affine=True)), (3, 9, 9)),
    mha=lambda: (With(lambda m, x: m[0](x, x, x)[0], nn.MultiheadAttention(16, 4, batch_first=True)), (7, 16)),
    cross=lambda: (With(lambda m, x: m[0](m[1](x), x, x)[0], nn.MultiheadAttention(16, 4, batch_first=True), nn.Linear(16, 16)), (7, 16)),
    lstm=lambda: (With(lambda m, x: m[0](x)[0][:, -1], nn.LSTM(6, 8, 2, bidirectional=True, batch_first=True)), (7, 6)),
    gru=lambda: (With(lambda m, x: m[0](x)[1][-1], nn.GRU(6, 8, 1, batch_first=True)), (7, 6)),
    slicing=lambda: (With(lambda m, x: torch.cat([m[0](x)[:, 1:5:2], m[0](x).chunk(2, 1)[0], m[0](x).unsqueeze(1).squeeze(1)[:, -3:]], 1).mean(1, keepdim=True).sum(-1),
                          nn.Linear(6, 6)), (8, 6)),
    misc=lambda: (With(lambda m, x: torch.stack([F.dropout(m[0](x), 0.3), x.clamp(min=0.2), x.pow(2).sqrt(), F.hardswish(x), F.softplus(x), F.elu(x),
                                                 x.transpose(1, 2).transpose(1, 2)], 1).flatten(1, 2), nn.Linear(6, 6)), (8, 6)),
    enc=lambda: (nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), (7, 16)),
    prelu=lambda: (nn.Sequential(nn.Conv1d(3, 4, 3, padding=1), nn.PReLU(4), nn.PReLU(), nn.AvgPool1d(2, ceil_mode=True),
                                 nn.ConvTranspose1d(4, 2, 3, stride=2, padding=1, output_padding=1)), (3, 11)),
)
SIZES = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=100, max_position_embeddings=64)
GROUPED = dict(SIZES, num_key_value_heads=2)
MODELS = [
    ("BertModel", "BertConfig", SIZES), ("RobertaModel", "RobertaConfig", dict(SIZES, pad_token_id=1)),
    ("DistilBertModel", "DistilBertConfig", dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=100, max_position_embeddings=64)),
    ("GPT2LMHeadModel", "GPT2Config", dict(n_embd=64, n_layer=2, n_head=4, vocab_size=100, n_positions=64)), ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    ("Qwen2ForCausalLM", "Qwen2Config", dict(GROUPED, tie_word_embeddings=True)), ("MistralForCausalLM", "MistralConfig", GROUPED), ("GPTNeoXForCausalLM", "GPTNeoXConfig", SIZES),
    ("OPTForCausalLM", "OPTConfig", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128, vocab_size=100, max_position_embeddings=64, word_embed_proj_dim=64)),
    ("ElectraModel", "ElectraConfig", dict(SIZES, embedding_size=32)),
    ("T5EncoderModel", "T5Config", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=100)), ("ModernBertModel", "ModernBertConfig", dict(SIZES, pad_token_id=0)),
]
# How a model is exported: tag, exporter, options, batch; a batch of None is left open.
PLAIN = [("ts", False, dict(opset_version=17), 1), ("dy", True, dict(opset_version=20), 1)]
ALL = PLAIN + [("dy18", True, dict(opset_version=18), 1), ("dy22", True, dict(opset_version=22), 1), ("ts11", False, dict(opset_version=11), 1), ("tsdyn", False, dict(opset_version=14), None), ("tsb3", False, dict(opset_version=17), 3)]


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n, self.a, self.act, self.b = nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)

    def forward(self, x):
        return x + self.b(self.act(self.a(self.n(x))))


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.l, self.c, self.g = nn.ModuleList(Block(16) for _ in range(3)), nn.Conv1d(5, 7, 1), nn.GroupNorm(1, 7)

    def forward(self, x):
        for block in self.l:
            x = block(x)
        return self.g(self.c(x))


def fill(m):
    """Gives every parameter values of its own."""
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.fill_(0.01 + i * 1e-4)
            p.view(-1)[0] = 0.5 + i * 1e-3
        for i, (name, b) in enumerate(m.named_buffers()):
            if "running" in name and b.dtype.is_floating_point:
                b.fill_(0.5 + i * 1e-3)


def counted(m, path):
    import onnx
    names, seen, n = {i.name for i in onnx.load(path).graph.initializer}, set(), 0
    for name, p in m.named_parameters(remove_duplicate=False):
        if name in names and p.data_ptr() not in seen:
            seen.add(p.data_ptr())
            n += p.numel()
    return n


def cases():
    """Name, module, function from a batch to inputs, ways to export."""
    import reference
    import transformers
    seen = {}
    for i, line in enumerate(r for r in map(json.loads, gzip.open("graphs.jsonl.gz")) if r.get("ok") and r["params"] < 1_500_000):
        name = line["graph"]["name"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 5:
            continue
        m = reference.Graph(line["graph"]).eval()
        m(m.inputs(1, "cpu"))
        yield f"{name}-{i}", Flat(m, list(m.inputs(1, "cpu"))), (lambda b, m=m: tuple(m.inputs(b, "cpu").values())), ALL if seen[name] <= 2 else PLAIN
    for name, make in NEW.items():
        m, shape = make()
        yield "nn-" + name, m, (lambda b, shape=shape: (torch.randn(b, *shape),)), ALL
    for cls, config, kw in MODELS:
        c = getattr(transformers, config)(**kw)
        c.return_dict, c.use_cache, c._attn_implementation = False, False, "sdpa"
        m = getattr(transformers, cls)(c)
        yield "hf-" + cls, With(lambda ms, ids: ms[0](ids)[0], m), (lambda b: (torch.randint(0, 50, (b, 12)),)), ALL


def export(m, inputs, path, dynamo, options, batch):
    x = inputs(2 if batch is None else batch)
    if batch is None:
        names = [f"in{i}" for i in range(len(x))]
        options = dict(options, input_names=names, output_names=["out"], dynamic_axes={n: {0: "batch"} for n in names + ["out"]})
    if dynamo:
        torch.onnx.export(m, x, path, dynamo=True, optimize=False, external_data=False, **options)
    elif torch.__version__.startswith("1."):
        torch.onnx.export(m, x, path, do_constant_folding=False, training=torch.onnx.TrainingMode.PRESERVE, **options)
    else:
        torch.onnx.export(m, x, path, dynamo=False, do_constant_folding=False, **options)
    with torch.no_grad():
        return list(m(*x).shape)


def main(which, folder, version="17", batch="1"):
    os.makedirs(folder, exist_ok=True)
    rows = []
    if which == "functions":
        todo = [(f"fn-{version}-{batch}.onnx", Stack(), (lambda b: (torch.randn(b, 5, 16),)), False, dict(opset_version=int(version), export_modules_as_functions=True),
                 int(batch) or None)]
    elif which == "new":
        todo = [(f"{name}-{tag}.onnx", m, x, dynamo, options, batch) for name, m, x, ways in cases() for tag, dynamo, options, batch in ways]
    else:
        made = [(name, *make()) for name, make in OLD.items()]
        todo = [(f"old-{name}-{v}-{'01' if v % 2 == 0 else '00'}.onnx", m, (lambda b, shape=shape: (torch.randn(b, *shape),)), False, dict(opset_version=v), 1 if v % 2 else None)
                for name, m, shape in made for v in (7, 8, 9, 10, 11, 12, 13, 14, 16)]
    for file, m, inputs, dynamo, options, batch in todo:
        path = os.path.join(folder, file)
        try:
            m.eval()
            fill(m)
            shape = export(m, inputs, path, dynamo, options, batch)
            params = counted(m, path) if which == "new" else sum(p.numel() for p in m.parameters())
            rows.append(dict(file=file, torch=torch.__version__, params=params, output=shape))
        except Exception as e:  # an exporter does not know every operator in every version
            print(file, repr(e)[:120])
            if os.path.exists(path):
                os.remove(path)
    with open(os.path.join(folder, "index.jsonl"), "a") as f:
        f.writelines(json.dumps(r) + "\n" for r in rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
