# for: torchvision.ops.DeformConv2d
class DeformConv2d(nn.Module):
    """A convolution that reads each point of its kernel at an offset (Dai et al. 2017)."""

    def __init__(self, channels, out, kernel, stride=1, padding=0, dilation=1, groups=1, bias=True):
        super().__init__()
        pair = [v if isinstance(v, tuple) else (v, v) for v in (stride, padding, dilation)]
        self.kernel, self.groups = kernel, groups
        self.stride, self.padding, self.dilation = pair
        self.weight = nn.Parameter(torch.empty(out, channels // groups, *kernel))
        self.bias = nn.Parameter(torch.zeros(out)) if bias else None
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))

    def forward(self, x, offset, mask=None):
        batch, channels, height, width = x.shape
        points, (rows, columns) = math.prod(self.kernel), offset.shape[2:]
        sets = offset.shape[1] // (2 * points)
        offset = offset.reshape(batch * sets, points, 2, rows, columns)

        def start(axis, n):
            first = torch.arange(n, device=x.device) * self.stride[axis] - self.padding[axis]
            step = torch.arange(self.kernel[axis], device=x.device) * self.dilation[axis]
            return step[:, None] + first

        y = start(0, rows)[:, None, :, None].expand(*self.kernel, rows, columns).flatten(0, 1)
        z = start(1, columns)[None, :, None, :].expand(*self.kernel, rows, columns).flatten(0, 1)
        y, z = y + offset[:, :, 0], z + offset[:, :, 1]
        grid = torch.stack(((2 * z + 1) / width - 1, (2 * y + 1) / height - 1), -1)
        grid = grid.reshape(batch * sets, points * rows, columns, 2)
        parts = x.reshape(batch * sets, channels // sets, height, width)
        read = F.grid_sample(parts, grid, align_corners=False)
        read = read.reshape(batch, sets, channels // sets, points, rows, columns)
        if mask is not None:
            read = read * mask.reshape(batch, sets, 1, points, rows, columns)
        read = read.reshape(batch, self.groups, channels // self.groups * points, rows, columns)
        weight = self.weight.reshape(self.groups, -1, read.shape[2])
        result = torch.einsum("ngkyx,gok->ngoyx", read, weight).flatten(1, 2)
        return result if self.bias is None else result + self.bias[:, None, None]
