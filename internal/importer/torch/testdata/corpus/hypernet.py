# model: HyperConv
# input: 3x12x12
"""The kernel of a convolution is computed by a small network from a learned code."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class HyperConv(nn.Module):
    def __init__(self, cin=3, cout=6, k=3, code=8):
        super().__init__()
        self.shape = (cout, cin, k, k)
        self.code = nn.Parameter(torch.randn(code))
        self.gen = nn.Sequential(nn.Linear(code, 32), nn.Tanh(), nn.Linear(32, cout * cin * k * k))
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x):
        w = self.gen(self.code).view(self.shape)
        return F.conv2d(x, w, self.bias, padding=1)
