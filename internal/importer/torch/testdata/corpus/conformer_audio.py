# model: AudioNet
# input: 40x50
from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn


@dataclass
class AudioConfig:
    n_mels: int = 40
    dims: List[int] = field(default_factory=lambda: [32, 48])
    kernel: int = 7
    heads: int = 4
    classes: int = 6


class Depthwise(nn.Module):
    def __init__(self, c, k):
        super().__init__()
        self.pw1 = nn.Conv1d(c, 2 * c, 1)
        self.glu = nn.GLU(dim=1)
        self.dw = nn.Conv1d(c, c, k, padding=(k - 1) // 2, groups=c)
        self.bn = nn.BatchNorm1d(c)
        self.pw2 = nn.Conv1d(c, c, 1)

    def forward(self, x):
        x = x.transpose(1, 2)
        x = self.pw2(nn.functional.silu(self.bn(self.dw(self.glu(self.pw1(x))))))
        return x.transpose(1, 2)


class Stage(nn.Module):
    def __init__(self, d, cfg: AudioConfig):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.SiLU(), nn.Dropout(0.1), nn.Linear(4 * d, d))
        self.att = nn.MultiheadAttention(d, cfg.heads, dropout=0.1)
        self.conv = Depthwise(d, cfg.kernel)

    def forward(self, x):
        x = x + 0.5 * self.ff(self.norms[0](x))
        y = self.norms[1](x).transpose(0, 1)
        a, _ = self.att(y, y, y)
        x = x + a.transpose(0, 1)
        return x + self.conv(self.norms[2](x))


class AudioNet(nn.Module):
    def __init__(self, cfg: AudioConfig = AudioConfig()):
        super().__init__()
        prev, stages = cfg.n_mels, []
        for d in cfg.dims:
            stages += [nn.Linear(prev, d), Stage(d, cfg)]
            prev = d
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(prev, cfg.classes)

    def forward(self, mel):
        x = self.stages(mel.transpose(1, 2))
        return self.head(x.max(dim=1).values)
