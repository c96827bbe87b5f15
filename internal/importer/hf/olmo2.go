package hf

var (
	_ = define(Family{Type: "olmo2", Default: "Olmo2ForCausalLM", Classes: headed("Olmo2", layered(olmo2), sequences)})
	_ = define(Family{Type: "olmo3", Default: "Olmo3ForCausalLM", Classes: headed("Olmo3", layered(olmo3), sequences)})
)

// olmo2 normalises behind attention and network, and all heads of queries and keys at once.
func olmo2(b *Build, x Node, _ int64) Node { return b.olmoLayer(x, b.rotary(0)) }

// olmo3 slides in three layers of four.
func olmo3(b *Build, x Node, i int64) Node {
	kind := b.kind("layer_types", i, either((i+1)%4 != 0, sliding, full))
	a := b.rotary(0).within(b.windowOf(kind))
	a.Base = b.baseOf(kind, 500_000)
	return b.olmoLayer(x, a)
}

func (b *Build) olmoLayer(x Node, a Attention) Node {
	a = a.biased(b.Bool("attention_bias"))
	a.Norm = FullRMS
	x = b.Residual(x, b.RMSNorm(b.Attend(x, "self_attn", a), "post_attention_layernorm", a.Dim))
	return b.Residual(x, b.RMSNorm(b.mlp(x, false), "post_feedforward_layernorm", a.Dim))
}
