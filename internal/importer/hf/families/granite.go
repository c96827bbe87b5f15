package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "granite", Default: "GraniteForCausalLM",
		Classes: stack.HeadedClasses("Granite", stack.Layered(granite))})
	_ = family.Define(family.Family{Type: "granite_swa", Default: "GraniteSWAForCausalLM",
		Classes: stack.HeadedClasses("GraniteSWA", stack.Layered(graniteSWA))})
)

// granite is llama with a few constant factors.
func granite(b *Build, x Node, _ int64) Node {
	return graniteLayer(b, x, nn.Rotary(b, 0).Biased(b.Bool("attention_bias")),
		func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
}

// graniteSWA has a trained sink in each head, and three layers of four slide.
func graniteSWA(b *Build, x Node, i int64) Node {
	return graniteLayer(b, x, graniteSink(b, i), func(x Node) Node { return nn.DecoderMLP(b, x, b.Bool("mlp_bias")) })
}

func graniteLayer(b *Build, x Node, a nn.Attention, feed func(x Node) Node) Node {
	return nn.PreNorm(b, x, a.Dim, func(x Node) Node { return nn.Attend(b, x, "self_attn", a) }, feed)
}

// graniteSink is attention with a sink in each head. Every layer has its own base of angles; one of 0 has no rotary
// positions.
func graniteSink(b *Build, i int64) nn.Attention {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
	a.Sinks, a.Scaled = "sinks", true
	a = a.Within(nn.WindowOf(b, nn.LayerKind(b, "layer_types", i,
		nn.Either(i%4 == 0, nn.FullAttention, nn.SlidingAttention))))
	if bases := b.List("layer_rope_theta"); len(bases) > 0 {
		if int64(len(bases)) <= i {
			config.Fail(config.CodeContradiction, b.At("layer_rope_theta"),
				"has %d entries but num_hidden_layers is %d", len(bases), b.Int("num_hidden_layers"))
		}
		own := config.Object(map[string]any{"layer_rope_theta": bases[i]}, b.Where())
		a.Base = own.Float("layer_rope_theta")
		a.Rotary = a.Base != 0
	}
	return a
}
