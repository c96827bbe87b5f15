# for: torch_geometric.nn.GraphConv
class GraphConv(nn.Module):
    """One map for the neighbours and one for the node itself (Morris et al. 2019)."""

    def __init__(self, features, out, aggr="add", bias=True):
        super().__init__()
        self.aggr = aggr
        self.lin_rel = nn.Linear(features, out, bias=bias)
        self.lin_root = nn.Linear(features, out, bias=False)

    def forward(self, x, edges):
        return self.lin_rel(aggregate(x, edges, self.aggr)) + self.lin_root(x)
