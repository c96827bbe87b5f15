# for: nn.TransformerDecoderLayer with bias
class TransformerDecoderLayer(nn.TransformerDecoderLayer):
    """A layer that can leave every bias out, as nn.TransformerDecoderLayer can since 2.1."""

    def __init__(self, *sizes, bias=True, **options):
        super().__init__(*sizes, **options)
        if not bias:
            for part in self.modules():
                for name in ("bias", "in_proj_bias"):
                    if getattr(part, name, None) is not None:
                        part.register_parameter(name, None)
