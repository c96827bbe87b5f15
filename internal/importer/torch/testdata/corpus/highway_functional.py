# model: Highway
# input: 20
"""Weights as a list of bare tensors and functional layers only."""
import torch
import torch.nn.functional as F
from torch import nn


class Highway(nn.Module):
    def __init__(self, size=20, layers=3, out=4):
        super().__init__()
        self.n = layers
        self.w = nn.ParameterList([nn.Parameter(torch.randn(size, size) * 0.1) for _ in range(layers)])
        self.g = nn.ParameterList()
        self.b = nn.ParameterList()
        for _ in range(layers):
            self.g.append(nn.Parameter(torch.empty(size, size)))
            self.b.append(nn.Parameter(torch.full((size,), -1.0)))
        self.out_w = nn.Parameter(torch.zeros(out, size))
        self.out_b = nn.Parameter(torch.zeros(out))

    def forward(self, x):
        for w, g, b in zip(self.w, self.g, self.b):
            gate = torch.sigmoid(F.linear(x, g, b))
            x = gate * F.relu(F.linear(x, w)) + (1 - gate) * x
        return F.linear(x, self.out_w, self.out_b)
