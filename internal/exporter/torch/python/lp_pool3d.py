# for: nn.LPPool3d
class LPPool3d(nn.Module):
    """The p-norm of each window, as nn.LPPool3d takes it since 2.3."""

    def __init__(self, p, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        kernel = (kernel_size,) * 3 if isinstance(kernel_size, int) else tuple(kernel_size)
        self.p, self.kernel, self.stride, self.ceil_mode = p, kernel, stride, ceil_mode

    def forward(self, x):
        y = F.avg_pool3d(x.pow(self.p), self.kernel, self.stride, 0, self.ceil_mode)
        return (torch.sign(y) * F.relu(y.abs()) * math.prod(self.kernel)).pow(1.0 / self.p)
