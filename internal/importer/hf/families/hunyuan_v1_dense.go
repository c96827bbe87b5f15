package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "hunyuan_v1_dense", Default: "HunYuanDenseV1ForCausalLM",
		Classes: stack.HeadedClasses("HunYuanDenseV1", stack.Layered(hunyuanDense), stack.SequenceClassification)})
	_ = family.Define(family.Family{Type: "hunyuan_v1_moe", Default: "HunYuanMoEV1ForCausalLM",
		Classes: stack.HeadedClasses("HunYuanMoEV1", stack.Layered(hunyuanMoE), stack.SequenceClassification)})
)

// hunyuanDense is qwen3 with other names.
func hunyuanDense(b *Build, x Node, _ int64) Node { return windowed(b, x, hunyuanAttention(b)) }

// hunyuanMoE has experts as wide as the network that every token visits.
func hunyuanMoE(b *Build, x Node, i int64) Node {
	a := hunyuanAttention(b)
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			wide := b.Size("intermediate_size")
			return nn.AddExperts(b, x, "mlp", nn.Experts{Dim: a.Dim, Count: each(b, "num_experts", i),
				TopK: each(b, "moe_topk", i), Hidden: wide,
				Router: "gate.wg", Shared: wide, SharedName: "shared_mlp"})
		})
}

func hunyuanAttention(b *Build) nn.Attention {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
	a.HeadDim = b.Size("head_dim") // the class derives none
	a.Norm, a.QNorm, a.KNorm = nn.HeadRMS, "query_layernorm", "key_layernorm"
	return a
}

// each is a number for all layers, or the entry of one.
func each(b *Build, key string, i int64) int64 {
	if _, ok := b.Value(key).([]any); !ok {
		return b.Size(key)
	}
	all := b.Ints(key)
	if int64(len(all)) <= i {
		config.Fail(config.CodeContradiction, b.At(key), "has %d entries but num_hidden_layers is %d", len(all),
			b.Int("num_hidden_layers"))
	}
	return all[i]
}
