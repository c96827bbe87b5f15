# for: nn.TransformerEncoderLayer with bias
class TransformerEncoderLayer(nn.TransformerEncoderLayer):
    """A layer that can leave every bias out, as nn.TransformerEncoderLayer can since 2.1."""

    def __init__(self, *sizes, bias=True, **options):
        super().__init__(*sizes, **options)
        if not bias:
            for part in self.modules():
                for name in ("bias", "in_proj_bias"):
                    if getattr(part, name, None) is not None:
                        part.register_parameter(name, None)
            self.activation_relu_or_gelu = 0  # the fast path of older versions needs the biases
            self.self_attn.register_forward_pre_hook(keep_apart)
