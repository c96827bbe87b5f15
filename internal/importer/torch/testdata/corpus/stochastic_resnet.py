# model: net
# input: 3x16x16
# evaluation
"""Layers are dropped at random while training, with Python's random module."""
import random

import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, c, p):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.bn = nn.BatchNorm2d(c)
        self.p = p

    def forward(self, x):
        if self.training and random.random() < self.p:
            return x
        return torch.relu(x + self.bn(self.conv(x)))


def net(depth=4, width=8, classes=3, final_p=0.5):
    blocks = [Block(width, final_p * i / depth) for i in range(1, depth + 1)]
    return nn.Sequential(nn.Conv2d(3, width, 1), *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, classes))
