# model: SwitchFFN
# input: 6x16
"""A sparse layer that gathers the tokens of each expert: what happens depends on the values."""
import torch
import torch.nn as nn


class SwitchFFN(nn.Module):
    def __init__(self, d=16, hidden=32, n=4):
        super().__init__()
        self.router = nn.Linear(d, n)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(d, hidden), nn.ReLU(), nn.Linear(hidden, d)) for _ in range(n)])

    def forward(self, x):
        b, t, d = x.shape
        flat = x.reshape(-1, d)
        prob, route = torch.softmax(self.router(flat), dim=-1).max(dim=-1)
        out = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            idx = torch.nonzero(route == i).squeeze(-1)
            if idx.numel() > 0:
                out[idx] = expert(flat[idx]) * prob[idx].unsqueeze(-1)
        return out.view(b, t, d)
