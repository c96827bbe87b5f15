# model: TinyInception
# input: 3x32x32
import torch
from torch import nn


class CountMixin:
    def count(self):
        return sum(p.numel() for p in self.parameters() if p.requires_grad)


class InitMixin(object):
    def reset(self):
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.kaiming_uniform_(m.weight, a=5**0.5)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)


class ConvBlock(nn.Sequential):
    def __init__(self, cin, cout, **kw):
        super().__init__()
        self.add_module("conv", nn.Conv2d(cin, cout, bias=False, **kw))
        self.add_module("norm", nn.BatchNorm2d(cout, eps=0.001))
        self.add_module("act", nn.ReLU(inplace=True))


class Mixed(nn.Module):
    def __init__(self, cin, b1, b3, b5, pool):
        super().__init__()
        self.branch1 = ConvBlock(cin, b1, kernel_size=1)
        self.branch3 = nn.Sequential(ConvBlock(cin, b3[0], kernel_size=1), ConvBlock(b3[0], b3[1], kernel_size=3, padding=1))
        self.branch5 = nn.Sequential(ConvBlock(cin, b5[0], kernel_size=1), ConvBlock(b5[0], b5[1], kernel_size=5, padding=2))
        self.pool = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1, ceil_mode=True), ConvBlock(cin, pool, kernel_size=1))

    @property
    def branches(self):
        return [self.branch1, self.branch3, self.branch5, self.pool]

    def forward(self, x):
        return torch.cat([b(x) for b in self.branches], 1)


class TinyInception(CountMixin, InitMixin, nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = ConvBlock(3, 16, kernel_size=3, stride=2, padding=1)
        self.mixed1 = Mixed(16, 8, (4, 8), (2, 4), 4)
        self.mixed2 = Mixed(24, 8, (8, 16), (4, 8), 8)
        self.fc = nn.Linear(40, classes)
        self.reset()
        self.size = self.count()

    def forward(self, x):
        x = self.mixed2(self.mixed1(self.stem(x)))
        x = x.mean([2, 3])
        return self.fc(x)
