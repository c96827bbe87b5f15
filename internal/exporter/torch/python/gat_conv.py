# for: torch_geometric.nn.GATConv
class GATConv(nn.Module):
    """Attention of each node over its neighbours and itself (Velickovic et al. 2018)."""

    def __init__(self, features, out, heads=1, concat=True, negative_slope=0.2, bias=True):
        super().__init__()
        self.heads, self.concat, self.slope = heads, concat, negative_slope
        self.lin = nn.Linear(features, heads * out, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out) / out**0.5)
        self.att_dst = nn.Parameter(torch.randn(1, heads, out) / out**0.5)
        self.bias = nn.Parameter(torch.zeros(heads * out if concat else out)) if bias else None

    def forward(self, x, edges):
        source, target = with_loops(edges, x.shape[0])
        x = self.lin(x).unflatten(1, (self.heads, -1))
        score = (x * self.att_src).sum(-1)[source] + (x * self.att_dst).sum(-1)[target]
        score = F.leaky_relu(score, self.slope)
        place = target[:, None].expand_as(score)
        top = score.new_full(x.shape[:2], -math.inf).scatter_reduce(0, place, score, "amax")
        share = (score - top.detach()[target]).exp()
        share = share / share.new_zeros(x.shape[:2]).index_add(0, target, share)[target]
        y = torch.zeros_like(x).index_add(0, target, x[source] * share[..., None])
        y = y.flatten(1) if self.concat else y.mean(1)
        return y if self.bias is None else y + self.bias
