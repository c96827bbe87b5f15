import torch.nn as nn

WIDTH = 30


class Block(nn.Module):
    """Halves the image, and doubles what is known of each part of it."""

    def __init__(self, channels, wider):
        super().__init__()
        self.conv = nn.Conv2d(channels, wider, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(wider)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))
