package hf

var _ = define(Family{Type: "recurrent_gemma", Default: "RecurrentGemmaForCausalLM", Classes: headed("RecurrentGemma", recurrentGemma)})

// recurrentGemma repeats a few kinds of layers: a linear recurrence with gates, and attention to a window.
func recurrentGemma(b *Build) Decoder {
	kinds := b.Strs("block_types")
	if len(kinds) == 0 {
		fail(CodeConfig, b.at("block_types"), "is empty but takes recurrent and attention")
	}
	if heads := b.Size("num_attention_heads"); b.Or("num_key_value_heads", heads) > heads {
		fail(CodeContradiction, b.at("num_key_value_heads"), "is %d, more than num_attention_heads, %d", b.KVHeads(), b.Size("num_attention_heads"))
	}
	return Decoder{Norm: "final_norm", Layer: func(b *Build, x Node, i int64) Node {
		dim, kind := b.Size("hidden_size"), kinds[i%int64(len(kinds))]
		h := b.RMSNorm(x, "temporal_pre_norm", dim)
		switch kind {
		case "attention":
			a := b.partly(b.rotary(0).within(b.Or("attention_window_size", 0)), "", 0.5, false)
			a.Bias, a.OutBias = b.Bool("attention_bias"), true
			x = b.Residual(x, b.Attend(h, "temporal_block", a))
		case "recurrent":
			x = b.Residual(x, b.Scope("temporal_block").gatedRecurrence(h, dim))
		default:
			fail(CodeConfig, b.at("block_types"), "has the kind %q but takes recurrent and attention", kind)
		}
		h = b.RMSNorm(x, "channel_pre_norm", dim)
		return b.Residual(x, b.Gated(h, "mlp_block", Gated{Dim: dim, Hidden: b.Size("intermediate_size") / 2, Bias: true, Act: b.Str("hidden_activation")}))
	}}
}

// gatedRecurrence is the recurrent block of Griffin: a convolution and a linear recurrence, beside a gate.
func (b *Build) gatedRecurrence(x Node, dim int64) Node {
	wide, heads, length := b.SizeOr("lru_width", dim), b.Size("num_attention_heads"), b.positions()
	gate := b.Activation(b.Linear(x, "linear_y", dim, wide, true), "hidden_activation")
	y := b.convolved(b.Linear(x, "linear_x", dim, wide, true), "conv_1d", wide, b.Size("conv1d_width"), true)
	part := wide / heads
	if wide%heads != 0 { // then it cannot run
		y = b.Flat(b.Unflatten(y, heads, part))
	}
	y = b.opaqueOf([]Node{y}, "rg_lru", []int64{length, wide}, b.product(4, length, heads, part, part), T("recurrent_param", wide),
		T("input_gate_weight", heads, part, part), T("input_gate_bias", heads, part),
		T("recurrent_gate_weight", heads, part, part), T("recurrent_gate_bias", heads, part))
	b.way(y, "serial")
	return b.Linear(b.Add("multiply", "", nil, y, gate), "linear_out", wide, dim, true)
}
