package hf

var _ = define(Family{Type: "smollm3", Default: "SmolLM3ForCausalLM", Classes: headed("SmolLM3", layered(smolLM3), sequences, tokens, oldAnswers)})

// smolLM3 is llama with some layers that have no rotary positions; where windows are used, those have them.
func smolLM3(b *Build, x Node, i int64) Node {
	a := b.rotary(2e6).biased(b.Bool("attention_bias"))
	a.Rotary = b.rotaryLayer(i)
	kind := b.kind("layer_types", i, either(b.Bool("use_sliding_window") && !a.Rotary, sliding, full))
	if b.Bool("use_sliding_window") {
		a = a.within(b.windowOf(kind))
	}
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
}

// rotaryLayer says whether a layer has rotary positions: as no_rope_layers lists them, else all but every n-th.
func (b *Build) rotaryLayer(i int64) bool {
	listed := b.Bools("no_rope_layers")
	if len(listed) == 0 {
		return (i+1)%b.Size("no_rope_layer_interval") != 0
	}
	if int64(len(listed)) <= i {
		fail(CodeContradiction, b.at("no_rope_layers"), "has %d entries but num_hidden_layers is %d", len(listed), b.Int("num_hidden_layers"))
	}
	return listed[i]
}
