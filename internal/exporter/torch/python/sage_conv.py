# for: torch_geometric.nn.SAGEConv
class SAGEConv(nn.Module):
    """One map for the neighbours and one for the node itself (Hamilton et al. 2017)."""

    def __init__(self, features, out, aggr="mean", bias=True):
        super().__init__()
        self.aggr = aggr
        self.lin_l = nn.Linear(features, out, bias=bias)
        self.lin_r = nn.Linear(features, out, bias=False)

    def forward(self, x, edges):
        return self.lin_l(aggregate(x, edges, self.aggr)) + self.lin_r(x)
