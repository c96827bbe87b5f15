package families

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "deberta", Default: "DebertaForMaskedLM",
	Classes: stack.Encoder{Prefix: "deberta", Model: deberta, Words: debertaWords,
		Whole: debertaClass}.Classes("Deberta", stack.MaskedLM, stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// deberta projects queries, keys and values of a head by one projection, and gives queries and values a bias of their
// own.
func deberta(b *Build) (x, table Node) {
	if b.Bool("talking_head") {
		config.Fail(config.CodeConfig, b.At("talking_head"), "maps between the heads are not modelled")
	}
	s, x, table := debertaEmbed(b)
	s.Norm = transformers.LayerNorm{Steps: true}
	b.As(x, s.Norm)
	x = b.Scope("embeddings").Drop(x, hiddenDropout)
	span := min(b.Length(b.MaxPositions()), relativeRange(b))
	relative := relativeTable(b, x, relativeRange(b))
	s.Attend = func(m *Build, x Node, a nn.Attention) Node {
		y := m.Scope("self")
		all := y.Unflatten(y.Linear(x, "in_proj", a.Dim, 3*a.Dim, false), a.Heads, 3*a.HeadDim)
		part := func(i int64) Node { return y.Flat(y.Chunk(all, 3, i)) }
		q, k, v := y.Residual(part(0), vector(y, x, "q_bias", a.Dim)), part(1),
			y.Residual(part(2), vector(y, x, "v_bias", a.Dim))
		var bias []Node
		if b.Bool("relative_attention") {
			near := y.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", relativeRange(b)-span),
				build.Int("end", relativeRange(b)+span)}, relative)
			bias = disentangled(y, q, k, a, span, linearWhere(y, "c2p", near, "pos_proj", a.Dim, false),
				linearWhere(y, "p2c", near, "pos_q_proj", a.Dim, true))
		}
		return m.Linear(y.Core(q, k, v, a.Heads, a.Heads, false, bias...), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, x), table
}

// debertaEmbed is an embedding that may have neither positions nor segments, and may be narrower than the layers.
func debertaEmbed(b *Build) (s Bert, x, table Node) {
	dim := b.Size("hidden_size")
	width := b.SizeOr("embedding_size", dim)
	s = Bert{NoTypes: b.Int("type_vocab_size") <= 0, NoTable: !b.Bool("position_biased_input"), NoNorm: true,
		Late: true, Single: true}
	if b.Has("embedding_size") {
		s.Width = "embedding_size"
	}
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", width)
	x = s.embed(b, table)
	if width != dim {
		x = b.Linear(x, "embeddings.embed_proj", width, dim, false)
	}
	return s, b.LayerNorm(x, "embeddings.LayerNorm", dim, true), table
}

// relativeRange is the largest distance between two positions that has a vector of its own.
func relativeRange(b *Build) int64 {
	if n := b.Or("max_relative_positions", -1); n >= 1 {
		return n
	}
	return b.Size("max_position_embeddings")
}

// relativeTable is a vector for each distance, in both directions.
func relativeTable(b *Build, x Node, reach int64) Node {
	if !b.Bool("relative_attention") {
		return x
	}
	const name = "encoder.rel_embeddings"
	n := b.Add("parameter", name, Args{build.Ints("shape", 2*reach, b.Size("hidden_size"))}, x)
	b.Tensor(name+".weight", 2*reach, b.Size("hidden_size"))
	return n
}

// relativeKind says whether scores of content to position (c2p) or of position to content (p2c) are added.
func relativeKind(b *Build, kind string) bool {
	if text, ok := b.Value("pos_att_type").(string); ok {
		for part := range strings.SplitSeq(strings.ToLower(text), "|") {
			if strings.TrimSpace(part) == kind {
				return true
			}
		}
		return false
	}
	return slices.Contains(b.Strs("pos_att_type"), kind)
}

// linearWhere projects the vectors of distances for one kind of scores, where the config asks for it.
func linearWhere(b *Build, kind string, x Node, name string, dim int64, bias bool) Node {
	if !relativeKind(b, kind) {
		return x
	}
	return b.Linear(x, name, dim, dim, bias)
}

// vector is a trained vector to be added to each position.
func vector(b *Build, x Node, name string, n int64) Node {
	return b.Add("reshape", name, Args{build.Ints("shape", 1, n)}, b.Param(x, name, n))
}

// disentangled are the scores that depend on distances: products of queries with the vectors of distances and of keys
// with others, of which each pair of positions takes the one of its distance.
func disentangled(b *Build, q, k Node, a nn.Attention, span int64, keys, queries Node) []Node {
	byHead := func(x Node, order ...int64) Node {
		return b.Add("permute", "", Args{build.Ints("dims", order...)}, b.Unflatten(x, a.Heads, a.HeadDim))
	}
	length := b.Length(b.MaxPositions())
	pick := func(scores Node) Node {
		return b.Add("customModule", "gather",
			Args{build.Ints("outShape", a.Heads, length, length), build.Int("numParams", 0), build.Int("flops", 0)},
			scores)
	}
	var sum []Node
	if relativeKind(b, "c2p") {
		sum = append(sum, pick(b.Add("matmul", "", nil, byHead(q, 0, 2, 1, 3), byHead(keys, 0, 2, 3, 1))))
	}
	if relativeKind(b, "p2c") {
		scores := pick(b.Add("matmul", "", nil, byHead(k, 0, 2, 1, 3), byHead(queries, 0, 2, 3, 1)))
		sum = append(sum, b.Add("transpose", "", Args{build.Int("dim0", 2), build.Int("dim1", 3)}, scores))
	}
	if len(sum) == 2 {
		return []Node{b.Residual(sum[0], sum[1])}
	}
	return sum
}

// debertaWords is BERT's head, or the one of the original code, which always reads the table of the embedding.
func debertaWords(b *Build, x, table Node) Node {
	dim := b.Size("hidden_size")
	if !b.Bool("legacy") {
		p := b.Scope("lm_predictions.lm_head")
		x = p.Activation(p.Linear(x, "dense", dim, dim, true), "hidden_act")
		x = p.LayerNorm(x, "LayerNorm", dim, true)
		n := p.Add("lmHead", "", Args{build.Int("embedDim", dim), build.Int("vocabSize", b.Size("vocab_size")),
			build.Flag("bias", true), build.Text("tiedTo", b.ID(table))}, x)
		p.Tensor("bias", b.Size("vocab_size"))
		return n
	}
	p, width := b.Scope("cls.predictions"), b.SizeOr("embedding_size", dim)
	x = p.Activation(p.Linear(x, "transform.dense", dim, width, true), "hidden_act")
	return stack.Vocabulary(p, p.LayerNorm(x, "transform.LayerNorm", width, true), width, table)
}

func debertaClass(b, _ *Build, x Node) Node {
	dim := b.Size("hidden_size")
	pooled := b.SizeOr("pooler_hidden_size", dim)
	x = b.Linear(stack.FirstPosition(b, x, "pooler"), "pooler.dense", pooled, pooled, true)
	return b.Linear(b.Scope("pooler").Activation(x, "pooler_hidden_act"), "classifier", dim, b.NumLabels(), true)
}
