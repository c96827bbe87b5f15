package hf

var (
	_ = define(Family{Type: "granite", Default: "GraniteForCausalLM", Classes: headed("Granite", layered(granite))})
	_ = define(Family{Type: "granite_swa", Default: "GraniteSWAForCausalLM", Classes: headed("GraniteSWA", layered(graniteSWA))})
)

// granite is llama with a few constant factors.
func granite(b *Build, x Node, _ int64) Node {
	return b.graniteLayer(x, b.rotary(0).biased(b.Bool("attention_bias")), func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
}

// graniteSWA has a trained sink in each head, and three layers of four slide.
func graniteSWA(b *Build, x Node, i int64) Node {
	return b.graniteLayer(x, b.graniteSink(i), func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
}

func (b *Build) graniteLayer(x Node, a Attention, feed func(x Node) Node) Node {
	return b.PreNorm(x, a.Dim, func(x Node) Node { return b.Attend(x, "self_attn", a) }, feed)
}

// graniteSink is attention with a sink in each head. Every layer has its own base of angles; one of 0 has no rotary positions.
func (b *Build) graniteSink(i int64) Attention {
	a := b.rotary(0).biased(b.Bool("attention_bias"))
	a.Sinks, a.Scaled = "sinks", true
	a = a.within(b.windowOf(b.kind("layer_types", i, either(i%4 == 0, full, sliding))))
	if bases := b.list("layer_rope_theta"); len(bases) > 0 {
		if int64(len(bases)) <= i {
			fail(CodeContradiction, b.at("layer_rope_theta"), "has %d entries but num_hidden_layers is %d", len(bases), b.Int("num_hidden_layers"))
		}
		own := &Config{values: map[string]any{"layer_rope_theta": bases[i]}, path: b.path}
		a.Base = own.Float("layer_rope_theta")
		a.Rotary = a.Base != 0
	}
	return a
}
