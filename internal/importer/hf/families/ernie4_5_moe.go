package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "ernie4_5_moe", Default: "Ernie4_5_MoeForCausalLM",
	Classes: stack.HeadedClasses("Ernie4_5_Moe", ernieMoe)})

// ernieMoe has experts in each moe_layer_interval-th layer of a range.
func ernieMoe(b *Build) stack.Decoder {
	return stack.Decoder{Dim: b.Size("hidden_size"), HeadBias: b.Bool("use_bias"),
		Layer: func(b *Build, x Node, i int64) Node {
			return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return ernieAttention(b, x) },
				func(x Node) Node { return ernieNetwork(b, x, i) })
		}}
}

func ernieNetwork(b *Build, x Node, i int64) Node {
	last := b.Int("moe_layer_end_index")
	if last == -1 {
		last = b.Int("num_hidden_layers") - 1
	}
	g := nn.DefaultGated(b, b.Bool("use_bias"))
	if (i+1)%b.Size("moe_layer_interval") != 0 || i < b.Int("moe_layer_start_index") || i > last {
		return nn.GatedMLP(b, x, "mlp", g)
	}
	e := nn.Experts{Dim: g.Dim, Count: b.Size("moe_num_experts"), TopK: b.Size("moe_k"),
		Hidden:    b.Size("moe_intermediate_size"),
		ScoreBias: "gate.moe_statics.e_score_correction_bias", ScoreAxes: []int64{1, b.Size("moe_num_experts")}}
	if b.Int("moe_num_shared_experts") <= 0 {
		return nn.AddExperts(b, x, "mlp", e)
	}
	g.Hidden = e.Hidden * b.Int("moe_num_shared_experts")
	return nn.Mixture(b, x, e, g)
}
