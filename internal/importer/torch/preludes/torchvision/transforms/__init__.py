"""torchvision.transforms: those that models keep and apply to tensors."""
import torch
import torch.nn.functional as F
from torch import nn


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, x):
        for t in self.transforms:
            x = t(x)
        return x


class Normalize(nn.Module):
    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, x):
        return x * 1.0


class Lambda:
    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, x):
        return self.lambd(x)


class ToTensor:
    def __call__(self, x):
        return x


class Resize(nn.Module):
    def __init__(self, size, interpolation=None, max_size=None, antialias=True):
        super().__init__()
        self.size = size

    def forward(self, x):
        size = self.size
        if isinstance(size, int) or len(size) == 1:
            short = size if isinstance(size, int) else size[0]
            h, w = x.shape[-2], x.shape[-1]
            size = (short, int(short * w / h)) if h <= w else (int(short * h / w), short)
        return F.interpolate(x, size=tuple(size), mode="bilinear", align_corners=False)


class CenterCrop(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = (size, size) if isinstance(size, int) else tuple(size)

    def forward(self, x):
        h, w = x.shape[-2], x.shape[-1]
        top, left = int(round((h - self.size[0]) / 2.0)), int(round((w - self.size[1]) / 2.0))
        return x[..., top:top + self.size[0], left:left + self.size[1]]
