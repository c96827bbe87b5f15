# for: pad_circular
def pad_circular(x, padding):
    """Goes on at the other end of the last axes: of any number of them, which 1.13 cannot."""
    for axis, (before, after) in enumerate(zip(padding[::2], padding[1::2]), 1):
        size = x.shape[-axis]
        place = torch.arange(-before, size + after, device=x.device) % size
        x = x.index_select(-axis, place)
    return x
