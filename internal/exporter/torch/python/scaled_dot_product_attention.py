# for: F.scaled_dot_product_attention
def scaled_dot_product_attention(
    q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """The fused function of PyTorch 2, or the same in plain operations where there is none."""
    if enable_gqa:
        k, v = [t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v)]
    if scale is not None:
        q = q * (scale * math.sqrt(q.shape[-1]))
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    if is_causal:
        attn_mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return F.dropout(scores.softmax(-1), dropout_p) @ v
