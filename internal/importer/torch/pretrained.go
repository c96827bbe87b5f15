package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// fromPretrained is Embedding.from_pretrained and EmbeddingBag.from_pretrained: a table of the size of a matrix. The values of a table
// change no shape, and one that is frozen is a parameter all the same.
func (r *reader) fromPretrained(in *interp.Interp, a *interp.Args) interp.Value {
	table, ok := a.Get("embeddings", 1)
	if !ok {
		in.Raise("TypeError", "from_pretrained() missing 1 required positional argument: 'embeddings'")
	}
	if u, unknown := table.(*interp.Unknown); unknown {
		in.Fault("the table of from_pretrained is not known: %s", u.Reason())
	}
	t := r.tensor("from_pretrained", table)
	if t.rank() != 2 {
		in.Raise("AssertionError", "Embeddings parameter is expected to be 2-dimensional")
	}
	return in.Call(a.Pos[0], &interp.Args{Kw: []interp.KV{{Name: "num_embeddings", Value: t.size(0)}, {Name: "embedding_dim", Value: t.size(1)}}})
}
