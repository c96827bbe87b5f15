package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "recurrent_gemma", Default: "RecurrentGemmaForCausalLM",
	Classes: stack.HeadedClasses("RecurrentGemma", recurrentGemma)})

// recurrentGemma repeats a few kinds of layers: a linear recurrence with gates, and attention to a window.
func recurrentGemma(b *Build) stack.Decoder {
	kinds := b.Strs("block_types")
	if len(kinds) == 0 {
		config.Fail(config.CodeConfig, b.At("block_types"), "is empty but takes recurrent and attention")
	}
	if heads := b.Size("num_attention_heads"); b.Or("num_key_value_heads", heads) > heads {
		config.Fail(config.CodeContradiction, b.At("num_key_value_heads"), "is %d, more than num_attention_heads, %d",
			b.KVHeads(), b.Size("num_attention_heads"))
	}
	return stack.Decoder{Norm: "final_norm", Layer: func(b *Build, x Node, i int64) Node {
		dim, kind := b.Size("hidden_size"), kinds[i%int64(len(kinds))]
		h := b.RMSNorm(x, "temporal_pre_norm", dim)
		switch kind {
		case "attention":
			a := nn.PartlyRotary(b, nn.Rotary(b, 0).Within(b.Or("attention_window_size", 0)), "", 0.5, false)
			a.Bias, a.OutBias = b.Bool("attention_bias"), true
			x = b.Residual(x, nn.Attend(b, h, "temporal_block", a))
		case "recurrent":
			x = b.Residual(x, gatedRecurrence(b.Scope("temporal_block"), h, dim))
		default:
			config.Fail(config.CodeConfig, b.At("block_types"), "has the kind %q but takes recurrent and attention",
				kind)
		}
		h = b.RMSNorm(x, "channel_pre_norm", dim)
		return b.Residual(x, nn.GatedMLP(b, h, "mlp_block",
			nn.Gated{Dim: dim, Hidden: b.Size("intermediate_size") / 2, Bias: true, Act: b.Str("hidden_activation")}))
	}}
}

// gatedRecurrence is the recurrent block of Griffin: a convolution and a linear recurrence, beside a gate.
func gatedRecurrence(b *Build, x Node, dim int64) Node {
	wide, heads, length := b.SizeOr("lru_width", dim), b.Size("num_attention_heads"), b.TextLength()
	gate := b.Activation(b.Linear(x, "linear_y", dim, wide, true), "hidden_activation")
	y := nn.CausalConv1d(b, b.Linear(x, "linear_x", dim, wide, true), "conv_1d", wide, b.Size("conv1d_width"), true)
	part := wide / heads
	if wide%heads != 0 { // then it cannot run
		y = b.Flat(b.Unflatten(y, heads, part))
	}
	y = b.OpaqueOf([]Node{y}, "rg_lru", []int64{length, wide}, build.Product(b, 4, length, heads, part, part),
		build.T("recurrent_param", wide),
		build.T("input_gate_weight", heads, part, part), build.T("input_gate_bias", heads, part),
		build.T("recurrent_gate_weight", heads, part, part), build.T("recurrent_gate_bias", heads, part))
	b.As(y, transformers.GatedRecurrence{})
	return b.Linear(b.Add("multiply", "", nil, y, gate), "linear_out", wide, dim, true)
}
