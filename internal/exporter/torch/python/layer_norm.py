# for: nn.LayerNorm with bias
class LayerNorm(nn.LayerNorm):
    """LayerNorm that can leave its bias out, as nn.LayerNorm can since 2.1."""

    def __init__(self, shape, eps=1e-5, elementwise_affine=True, bias=True):
        super().__init__(shape, eps=eps, elementwise_affine=elementwise_affine)
        if not bias:
            self.register_parameter("bias", None)
