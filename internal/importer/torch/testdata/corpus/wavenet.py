# model: WaveNet
# input: 1x64
import torch
import torch.nn as nn


class CausalConv1d(nn.Conv1d):
    """A convolution that sees only the past: derives from nn.Conv1d and pads on the left."""

    def __init__(self, in_channels, out_channels, kernel_size, dilation=1, **kwargs):
        self.__padding = (kernel_size - 1) * dilation
        super().__init__(in_channels, out_channels, kernel_size=kernel_size, padding=self.__padding, dilation=dilation, **kwargs)

    def forward(self, input):
        result = super().forward(input)
        if self.__padding != 0:
            return result[:, :, : -self.__padding]
        return result


class ResidualBlock(nn.Module):
    def __init__(self, res, skip, dilation):
        super().__init__()
        self.dilated = CausalConv1d(res, 2 * res, 2, dilation=dilation)
        self.conv_res = nn.Conv1d(res, res, 1)
        self.conv_skip = nn.Conv1d(res, skip, 1)

    def forward(self, x):
        filt, gate = self.dilated(x).chunk(2, dim=1)
        z = torch.tanh(filt) * torch.sigmoid(gate)
        return x + self.conv_res(z), self.conv_skip(z)


class WaveNet(nn.Module):
    def __init__(self, layers=4, stacks=2, res=12, skip=16, classes=32):
        super().__init__()
        self.front = CausalConv1d(1, res, 2)
        self.blocks = nn.ModuleList(ResidualBlock(res, skip, 2**i) for _ in range(stacks) for i in range(layers))
        self.post = nn.Sequential(nn.ReLU(), nn.Conv1d(skip, skip, 1), nn.ReLU(), nn.Conv1d(skip, classes, 1))

    def forward(self, x):
        x = self.front(x)
        total = 0
        for block in self.blocks:
            x, s = block(x)
            total = total + s
        return self.post(total)
