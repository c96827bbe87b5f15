package hf

var _ = define(Family{Type: "moshi", Default: "MoshiForCausalLM", Classes: map[string]func(*Build){
	"MoshiForCausalLM": func(b *Build) {
		b.Output(b.LMHead(b.moshi("model"), "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, 0, false)) // never tied
	},
	"MoshiModel": func(b *Build) { b.Output(b.moshi("")) },
}})

// moshi is the text model of Moshi: llama with one map for gate and up, and a row more in its embedding.
func (b *Build) moshi(prefix string) Node {
	m, a := b.Scope("%s", prefix), b.rotary(0)
	b.evenHeads()
	a.Q, a.K, a.V, a.O = "q_proj.linear", "k_proj.linear", "v_proj.linear", "o_proj.linear"
	wide := b.Size("ffn_dim")
	if wide%2 != 0 {
		fail(CodeContradiction, b.at("ffn_dim"), "is %d but gate and up have equal halves of it", wide)
	}
	x := m.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size")+1, a.Dim)
	for i := range b.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.PreNorm(x, a.Dim,
			func(x Node) Node { return l.Attend(x, "self_attn", a) },
			func(x Node) Node {
				return l.Gated(x, "mlp", Gated{Dim: a.Dim, Hidden: wide / 2, Act: b.Str("hidden_act"), Fused: "fc1", Down: "fc2"})
			})
	}
	return m.RMSNorm(x, "norm", a.Dim)
}
