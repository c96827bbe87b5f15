"""Compares the code that exported files bring along with the libraries that it stands for: python3 supplied.py FOLDER

FOLDER has the files of internal/exporter/torch/python. Graph layers, for which Debian has no library, are compared with dense matrices.
Prints the largest difference of each; a difference above 1e-4 of the largest value is an error.
"""
import glob, math, sys, warnings
import torch, torchaudio, torchvision
import torch.nn as nn
import torch.nn.functional as F

warnings.filterwarnings("ignore")
torch.manual_seed(0)
worst = {}


def compare(name, want, got):
    if want.shape != got.shape:
        sys.exit(f"{name}: {tuple(got.shape)}, not {tuple(want.shape)}")
    difference = ((want - got).abs().max() / want.abs().max().clamp(min=1e-9)).item()
    worst[name] = max(worst.get(name, 0.0), difference)


def boxes():
    a = torch.rand(5, 4) * 12
    out = torch.cat([torch.minimum(a[:, :2], a[:, 2:]), torch.maximum(a[:, :2], a[:, 2:]) + 0.3], 1)
    out[0] = torch.tensor([-3.0, -2.0, 20.0, 15.0])
    return out


def vision(own):
    x = torch.randn(2, 5, 14, 11)
    for aligned in (False, True):
        for ratio in (-1, 0, 2, 3):
            for scale in (1.0, 0.5):
                args = x, [boxes(), boxes()], (3, 2), scale, ratio, aligned
                compare("roi_align", torchvision.ops.roi_align(*args), own["roi_align"](*args))
    x = torch.randn(2, 4, 9, 8)
    for groups, sets, masked, stride, pad, dilation in [(1, 1, 0, 1, 1, 1), (2, 2, 1, 2, (1, 0), 1), (1, 2, 0, (1, 2), 2, 2), (2, 1, 1, 1, 0, 1)]:
        place = dict(stride=stride, padding=pad, dilation=dilation)
        theirs = torchvision.ops.DeformConv2d(4, 6, (3, 2), groups=groups, **place)
        ours = own["DeformConv2d"](4, 6, (3, 2), groups=groups, **place)
        ours.load_state_dict(theirs.state_dict())
        offset = 3 * nn.Conv2d(4, 2 * sets * 6, (3, 2), **place)(x)
        mask = torch.rand(2, sets * 6, *offset.shape[2:]) if masked else None
        compare("DeformConv2d", theirs(x, offset, mask), ours(x, offset, mask))


def audio(own):
    x = torch.randn(2, 3, 4000)
    for o in (dict(win_length=300, hop_length=150, n_mels=40), dict(n_fft=512, win_length=512, hop_length=256, n_mels=64, center=False, power=1.0)):
        o = dict(sample_rate=16000, n_fft=400, **o) if "n_fft" not in o else dict(sample_rate=22050, **o)
        compare("MelSpectrogram", torchaudio.transforms.MelSpectrogram(**o)(x), own["MelSpectrogram"](**o)(x))
    o = dict(sample_rate=16000, n_mfcc=20, melkwargs=dict(n_fft=400, hop_length=200, n_mels=64))
    for signal in (x, x[:, 0]):
        compare("MFCC", torchaudio.transforms.MFCC(**o)(signal), own["MFCC"](**o)(signal))


def graphs(own):
    n, x, edges = 6, torch.randn(6, 3), torch.randint(0, 6, (2, 11))
    seen = torch.zeros(n, n)
    for source, target in edges.t().tolist():
        seen[target, source] += 1
    looped = seen * (1 - torch.eye(n)) + torch.eye(n)
    layer, root = own["GCNConv"](3, 4), looped.sum(1).rsqrt()
    compare("GCNConv", (root[:, None] * looped * root) @ layer.lin(x) + layer.bias, layer(x, edges))
    layer = own["SAGEConv"](3, 4)
    compare("SAGEConv", layer.lin_l(seen @ x / seen.sum(1, keepdim=True).clamp(min=1)) + layer.lin_r(x), layer(x, edges))
    layer = own["GraphConv"](3, 4)
    compare("GraphConv", layer.lin_rel(seen @ x) + layer.lin_root(x), layer(x, edges))
    layer = own["GINConv"](nn.Linear(3, 4))
    compare("GINConv", layer.nn(x + seen @ x), layer(x, edges))
    layer = own["GATConv"](3, 4, heads=2)
    h, heads = layer.lin(x).view(n, 2, 4), []
    for i in range(2):
        score = (h[:, i] * layer.att_src[0, i]).sum(-1)[None] + (h[:, i] * layer.att_dst[0, i]).sum(-1)[:, None]
        share = F.leaky_relu(score, 0.2).exp() * looped
        heads.append(share / share.sum(1, keepdim=True) @ h[:, i])
    compare("GATConv", torch.cat(heads, 1) + layer.bias, layer(x, edges))


def younger(own):
    q, k, v = (torch.randn(2, 4, 6, 8) for _ in range(3))
    hidden = torch.ones(6, 6, dtype=torch.bool).triu(1)
    want = (q @ k.transpose(2, 3) / math.sqrt(8)).masked_fill(hidden, -math.inf).softmax(-1) @ v
    compare("attention", want, own["scaled_dot_product_attention"](q, k, v, is_causal=True))
    few = [t[:, :2] for t in (k, v)]
    many = [t.repeat_interleave(2, 1) for t in few]
    want = (q @ many[0].transpose(2, 3) * 0.3).softmax(-1) @ many[1]
    compare("attention", want, own["scaled_dot_product_attention"](q, *few, scale=0.3, enable_gqa=True))
    layer = nn.Conv2d(3, 5, 2)
    want = layer.weight.detach().clone()
    compare("weight_norm", want, own["weight_norm"](layer).weight)
    x = torch.rand(2, 3, 6, 6, 6)
    want = F.avg_pool3d(x.pow(3), 2, 2).mul(8).pow(1 / 3)
    compare("LPPool3d", want, own["LPPool3d"](3.0, 2)(x))
    compare("pad_circular", F.pad(x[0], (2, 1, 0, 3), "circular"), own["pad_circular"](x[0], (2, 1, 0, 3)))
    norm = own["RMSNorm"](6, eps=1e-6)
    compare("RMSNorm", x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt(), norm(x))


def main(folder):
    own = dict(torch=torch, nn=nn, F=F, math=math)
    for path in sorted(glob.glob(folder + "/*.py")):
        source = open(path).read().replace("torchaudio.transforms.MelSpectrogram", "MelSpectrogram")
        exec(source, own)  # noqa: S102: our own code
    for part in (vision, audio, graphs, younger):
        part(own)
    for name, difference in worst.items():
        print(f"{name} {difference:.1e}")
    return int(max(worst.values()) > 1e-4)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
