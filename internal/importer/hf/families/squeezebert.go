package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "squeezebert", Default: "SqueezeBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "transformer", Model: squeezeBert, Pool: stack.BertPool, Pooled: true,
		Words: stack.BertWords}.Classes("SqueezeBert", stack.MaskedLM, stack.TokenClassification,
		stack.QuestionAnswering)})

// squeezeBert is BERT whose projections are convolutions of one position in groups of channels.
func squeezeBert(b *Build) (x, table Node) {
	dim, hidden := b.Size("hidden_size"), b.Size("intermediate_size")
	if width := b.Size("embedding_size"); width != dim {
		config.Fail(config.CodeContradiction, b.At("embedding_size"),
			"is %d but hidden_size is %d: no map lies between them", width, dim)
	}
	s := Bert{Layers: "encoder.layers", Single: true}
	s.Layer = func(l *Build, x, _ Node, _ int64) Node {
		a := s.attention(l)
		one := func(x Node, name string, in, out int64, groups string) Node {
			return convolve(l, x, name, in, out, 1, 0, l.Size(groups), true)
		}
		y := l.Scope("attention").Core(one(x, "attention.query", dim, dim, "q_groups"),
			one(x, "attention.key", dim, dim, "k_groups"),
			one(x, "attention.value", dim, dim, "v_groups"), a.Heads, a.Heads, false)
		y = one(y, "post_attention.conv1d", dim, dim, "post_attention_groups")
		x = l.LayerNorm(l.Residual(x, l.Scope("post_attention").Drop(y, hiddenDropout)), "post_attention.layernorm",
			dim, true)
		y = l.Scope("intermediate").Activation(one(x, "intermediate.conv1d", dim, hidden, "intermediate_groups"),
			"hidden_act")
		y = one(y, "output.conv1d", hidden, dim, "output_groups")
		return l.LayerNorm(l.Residual(x, l.Scope("output").Drop(y, hiddenDropout)), "output.layernorm", dim, true)
	}
	return s.model(b)
}
