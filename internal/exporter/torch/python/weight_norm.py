# for: torch.nn.utils.parametrizations.weight_norm
class WeightNorm(nn.Module):
    def forward(self, length, direction):
        return direction * (length / torch.norm_except_dim(direction, 2, 0))

    def right_inverse(self, weight):
        return torch.norm_except_dim(weight, 2, 0), weight


def weight_norm(layer):
    """The parametrization that torch.nn.utils.parametrizations has since 2.1, with its names."""
    torch.nn.utils.parametrize.register_parametrization(layer, "weight", WeightNorm())
    return layer
