# for: torch_geometric.nn.GINConv
class GINConv(nn.Module):
    """A network over the sum of the neighbours and the scaled node (Xu et al. 2019)."""

    def __init__(self, network, train_eps=False):
        super().__init__()
        self.nn = network
        if train_eps:
            self.eps = nn.Parameter(torch.zeros(1))
        else:
            self.register_buffer("eps", torch.zeros(1))

    def forward(self, x, edges):
        return self.nn((1 + self.eps) * x + aggregate(x, edges, "add"))
