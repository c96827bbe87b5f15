package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "jamba", Default: "JambaForCausalLM",
	Classes: stack.HeadedClasses("Jamba", jamba, stack.SequenceClassification)})

// jamba has attention without positions in one layer of a period, Mamba's mixer in the others, and experts in some.
func jamba(b *Build) stack.Decoder {
	smaller(b, "attn_layer_offset", "attn_layer_period")
	smaller(b, "expert_layer_offset", "expert_layer_period")
	return stack.Decoder{Norm: "final_layernorm", Layer: func(b *Build, x Node, i int64) Node {
		dim := b.Size("hidden_size")
		h := b.RMSNorm(x, "input_layernorm", dim)
		if i%b.Size("attn_layer_period") == b.Int("attn_layer_offset") {
			x = b.Residual(x, nn.Attend(b, h, "self_attn",
				nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(),
					Causal: true}))
		} else {
			x = b.Residual(x, nn.Mamba(b, h, "mamba", jambaMixer(b, dim)))
		}
		h = b.RMSNorm(x, "pre_ff_layernorm", dim)
		if i%b.Size("expert_layer_period") != b.Int("expert_layer_offset") || b.Int("num_experts") <= 1 {
			return b.Residual(x, nn.GatedMLPByKey(b, h, "feed_forward", "intermediate_size", false))
		}
		e := nn.Routed(b, "num_experts", "intermediate_size")
		e.Router = "router"
		return b.Residual(x, nn.AddExperts(b, h, "feed_forward", e))
	}}
}

// jambaMixer normalises the steps and the matrices of the state.
func jambaMixer(b *Build, dim int64) nn.MambaSizes {
	return nn.MambaSizes{Dim: dim, Inner: b.Size("mamba_expand") * dim, State: b.Size("mamba_d_state"),
		Rank: nn.RankOf(b, "mamba_dt_rank"), Kernel: b.Size("mamba_d_conv"),
		Bias: b.Bool("mamba_proj_bias"), ConvBias: b.Bool("mamba_conv_bias"), Act: "hidden_act", Norm: (*Build).RMSNorm}
}

// smaller refuses an offset that is not inside its period.
func smaller(b *Build, offset, period string) {
	if b.Int(offset) >= b.Int(period) {
		config.Fail(config.CodeContradiction, b.At(offset), "is %d but must be smaller than %s, %d", b.Int(offset),
			period, b.Int(period))
	}
}
