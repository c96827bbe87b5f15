# for: torchvision.ops.roi_align
def roi_align(x, boxes, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=False):
    """The mean of bilinear samples in each cell of each box (He et al. 2017)."""
    rows, columns = (output_size,) * 2 if isinstance(output_size, int) else output_size[:2]

    def points(start, extent, cells, size):
        n = sampling_ratio if sampling_ratio > 0 else max(0, math.ceil(extent / cells))
        at = start + (torch.arange(cells * n, device=x.device) + 0.5) * (extent / cells / max(n, 1))
        inside, at = (at >= -1) & (at <= size), at.clamp(0, size - 1)
        low = at.floor().long()
        return n, low, (low + 1).clamp(max=size - 1), at - low, inside.to(x.dtype)

    def sample(image, box):
        left, top, right, bottom = (box * spatial_scale - (0.5 if aligned else 0.0)).tolist()
        least = -math.inf if aligned else 1.0
        n, y0, y1, dy, in_y = points(top, max(bottom - top, least), rows, x.shape[2])
        m, x0, x1, dx, in_x = points(left, max(right - left, least), columns, x.shape[3])
        if n < 1 or m < 1:
            return image.new_zeros(image.shape[0], rows, columns)
        upper, lower = image[:, y0], image[:, y1]
        upper = upper[..., x0] * (1 - dx) + upper[..., x1] * dx
        lower = lower[..., x0] * (1 - dx) + lower[..., x1] * dx
        value = (upper * (1 - dy)[:, None] + lower * dy[:, None]) * (in_y[:, None] * in_x)
        return value.unflatten(2, (columns, m)).unflatten(1, (rows, n)).mean((2, 4))

    return torch.stack([sample(image, box) for image, some in zip(x, boxes) for box in some])
