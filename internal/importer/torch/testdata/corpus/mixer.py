# model: mixer
# input: 3x32x32
"""Networks as functions that return nn.Sequential."""
from functools import partial

import torch
from torch import nn

pair = lambda x: x if isinstance(x, tuple) else (x, x)


class Patches(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size

    def forward(self, x):
        b, c, h, w = x.shape
        p = self.size
        x = x.reshape(b, c, h // p, p, w // p, p)
        x = x.permute(0, 2, 4, 3, 5, 1)
        return x.reshape(b, (h // p) * (w // p), p * p * c)


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.fn(self.norm(x)) + x


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(dim=1)


def feed_forward(dim, expansion_factor=4, dropout=0.0, dense=nn.Linear):
    inner_dim = int(dim * expansion_factor)
    return nn.Sequential(dense(dim, inner_dim), nn.GELU(), nn.Dropout(dropout), dense(inner_dim, dim), nn.Dropout(dropout))


def mixer(*, image_size=32, channels=3, patch_size=8, dim=24, depth=2, num_classes=7, expansion_factor=4, expansion_factor_token=0.5, dropout=0.1):
    image_h, image_w = pair(image_size)
    assert (image_h % patch_size) == 0 and (image_w % patch_size) == 0, "image must be divisible by patch size"
    num_patches = (image_h // patch_size) * (image_w // patch_size)
    chan_first, chan_last = partial(nn.Conv1d, kernel_size=1), nn.Linear
    return nn.Sequential(
        Patches(patch_size),
        nn.Linear((patch_size**2) * channels, dim),
        *[
            nn.Sequential(
                PreNormResidual(dim, feed_forward(num_patches, expansion_factor, dropout, chan_first)),
                PreNormResidual(dim, feed_forward(dim, expansion_factor_token, dropout, chan_last)),
            )
            for _ in range(depth)
        ],
        nn.LayerNorm(dim),
        Mean(),
        nn.Linear(dim, num_classes),
    )
