package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "llama4_text", Default: "Llama4ForCausalLM", Classes: llama4Text()})

func llama4Text() map[string]func(*Build) {
	d := stack.Layered(llama4)
	return map[string]func(*Build){
		"Llama4ForCausalLM": func(b *Build) { stack.CausalLM(b, d(b)) },
		"Llama4TextModel":   func(b *Build) { stack.BareModel(b, d(b)) },
	}
}

// llama4 has experts beside a shared one in some layers, and every few layers no rotary positions.
func llama4(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 500_000).Biased(b.Bool("attention_bias"))
	a.Rotary = rotaryLayer(b, i)
	if a.Rotary && b.Bool("use_qk_norm") {
		a.Norm, a.QNorm, a.KNorm = nn.PlainRMS, "qk_norm", "qk_norm"
	}
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			if !llama4Experts(b, i) {
				return nn.GatedMLPByKey(b, x, "feed_forward", "intermediate_size_mlp", false)
			}
			e := nn.Routed(b, "num_local_experts", "intermediate_size")
			e.Router, e.Shared, e.SharedName = "router", e.Hidden, "shared_expert"
			e.List, e.Run = transposed, transformers.Batched
			return nn.AddExperts(b, x, "feed_forward", e)
		})
}

// llama4Experts says whether a layer has experts: as moe_layers lists them, else every n-th.
func llama4Experts(b *Build, i int64) bool {
	if b.Has("moe_layers") {
		return b.HasInt("moe_layers", i)
	}
	return (i+1)%b.Size("interleave_moe_layer_step") == 0
}
