package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "nomic_bert", Default: "NomicBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "nomic_bert", Model: nomicBert.model, Words: func(b *Build, x, table Node) Node {
		p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
		x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
		return stack.Vocabulary(p, p.LayerNorm(x, "transform.layer_norm", dim, true), dim, table)
	}}.Classes("NomicBert", stack.MaskedLM)})

// nomicBert is BERT with rotary positions and a gated network, both without bias.
var nomicBert = Bert{NoTable: true, Single: true, Layers: "layers", Layer: func(l *Build, x, _ Node, _ int64) Node {
	return postNormed(l, x, rotaryBoth(l, 1000), func(x Node) Node { return nn.DecoderMLP(l, x, false) })
}}

// rotaryBoth is attention with rotary positions to all others. The base of the angles is the class's own where the
// config names none.
func rotaryBoth(b *Build, base float64) nn.Attention {
	return nn.Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), HeadDim: b.HeadDim(),
		Rotary: true, Base: nn.BaseOf(b, "", base)}
}

// postNormed is a layer whose norms follow the sums.
func postNormed(b *Build, x Node, a nn.Attention, feed func(x Node) Node) Node {
	x = b.LayerNorm(b.Residual(x, b.Drop(nn.Attend(b, x, "self_attn", a), hiddenDropout)), "post_attention_layernorm",
		a.Dim, true)
	return b.LayerNorm(b.Residual(x, b.Drop(feed(x), hiddenDropout)), "post_mlp_layernorm", a.Dim, true)
}
