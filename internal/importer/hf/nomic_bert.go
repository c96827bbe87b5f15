package hf

var _ = define(Family{Type: "nomic_bert", Default: "NomicBertForMaskedLM", Classes: Encoder{Prefix: "nomic_bert", Model: nomicBert.model, Words: func(b *Build, x, table Node) Node {
	p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
	x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
	return p.vocabulary(p.LayerNorm(x, "transform.layer_norm", dim, true), dim, table)
}}.classes("NomicBert", masked)})

// nomicBert is BERT with rotary positions and a gated network, both without bias.
var nomicBert = Bert{NoTable: true, Single: true, Layers: "layers", Layer: func(l *Build, x, _ Node, _ int64) Node {
	return l.postNormed(x, l.rotaryBoth(1000), func(x Node) Node { return l.mlp(x, false) })
}}

// rotaryBoth is attention with rotary positions to all others. The base of the angles is the class's own where the config names
// none.
func (b *Build) rotaryBoth(base float64) Attention {
	return Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), HeadDim: b.HeadDim(), Rotary: true, Base: b.baseOf("", base)}
}

// postNormed is a layer whose norms follow the sums.
func (b *Build) postNormed(x Node, a Attention, feed func(x Node) Node) Node {
	x = b.LayerNorm(b.Residual(x, b.drop(b.Attend(x, "self_attn", a), hiddenDropout)), "post_attention_layernorm", a.Dim, true)
	return b.LayerNorm(b.Residual(x, b.drop(feed(x), hiddenDropout)), "post_mlp_layernorm", a.Dim, true)
}
