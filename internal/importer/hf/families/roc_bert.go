package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "roc_bert", Default: "RoCBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "roc_bert", Model: rocBert, Pool: stack.BertPool, Words: stack.BertWords,
		Whole: stack.PooledClass}.
		Classes("RoCBert", stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// rocBert knows the sound and the shape of each token, too. Without concat_input, or where one of them is switched
// off, their tables have weights that no one reads unless the caller gives their ids.
func rocBert(b *Build) (x, table Node) {
	dim, m := b.Size("hidden_size"), b.Scope("embeddings")
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", dim)
	parts, width := []Node{table}, dim
	for _, p := range []struct{ kind, enabled, table, input string }{
		{"shape", "enable_shape", "shape_embed", "input_shape_ids"},
		{"pronunciation", "enable_pronunciation", "pronunciation_embed", "input_pronunciation_ids"},
	} {
		rows, size := b.Size(p.kind+"_vocab_size"), b.Size(p.kind+"_embed_dim")
		if !b.Bool("concat_input") || !b.Bool(p.enabled) {
			m.Add("parameter", p.table, Args{build.Ints("shape", rows, size)}, table)
			m.Tensor(p.table+".weight", rows, size)
			continue
		}
		parts = append(parts, m.Embedding(b.Tokens(p.input, b.MaxPositions()), p.table, rows, size))
		width += size
	}
	x = table
	if len(parts) > 1 {
		x = m.Add("concatenate", "", Args{build.Int("dim", -1)}, parts...)
	}
	if b.Bool("concat_input") {
		x = m.Linear(x, "map_inputs_layer", width, dim, true)
	}
	return Bert{}.encode(b, Bert{}.embed(b, x)), table
}
