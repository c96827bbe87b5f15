package hf

var _ = define(Family{Type: "openai-gpt", Default: "OpenAIGPTLMHeadModel", Classes: topped("OpenAIGPTLMHeadModel", "OpenAIGPTModel", openaiGPT,
	scored("OpenAIGPTForSequenceClassification"))})

// openaiGPT is the first GPT: norms stand behind the sums, and none at the end.
func openaiGPT(b *Build) Decoder {
	dim := b.Size("n_embd")
	d := gpt(b, func(b *Build, x Node, _ int64) Node {
		a := Attention{Dim: dim, Heads: b.Size("n_head")}.filled()
		x = b.LayerNorm(b.Residual(x, b.Scope("attn").attendStored(x, a, (*Build).Conv1D)), "ln_1", dim, true)
		m := b.Scope("mlp")
		act := b.Str("afn")
		if act == "gelu" { // under this name the module has the approximation by a hyperbolic tangent
			act = "gelu_new"
		}
		h := m.Conv1D(m.Act(m.Conv1D(x, "c_fc", dim, 4*dim), act, "afn"), "c_proj", 4*dim, dim)
		return b.LayerNorm(b.Residual(x, h), "ln_2", dim, true)
	})
	d.Embed, d.NoFinalNorm = "tokens_embed", true
	d.Embedded = func(b *Build, x Node) Node { return b.Positions(x, "positions_embed", b.Size("n_positions"), dim) }
	return d
}
