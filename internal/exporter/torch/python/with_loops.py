# for: with_loops
def with_loops(edges, nodes):
    """The edges with exactly one loop at every node."""
    loop = torch.arange(nodes, device=edges.device).expand(2, nodes)
    return torch.cat((edges[:, edges[0] != edges[1]], loop), 1)
