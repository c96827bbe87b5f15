package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "layoutlm", Default: "LayoutLMForMaskedLM",
	Classes: stack.Encoder{Prefix: "layoutlm", Model: Bert{Embed: boxes, Single: true}.model, Pool: stack.BertPool,
		Pooled: true, Words: stack.BertWords}.Classes("LayoutLM", stack.MaskedLM, stack.TokenClassification)})

// boxes adds vectors for the box of each word on its page: the same for both edges of an axis, and others for its size.
func boxes(m *Build, x, _ Node) Node {
	rows, dim := m.Size("max_2d_position_embeddings"), m.Size("hidden_size")
	box := m.Input("bbox", m.Length(m.MaxPositions()), 4)
	m.Set(box, "dtype", build.Text("", "int64").Value)
	edge := func(i int64) Node {
		return m.Add("select", "bbox", Args{build.Int("dim", 2), build.Int("index", i)}, box)
	}
	left, upper, right, lower := edge(0), edge(1), edge(2), edge(3)
	less := func(x, y Node) Node { return m.Add("subtract", "bbox", nil, x, y) }
	for _, v := range []Node{
		m.Embedding(left, "x_position_embeddings", rows, dim), m.Embedding(upper, "y_position_embeddings", rows, dim),
		m.Again().Embedding(right, "x_position_embeddings", rows, dim),
		m.Again().Embedding(lower, "y_position_embeddings", rows, dim),
		m.Embedding(less(lower, upper), "h_position_embeddings", rows, dim),
		m.Embedding(less(right, left), "w_position_embeddings", rows, dim),
	} {
		x = m.Residual(x, v)
	}
	return x
}
