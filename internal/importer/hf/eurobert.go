package hf

var _ = define(Family{Type: "eurobert", Default: "EuroBertForMaskedLM", Classes: map[string]func(*Build){
	"EuroBertForMaskedLM": func(b *Build) { b.languageModel(euroBert(b)) },
	"EuroBertModel":       func(b *Build) { b.bareModel(euroBert(b)) },
}})

// euroBert is Llama whose positions see those behind them, too.
func euroBert(b *Build) Decoder {
	b.evenHeads()
	return Decoder{HeadBias: b.Bool("mlp_bias"), Layer: func(b *Build, x Node, _ int64) Node {
		a := b.rotary(10_000).biased(b.Bool("attention_bias"))
		a.Causal = false
		return b.PreNorm(x, a.Dim, func(x Node) Node { return b.Attend(x, "self_attn", a) }, func(x Node) Node { return b.mlp(x, b.Bool("mlp_bias")) })
	}}
}
