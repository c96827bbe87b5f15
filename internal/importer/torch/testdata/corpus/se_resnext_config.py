# model: build
# input: 3x32x32
"""A network from a nested dictionary."""
import copy
from collections import OrderedDict

import torch
import torch.nn as nn

BASE = dict(stem=dict(out=16, k=3), stages=[dict(n=1, width=16, stride=1), dict(n=2, width=32, stride=2)], head=dict(classes=6, drop=0.1), cardinality=4, reduction=4)

NORMS = {"bn": nn.BatchNorm2d, "gn": lambda c: nn.GroupNorm(4, c)}


class SE(nn.Module):
    def __init__(self, c, r):
        super().__init__()
        self.fc = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(c, c // r, 1), nn.ReLU(), nn.Conv2d(c // r, c, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.fc(x)


class Block(nn.Module):
    def __init__(self, cin, cout, stride, groups, reduction, norm):
        super().__init__()
        make = NORMS[norm]
        self.body = nn.Sequential(
            OrderedDict(
                [
                    ("reduce", nn.Conv2d(cin, cout, 1, bias=False)),
                    ("n1", make(cout)),
                    ("a1", nn.ReLU()),
                    ("grouped", nn.Conv2d(cout, cout, 3, stride, 1, groups=groups, bias=False)),
                    ("n2", make(cout)),
                    ("a2", nn.ReLU()),
                    ("se", SE(cout, reduction)),
                ]
            )
        )
        self.skip = nn.Identity() if cin == cout and stride == 1 else nn.Conv2d(cin, cout, 1, stride)

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


class Net(nn.Module):
    def __init__(self, cfg, norm="bn"):
        super().__init__()
        c = cfg["stem"]["out"]
        self.stem = nn.Conv2d(3, c, cfg["stem"]["k"], padding=cfg["stem"]["k"] // 2)
        for i, stage in enumerate(cfg["stages"]):
            blocks = []
            for j in range(stage["n"]):
                blocks.append(Block(c, stage["width"], stage["stride"] if j == 0 else 1, cfg["cardinality"], cfg["reduction"], norm))
                c = stage["width"]
            setattr(self, f"stage{i}", nn.Sequential(*blocks))
        self.n = len(cfg["stages"])
        self.drop = nn.Dropout(cfg["head"]["drop"])
        self.fc = nn.Linear(c, cfg["head"]["classes"])

    def forward(self, x):
        x = self.stem(x)
        for i in range(self.n):
            x = getattr(self, f"stage{i}")(x)
        return self.fc(self.drop(torch.flatten(nn.functional.adaptive_avg_pool2d(x, 1), 1)))


def merge(base, override):
    out = copy.deepcopy(base)
    for k, v in (override or {}).items():
        out[k] = merge(out[k], v) if isinstance(v, dict) and k in out else v
    return out


def build(norm="gn", **override):
    return Net(merge(BASE, override), norm=norm)
