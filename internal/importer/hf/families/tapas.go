package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "tapas", Default: "TapasForMaskedLM",
	Classes: stack.Encoder{Prefix: "tapas", Model: tapas, Pool: stack.BertPool, Words: stack.BertWords,
		Whole: stack.PooledClass}.
		Classes("Tapas", stack.MaskedLM, stack.SequenceClassification)})

// tapas reads a table: a vector for each of several kinds of segments, as columns and rows, and positions that may
// start anew in each cell, and then never end.
func tapas(b *Build) (x, table Node) {
	s := Bert{NoTypes: true}
	length, dim, rows := b.Length(s.longest(b)), b.Size("hidden_size"), b.Size("max_position_embeddings")
	s.NoTable = b.Bool("reset_position_index_per_cell") && length > rows
	s.Embed = func(m *Build, x, _ Node) Node {
		if s.NoTable {
			x = m.Residual(x, m.Embedding(m.Input("position_ids", length), "position_embeddings", rows, dim))
		}
		for i, n := range b.Ints("type_vocab_sizes") {
			x = nn.Segments(m, x, fmt.Sprintf("token_type_embeddings_%d", i), n, dim)
		}
		return x
	}
	return s.model(b)
}
