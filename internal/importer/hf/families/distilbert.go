package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "distilbert", Default: "DistilBertForMaskedLM", Classes: distilBert()})

func distilBert() map[string]func(*Build) {
	e := stack.Encoder{Prefix: "distilbert", Model: distilModel, Words: distilWords, Width: "dim",
		Whole: func(b, _ *Build, x Node) Node {
			dim := b.Size("dim")
			x = b.Add("relu", "pre_classifier", nil,
				b.Linear(stack.FirstPosition(b, x, "pre_classifier"), "pre_classifier", dim, dim, true))
			return b.Linear(x, "classifier", dim, b.NumLabels(), true)
		}}
	return e.Classes("DistilBert", stack.MaskedLM, stack.SequenceClassification, stack.TokenClassification,
		stack.QuestionAnswering)
}

// distilModel is BERT without segments, under names of its own.
func distilModel(b *Build) (x, table Node) {
	dim, heads, m := b.Size("dim"), b.Size("n_heads"), b.Scope("embeddings")
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("n_heads"), "is %d, which does not divide dim, %d", heads, dim)
	}
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", dim)
	x = m.LayerNorm(m.Positions(table, "position_embeddings", b.Size("max_position_embeddings"), dim), "LayerNorm",
		dim, true)
	x = m.Drop(x, "dropout")
	for i := range b.Int("n_layers") {
		l := b.Scope("transformer.layer.%d", i)
		y := nn.Attend(l, x, "attention", nn.Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true, Q: "q_lin",
			K: "k_lin", V: "v_lin", O: "out_lin"})
		x = l.LayerNorm(l.Residual(x, y), "sa_layer_norm", dim, true)
		y = l.Scope("ffn").Drop(nn.MLP(l.Scope("ffn"), x, "lin1", "lin2", dim, b.Size("hidden_dim"), true,
			"activation"), "dropout")
		x = l.LayerNorm(l.Residual(x, y), "output_layer_norm", dim, true)
	}
	return x, table
}

func distilWords(b *Build, x, table Node) Node {
	dim := b.Size("dim")
	x = b.Activation(b.Linear(x, "vocab_transform", dim, dim, true), "activation")
	x = b.LayerNorm(x, "vocab_layer_norm", dim, true)
	return stack.LMHead(b, x, "vocab_projector", dim, b.Size("vocab_size"), true, table, b.Bool("tie_word_embeddings"))
}
