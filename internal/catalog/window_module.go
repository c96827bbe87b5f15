package catalog

// windowModule names its weights as torchvision does.
const windowModule = `class WindowAttention(nn.Module):
    def __init__(self, dim, heads, window, shift, qkv_bias, dropout=None):
        super().__init__()
        self.heads, self.dropout = heads, dropout or 0.0
        self.window, self.shift = [list(v) if isinstance(v, (list, tuple)) else [v, v] for v in (window, shift)]
        self.qkv, self.proj = nn.Linear(dim, 3 * dim, bias=qkv_bias), nn.Linear(dim, dim)
        h, w = self.window
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * h - 1) * (2 * w - 1), heads))
        y, x = torch.arange(h).repeat_interleave(w), torch.arange(w).repeat(h)
        index = (y[:, None] - y + h - 1) * (2 * w - 1) + x[:, None] - x + w - 1
        self.register_buffer("relative_position_index", index, persistent=False)

    def cut(self, x):
        h, w = self.window
        x = x.unflatten(2, (-1, w)).unflatten(1, (-1, h)).transpose(2, 3)
        return x.reshape(-1, h * w, x.shape[-1])

    def forward(self, x):
        b, height, width, dim = x.shape
        h, w = self.window
        y = F.pad(x, (0, 0, 0, -width % w, 0, -height % h))
        rows, columns = y.shape[1:3]
        shift = [0 if size >= n else s for s, size, n in zip(self.shift, self.window, (rows, columns))]
        shifted = sum(shift) > 0
        if shifted:
            y = y.roll((-shift[0], -shift[1]), (1, 2))
        y = self.cut(y)
        q, k, v = self.qkv(y).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
        scores = scores + self.relative_position_bias_table[self.relative_position_index].permute(2, 0, 1)
        if shifted:
            scores = (scores.unflatten(0, (b, -1)) + self.apart(x, rows, columns, shift)).flatten(0, 1)
        y = self.proj((F.dropout(scores.softmax(-1), self.dropout, self.training) @ v).transpose(1, 2).flatten(2))
        y = y.reshape(b, rows // h, columns // w, h, w, dim).transpose(2, 3).reshape(b, rows, columns, dim)
        if shifted:
            y = y.roll(shift, (1, 2))
        return y[:, :height, :width]

    def apart(self, x, rows, columns, shift):
        region, count = x.new_zeros(1, rows, columns, 1), 0
        cuts = [((0, -size), (-size, -s), (-s, None)) for size, s in zip(self.window, shift)]
        for top, bottom in cuts[0]:
            for left, right in cuts[1]:
                region[:, top:bottom, left:right] = count
                count += 1
        region = self.cut(region)[..., 0]
        return (region[:, None] != region[:, :, None]).to(x.dtype)[:, None] * -100.0
`
