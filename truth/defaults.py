"""Compares the arguments that exported files leave out with the defaults of their classes: python3 defaults.py defaults.go modules.py

Reads the table from the Go source. The classes that the catalogue derives from PyTorch's are looked up under the name of their base, and those that
it writes itself in modules.py, which has the source of them all.
"""
import inspect, math, re, sys
import torch
import torch.nn as nn
import torch.nn.functional as F

BASES = dict(
    BatchNorm=nn.BatchNorm2d, InstanceNorm=nn.InstanceNorm2d, DecoderBlock=nn.TransformerDecoderLayer, SelfAttention=nn.MultiheadAttention,
    CrossAttention=nn.MultiheadAttention, MaskedAttention=nn.MultiheadAttention,
)
BUILT = dict(SequenceRNN=nn.RNN(2, 3), SequenceGRU=nn.GRU(2, 3), SequenceLSTM=nn.LSTM(2, 3))  # whose signatures say nothing
WRITTEN = {}  # the classes that the catalogue writes, by name
OURS = {"sequences"}  # arguments that only our classes have
YOUNGER = {("nn.LayerNorm", "bias"), ("nn.TransformerEncoderLayer", "bias"), ("DecoderBlock", "bias"), ("nn.RMSNorm", ""), ("nn.LPPool3d", "")}


def tables(source):
    words = dict(re.findall(r"^\s+(\w+)\s+= [`\"](.*)[`\"]$", source, re.M))
    words["convBack"] = words["conv"] + " output_padding=0"
    for name, text in re.findall(r'"([\w.]+)":\s+((?:\w+|`[^`]*`|"[^"]*")(?: \+ (?:`[^`]*`|"[^"]*"))?),', source):
        if name[0].islower() and "." not in name:
            continue  # the methods of a tensor
        parts = [words[p] if p in words else p[1:-1] for p in text.split(" + ")]
        yield name, dict(item.split("=") for item in " ".join(parts).split())


def default(name, argument):
    if name == "F.pad":  # built in, without a signature: by what it does
        x = torch.ones(2)
        return {"mode": "constant", "value": 0}[argument] if F.pad(x, (1, 1)).equal(F.pad(x, (1, 1), "constant", 0)) else None
    if name in BUILT:
        return getattr(BUILT[name], argument)
    if name in WRITTEN and name not in BASES:
        made = (inspect.signature(c.__init__).parameters for c in WRITTEN[name].__mro__)
        return next(p[argument].default for p in made if argument in p)
    target = BASES.get(name) or eval(name)  # noqa: S307: a name of our own
    return inspect.signature(target).parameters[argument].default


def main(path, modules):
    exec(open(modules).read(), dict(torch=torch, nn=nn, F=F, math=math), WRITTEN)  # noqa: S102: our own source
    checked, skipped, wrong = 0, [], []
    for name, arguments in tables(open(path).read()):
        for argument, value in arguments.items():
            value = eval(value)  # noqa: S307: a literal of our own
            if argument in OURS:
                continue
            try:
                found = default(name, argument)
            except (AttributeError, KeyError, StopIteration):
                (skipped if {(name, argument), (name, "")} & YOUNGER else wrong).append(f"{name}.{argument}")
                continue
            checked += 1
            same = found == value or found is F.relu and value == "relu" or argument == "align_corners" and not found
            if not same:
                wrong.append(f"{name}.{argument} is {found}, not {value}")
    print(f"{checked} defaults agree with PyTorch {torch.__version__}; it does not have {', '.join(skipped) or 'any other'}")
    for w in wrong:
        print(w)
    return int(bool(wrong) or checked < 100)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
