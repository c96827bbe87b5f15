# for: nn.RMSNorm
class RMSNorm(nn.Module):
    """Divides by the root of the mean square, as nn.RMSNorm does since 2.4."""

    def __init__(self, shape, eps=None, elementwise_affine=True):
        super().__init__()
        self.shape, self.eps = (shape,) if isinstance(shape, int) else tuple(shape), eps
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None

    def forward(self, x):
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        axes = tuple(range(-len(self.shape), 0))
        y = x * torch.rsqrt(x.pow(2).mean(axes, keepdim=True) + eps)
        return y if self.weight is None else y * self.weight
