package hf

var (
	_ = define(Family{Type: "mamba", Default: "MambaForCausalLM", Classes: topped("MambaForCausalLM", "MambaModel", mamba)})
	_ = define(Family{Type: "falcon_mamba", Default: "FalconMambaForCausalLM", Classes: topped("FalconMambaForCausalLM", "FalconMambaModel", falconMamba)})
	_ = define(Family{Type: "mamba2", Default: "Mamba2ForCausalLM", Classes: topped("Mamba2ForCausalLM", "Mamba2Model", mamba2)})
)

// backbone is a model of nothing but mixers, each behind a norm.
func backbone(mix func(b *Build, x Node) Node) Decoder {
	return Decoder{Prefix: "backbone", Embed: "embeddings", Norm: "norm_f", Layer: func(b *Build, x Node, _ int64) Node {
		return b.Residual(x, mix(b, b.RMSNorm(x, "norm", b.Size("hidden_size"))))
	}}
}

// mamba has selective mixers. intermediate_size, where it is given, stands for expand.
func mamba(*Build) Decoder {
	return backbone(func(b *Build, x Node) Node { return b.selects(x, "mixer", b.selective()) })
}

// falconMamba also normalises the steps and the matrices of the state, without weights.
func falconMamba(*Build) Decoder {
	return backbone(func(b *Build, x Node) Node {
		s := b.selective()
		s.norm = func(m *Build, x Node, name string, dim int64) Node {
			return m.Add("rmsNorm", name, Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
		}
		return b.selects(x, "mixer", s)
	})
}

func (b *Build) selective() selective {
	inner := b.SizeOr("intermediate_size", b.expanded("hidden_size", "expand"))
	return selective{dim: b.Size("hidden_size"), inner: inner, state: b.Size("state_size"), rank: b.rankOf("time_step_rank"), kernel: b.Size("conv_kernel"),
		bias: b.Bool("use_bias"), convBias: b.Bool("use_conv_bias"), act: "hidden_act"}
}

// mamba2 has structured mixers.
func mamba2(b *Build) Decoder {
	dim, inner := b.Size("hidden_size"), b.expanded("hidden_size", "expand")
	heads, head := b.Size("num_heads"), b.Size("head_dim")
	if inner != heads*head {
		fail(CodeContradiction, b.at("num_heads"), "num_heads * head_dim is %d but hidden_size * expand is %d", heads*head, inner)
	}
	return backbone(func(b *Build, x Node) Node {
		bias := b.Bool("use_bias")
		return b.structures(x, "mixer", structured{dim: dim, inner: inner, heads: heads, head: head, state: b.Size("state_size"), groups: b.Size("n_groups"),
			kernel: b.Size("conv_kernel"), bias: bias, outBias: bias, convBias: b.Bool("use_conv_bias"), act: "hidden_act"})
	})
}
