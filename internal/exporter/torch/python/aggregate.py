# for: aggregate
def aggregate(x, edges, how):
    """The sum, mean or maximum of what arrives at each node; zero where nothing does."""
    source, target = edges
    place = target[:, None].expand(-1, x.shape[1])
    how = {"add": "sum", "max": "amax", "min": "amin"}.get(how, how)
    return torch.zeros_like(x).scatter_reduce(0, place, x[source], how, include_self=False)
