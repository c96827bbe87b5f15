"""einops: what is not the reading of patterns itself, which is native."""
from _einops import EinopsError, einsum, parse_shape, rearrange, reduce, repeat


def _analyze(pattern, opname):
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {opname}(..., "{pattern}")')
    if "*" not in axes:
        raise EinopsError(f'No *-axis in {opname}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors, pattern):
    from torch import cat
    before, after = _analyze(pattern, "pack")
    parts, shapes = [], []
    for i, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + after:
            raise EinopsError(f"packed tensor #{i} has too few axes for {pattern}")
        end = len(shape) - after
        shapes.append(shape[before:end])
        parts.append(tensor.reshape((*shape[:before], _prod(shape[before:end]), *shape[end:])))
    return cat(parts, dim=before), shapes


def _prod(shape):
    n = 1
    for i in shape:
        n = n * i
    return n


def unpack(tensor, packed_shapes, pattern):
    before, after = _analyze(pattern, "unpack")
    shape = tensor.shape
    if len(shape) != before + 1 + after:
        raise EinopsError(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    lengths = [-1 if -1 in s else _prod(s) for s in packed_shapes]
    free = [i for i, n in enumerate(lengths) if n == -1]
    if len(free) > 1:
        raise EinopsError(f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions")
    if free:
        lengths[free[0]] = shape[before] - sum(n for n in lengths if n != -1)
    elif sum(lengths) != shape[before]:
        raise EinopsError(f'Error during unpack(..., "{pattern}"): could not split axis of size {shape[before]} into {packed_shapes}')
    out, start = [], 0
    for n, s in zip(lengths, packed_shapes):
        part = tensor.narrow(before, start, n)
        out.append(part.reshape((*shape[:before], *s, *shape[before + 1:])))
        start = start + n
    return out


def asnumpy(tensor):
    return tensor.detach().cpu().numpy()
