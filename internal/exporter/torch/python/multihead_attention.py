# for: nn.MultiheadAttention with bias
class MultiheadAttention(nn.MultiheadAttention):
    """Keeps 1.13 from its fast path in evaluation, which fails where there is no bias."""

    def forward(self, query, key, value, **options):
        if self.in_proj_bias is None:
            key = key.view_as(key)
        return super().forward(query, key, value, **options)
