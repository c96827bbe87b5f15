package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "moshi", Default: "MoshiForCausalLM", Classes: map[string]func(*Build){
	"MoshiForCausalLM": func(b *Build) {
		b.Output(stack.LMHead(b, moshi(b, "model"), "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, 0,
			false)) // never tied
	},
	"MoshiModel": func(b *Build) { b.Output(moshi(b, "")) },
}})

// moshi is the text model of Moshi: llama with one projection for gate and up, and a row more in its embedding.
func moshi(b *Build, prefix string) Node {
	m, a := b.Scope("%s", prefix), nn.Rotary(b, 0)
	evenHeads(b)
	a.Q, a.K, a.V, a.O = "q_proj.linear", "k_proj.linear", "v_proj.linear", "o_proj.linear"
	wide := b.Size("ffn_dim")
	if wide%2 != 0 {
		config.Fail(config.CodeContradiction, b.At("ffn_dim"), "is %d but gate and up have equal halves of it", wide)
	}
	x := m.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size")+1, a.Dim)
	for i := range b.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = nn.PreNorm(l, x, a.Dim,
			func(x Node) Node { return nn.Attend(l, x, "self_attn", a) },
			func(x Node) Node {
				return nn.GatedMLP(l, x, "mlp", nn.Gated{Dim: a.Dim, Hidden: wide / 2, Act: b.Str("hidden_act"),
					Fused: "fc1", Down: "fc2"})
			})
	}
	return m.RMSNorm(x, "norm", a.Dim)
}
