package hf

import "slices"

var _ = define(Family{Type: "llama4_text", Default: "Llama4ForCausalLM", Classes: llama4Text()})

func llama4Text() map[string]func(*Build) {
	d := layered(llama4)
	return map[string]func(*Build){
		"Llama4ForCausalLM": func(b *Build) { b.languageModel(d(b)) },
		"Llama4TextModel":   func(b *Build) { b.bareModel(d(b)) },
	}
}

// llama4 has experts beside a shared one in some layers, and every few layers no rotary positions.
func llama4(b *Build, x Node, i int64) Node {
	a := b.rotary(500_000).biased(b.Bool("attention_bias"))
	a.Rotary = b.rotaryLayer(i)
	if a.Rotary && b.Bool("use_qk_norm") {
		a.Norm, a.QNorm, a.KNorm = PlainRMS, "qk_norm", "qk_norm"
	}
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			if !b.llama4Experts(i) {
				return b.gated(x, "feed_forward", "intermediate_size_mlp", false)
			}
			e := b.routed("num_local_experts", "intermediate_size")
			e.Router, e.Shared, e.SharedName = "router", e.Hidden, "shared_expert"
			e.List, e.How = (*Build).transposed, "batched"
			return b.Experts(x, "feed_forward", e)
		})
}

// llama4Experts says whether a layer has experts: as moe_layers lists them, else every n-th.
func (b *Build) llama4Experts(i int64) bool {
	if b.Has("moe_layers") {
		return slices.Contains(b.Ints("moe_layers"), i)
	}
	return (i+1)%b.Size("interleave_moe_layer_step") == 0
}
