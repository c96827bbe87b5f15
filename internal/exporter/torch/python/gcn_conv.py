# for: torch_geometric.nn.GCNConv
class GCNConv(nn.Module):
    """Sums each node and its neighbours over the roots of their degrees (Kipf, Welling 2017)."""

    def __init__(self, features, out, bias=True):
        super().__init__()
        self.lin = nn.Linear(features, out, bias=False)
        self.bias = nn.Parameter(torch.zeros(out)) if bias else None

    def forward(self, x, edges):
        source, target = with_loops(edges, x.shape[0])
        x = self.lin(x)
        degree = x.new_zeros(x.shape[0]).index_add(0, target, x.new_ones(len(target)))
        scale = degree.rsqrt()
        message = x[source] * (scale[source] * scale[target])[:, None]
        y = torch.zeros_like(x).index_add(0, target, message)
        return y if self.bias is None else y + self.bias
