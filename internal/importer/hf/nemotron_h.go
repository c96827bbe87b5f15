package hf

var _ = define(Family{Type: "nemotron_h", Default: "NemotronHForCausalLM", Classes: topped("NemotronHForCausalLM", "NemotronHModel", nemotronH)})

// nemotronH has one part in each layer: the mixer of Mamba 2, attention without positions, a plain network, or experts.
func nemotronH(b *Build) Decoder {
	kinds := b.nemotronKinds()
	return Decoder{Embed: "embeddings", Norm: "norm_f", Untied: true, Count: int64(len(kinds)), Layer: func(b *Build, x Node, i int64) Node {
		h := b.RMSNorm(x, "norm", b.Size("hidden_size"))
		return b.Residual(x, b.Scope("mixer").nemotronPart(h, kinds[i]))
	}}
}

// nemotronKinds are the kinds of the layers, from a list or from the older text of one letter each.
func (b *Build) nemotronKinds() []string {
	if b.Has("layers_block_type") {
		return b.namedLayers("layers_block_type")
	}
	if !b.Given("hybrid_override_pattern") {
		return []string{"linear_attention", "moe", "full_attention", "mlp"}
	}
	var kinds []string
	letters := map[rune]string{'M': "linear_attention", 'E': "moe", '*': "full_attention", '-': "mlp"}
	for _, letter := range b.Str("hybrid_override_pattern") {
		if letters[letter] == "" {
			fail(CodeConfig, b.at("hybrid_override_pattern"), "has the letter %q but takes M, E, * and -", letter)
		}
		kinds = append(kinds, letters[letter])
	}
	if len(kinds) == 0 {
		fail(CodeConfig, b.at("hybrid_override_pattern"), "is empty but has a letter for every layer")
	}
	return kinds
}

func (b *Build) nemotronPart(x Node, kind string) Node {
	dim := b.Size("hidden_size")
	plain := func(m *Build, x Node, wide int64) Node {
		return m.MLP(x, "up_proj", "down_proj", dim, wide, b.Bool("mlp_bias"), "mlp_hidden_act")
	}
	switch {
	case recurrent(kind):
		return b.structures(x, "", b.nemotronMixer(dim))
	case kind == "full_attention" || kind == "attention":
		return b.Attend(x, "", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(), Causal: true})
	case kind == "mlp":
		return plain(b, x, b.Size("intermediate_size"))
	case kind == "moe":
		wide := b.SizeOr("moe_shared_expert_intermediate_size", b.Size("intermediate_size"))
		return b.Residual(b.nemotronExperts(x, dim), plain(b.Scope("shared_experts"), x, wide))
	}
	fail(CodeConfig, b.at("layers_block_type"), "has the kind %q but takes linear_attention, full_attention, mlp and moe", kind)
	return x
}

// nemotronSize reads a size that has an older name.
func (b *Build) nemotronSize(old, key string) int64 { return b.SizeOr(old, b.Size(key)) }

func (b *Build) nemotronMixer(dim int64) structured {
	heads, head, bias := b.Size("mamba_num_heads"), b.Size("mamba_head_dim"), b.Bool("use_bias")
	s := structured{dim: dim, inner: heads * head, heads: heads, head: head, state: b.Size("ssm_state_size"), groups: b.nemotronSize("mamba_n_groups", "n_groups"),
		kernel: b.nemotronSize("mamba_d_conv", "conv_kernel"), bias: bias, outBias: bias, convBias: b.Bool("use_conv_bias"), act: "mamba_hidden_act"}
	if b.Given("mamba_conv_bias") {
		s.convBias = b.Bool("mamba_conv_bias")
	}
	return s
}

// nemotronExperts are plain experts, which may work on fewer features than the model has; the router sees all of those.
func (b *Build) nemotronExperts(x Node, dim int64) Node {
	e := b.routed("n_routed_experts", "moe_intermediate_size")
	e.Plain = true
	if !b.Has("moe_latent_size") {
		return b.Experts(x, "", e)
	}
	latent, bias, length := b.Size("moe_latent_size"), b.Bool("mlp_bias"), b.positions()
	scores := b.Linear(x, "gate", dim, e.Count, false)
	h := b.Linear(x, "fc1_latent_proj", dim, latent, bias)
	h = b.unfollowed([]Node{h, scores}, "experts", []int64{length, latent}, b.product(4, length, e.TopK, latent, e.Hidden),
		T("up_proj", e.Count, e.Hidden, latent), T("down_proj", e.Count, latent, e.Hidden))
	return b.Linear(h, "fc2_latent_proj", latent, dim, bias)
}
