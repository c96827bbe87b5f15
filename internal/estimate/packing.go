package estimate

// Packing fills every row of a batch with samples that do not see one another; their positions begin at 0 again. FlashAttention takes where they begin
// (flash_attn_varlen_func with cu_seqlens, _flash_attention_forward of transformers' modeling_flash_attention_utils.py) and needs no mask. For
// scaled_dot_product_attention transformers makes a mask of truth values, one for each row, for which keys and values are repeated and no kernel of
// FlashAttention is taken (create_causal_mask of masking_utils.py, use_gqa_in_sdpa of sdpa_attention.py). Eager attention has a mask in any case.

// masks reports whether packed rows need a mask that others do not.
func (o *Options) masks() bool { return o.Packing && o.Attention == "sdpa" }

// packingText says what packing does to the figures.
func (o *Options) packingText() string {
	switch {
	case !o.Packing:
		return ""
	case o.masks():
		return ", rows packed of samples behind a mask: a sample counts as a full row"
	}
	return ", rows packed of samples, attention as of one (at the most): a sample counts as a full row"
}
