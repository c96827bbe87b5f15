# model: TwoTower
# input: 1:int64, 1:int64
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


class Tower(nn.Sequential):
    def __init__(self, dims: List[int]):
        mods = []
        for a, b in zip(dims, dims[1:]):
            mods.extend([nn.Linear(a, b), nn.ReLU()])
        super().__init__(*mods[:-1])


class TwoTower(nn.Module):
    def __init__(self, users=100, items=200, dim=16, hidden=(32, 8)):
        super().__init__()
        self.embeddings = nn.ModuleDict({"user": nn.Embedding(users, dim), "item": nn.Embedding(items, dim)})
        self.towers = nn.ModuleDict({k: Tower([dim, *hidden]) for k in self.embeddings.keys()})
        self.temperature = nn.Parameter(torch.tensor(0.07))

    def encode(self, kind, ids):
        e = self.embeddings[kind](ids).squeeze(1)
        return F.normalize(self.towers[kind](e), p=2, dim=-1)

    def forward(self, user, item):
        u, i = self.encode("user", user), self.encode("item", item)
        return (u * i).sum(-1, keepdim=True) / self.temperature
