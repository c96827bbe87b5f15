package families

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "roformer", Default: "RoFormerForMaskedLM",
	Classes: stack.Encoder{Prefix: "roformer", Model: roFormer, Words: roFormerWords, Whole: stack.FrontClass("")}.
		Classes("RoFormer", stack.MaskedLM, stack.ForCausalLM, stack.SequenceClassification, stack.TokenClassification,
			stack.QuestionAnswering)})

// roFormer rotates queries and keys by the angles of a table, which transformers counts as weights.
func roFormer(b *Build) (x, table Node) {
	s := Bert{NoTable: true, Free: true, Enter: "embeddings_project"}
	if b.Has("embedding_size") {
		s.Width = "embedding_size"
	}
	const name = "encoder.embed_positions"
	rows, length := b.Size("max_position_embeddings"), b.Length(b.MaxPositions())
	a := s.attention(b)
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", b.Size(cmp.Or(s.Width, "hidden_size")))
	x = s.embed(b, table)
	build.Unused(b, x, name+".weight", rows, a.HeadDim) // is read without a gradient
	angles := b.Constant(x, name, rows, a.HeadDim)
	angles = b.Add("slice", name, Args{build.Int("dim", 1), build.Int("end", length)}, angles)
	p := b.Scope(name)
	sin, cos := forPairs(p, p.Chunk(angles, 2, 0), a.Heads), forPairs(p, p.Chunk(angles, 2, 1), a.Heads)
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		q, k, v := nn.Project(m, x, a)
		q, k = rotatePairs(m.Scope("self"), q, sin, cos), rotatePairs(m.Scope("self"), k, sin, cos)
		if b.Bool("rotary_value") {
			v = rotatePairs(m.Scope("self"), v, sin, cos)
		}
		return m.Linear(m.Scope("self").Core(q, k, v, a.Heads, a.Heads, a.Causal), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, x), table
}

// forPairs repeats each angle for both features of its pair, and all of them for each head.
func forPairs(b *Build, x Node, heads int64) Node {
	x = b.Flat(b.Add("stack", "", Args{build.Int("dim", -1)}, x, x))
	return b.Add("repeat", "", Args{build.Ints("repeats", 1, heads)}, x)
}

// rotatePairs rotates each pair of neighbouring features by its angle.
func rotatePairs(b *Build, x, sin, cos Node) Node {
	every := func(start int64) Node {
		return b.Add("slice", "", Args{build.Int("dim", -1), build.Int("start", start), build.Int("step", 2)}, x)
	}
	other := b.Flat(b.Add("stack", "", Args{build.Int("dim", -1)}, b.Add("neg", "", nil, every(1)), every(0)))
	return b.Residual(b.Add("multiply", "", nil, x, cos), b.Add("multiply", "", nil, other, sin))
}

func roFormerWords(b *Build, x, table Node) Node {
	p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
	width := b.SizeOr("embedding_size", dim)
	x = p.Activation(p.Linear(x, "transform.dense", dim, width, true), "hidden_act")
	return stack.Vocabulary(p, p.LayerNorm(x, "transform.LayerNorm", width, true), width, table)
}
