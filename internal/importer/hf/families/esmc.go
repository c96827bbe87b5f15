package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "esmc", Default: "EsmcForMaskedLM",
	Classes: stack.Encoder{Prefix: "esmc", Model: esmc, Words: func(b *Build, x, table Node) Node {
		p, dim := b.Scope("lm_head"), b.Size("hidden_size")
		x = p.LayerNorm(p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act"), "layer_norm", dim, true)
		return stack.LMHead(p, x, "decoder", dim, b.Size("vocab_size"), true, table, false)
	}}.Classes("Esmc", stack.MaskedLM)})

// esmc reads proteins: layer norms, rotary positions, and queries and keys that are normalised as a whole, without
// bias.
func esmc(b *Build) (x, table Node) {
	evenHeads(b)
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if kv := b.KVHeads(); kv != heads {
		config.Fail(config.CodeContradiction, b.At("num_key_value_heads"),
			"is %d but num_attention_heads is %d: heads share no keys here", kv, heads)
	}
	table = b.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size"), dim)
	x = table
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		x = nn.LayerNormed(l, x, func(x Node) Node { return esmcAttend(l.Scope("self_attn"), x) },
			func(x Node) Node { return nn.DecoderMLP(l, x, b.Bool("mlp_bias")) })
	}
	return b.LayerNorm(x, "norm", dim, false), table
}

// esmcAttend norms the width of the model: with a head_dim of another size it does not run.
func esmcAttend(b *Build, x Node) Node {
	a := nn.Rotary(b, 10_000).Biased(b.Bool("attention_bias")).Filled()
	q, k, v := nn.Project(b, x, a)
	q, k = b.LayerNorm(q, "q_norm", a.Dim, false), b.LayerNorm(k, "k_norm", a.Dim, false)
	q, k = nn.Rotate(b, q, a.HeadDim, a.Base), nn.Rotate(b, k, a.HeadDim, a.Base)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, false), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}
