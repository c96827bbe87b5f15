package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "albert", Default: "AlbertForMaskedLM",
	Classes: stack.Encoder{Prefix: "albert", Model: albert, Pool: directPool, Words: albertWords,
		Whole: directClass}.Classes("Albert", stack.MaskedLM, stack.SequenceClassification, stack.TokenClassification,
		stack.QuestionAnswering)})

// albert calls the same few groups of layers again and again.
func albert(b *Build) (x, table Node) {
	s := Bert{Width: "embedding_size", Enter: "encoder.embedding_hidden_mapping_in", Always: true}
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", b.Size("embedding_size"))
	x = s.embed(b, table)
	layers, groups := b.Int("num_hidden_layers"), b.Size("num_hidden_groups")
	seen := map[int64]bool{}
	for i := range layers {
		g := int64(float64(i) / (float64(layers) / float64(groups)))
		m := b.Scope("encoder.albert_layer_groups.%d", g)
		if seen[g] {
			m = m.Again()
		}
		seen[g] = true
		x = albertGroup(m, x)
	}
	for g := range groups {
		if !seen[g] { // has weights that no layer reads
			albertGroup(b.Scope("encoder.albert_layer_groups.%d", g), x)
		}
	}
	return x, table
}

func albertGroup(b *Build, x Node) Node {
	dim := b.Size("hidden_size")
	for i := range b.Int("inner_group_num") {
		l := b.Scope("albert_layers.%d", i)
		a := Bert{Free: true}.attention(b)
		a.Q, a.K, a.V, a.O = "query", "key", "value", "dense"
		x = l.LayerNorm(l.Residual(x, l.Scope("attention").Drop(bertAttend(l, x, "attention", a), hiddenDropout)),
			"attention.LayerNorm", dim, true)
		y := nn.MLP(l, x, "ffn", "ffn_output", dim, b.Size("intermediate_size"), true, "hidden_act")
		x = l.LayerNorm(l.Residual(x, y), "full_layer_layer_norm", dim, true)
	}
	return x
}

func albertWords(b *Build, x, table Node) Node {
	p, width := b.Scope("predictions"), b.Size("embedding_size")
	x = p.Activation(p.Linear(x, "dense", b.Size("hidden_size"), width, true), "hidden_act")
	return stack.Vocabulary(p, p.LayerNorm(x, "LayerNorm", width, true), width, table)
}

// directPool is a pooler that is the projection itself.
func directPool(m *Build, x Node) Node {
	dim := m.Size("hidden_size")
	return m.Add("tanh", "pooler", nil, m.Linear(stack.FirstPosition(m, x, "pooler"), "pooler", dim, dim, true))
}

func directClass(b, m *Build, x Node) Node {
	return b.Linear(directPool(m, x), "classifier", b.Size("hidden_size"), b.NumLabels(), true)
}
