package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "mobilebert", Default: "MobileBertForMaskedLM",
	Classes: stack.Encoder{Prefix: "mobilebert", Model: mobileBert, Pool: mobileBertPool,
		Words: mobileBertWords}.Classes("MobileBert", stack.MaskedLM, stack.TokenClassification,
		stack.QuestionAnswering)})

// mobileBert is BERT whose layers are narrow inside, with several feed-forward networks, and most often scales
// instead of norms.
func mobileBert(b *Build) (x, table Node) {
	dim, width, m := b.Size("hidden_size"), b.Size("embedding_size"), b.Scope("embeddings")
	table = tokens(b, b.MaxPositions(), "embeddings.word_embeddings", width)
	x = table
	in := width
	if b.Bool("trigram_input") {
		x, in = trigrams(m, x), 3*width
	}
	if in != width || width != dim {
		x = m.Linear(x, "embedding_transformation", in, dim, true)
	} else { // has weights that no one reads
		m.Param(x, "embedding_transformation.weight", dim, in)
		m.Param(x, "embedding_transformation.bias", dim)
	}
	x = m.Positions(x, "position_embeddings", b.Size("max_position_embeddings"), dim)
	x = nn.Segments(m, x, "token_type_embeddings", b.Size("type_vocab_size"), dim)
	x = m.Drop(mobileBertNorm(m, x, "LayerNorm", dim), hiddenDropout)
	for i := range b.Int("num_hidden_layers") {
		x = mobileBertLayer(b.Scope("encoder.layer.%d", i), x)
	}
	return x, table
}

// trigrams puts the neighbours of each position beside it.
func trigrams(b *Build, x Node) Node {
	beside := func(start, end, before, after int64) Node {
		args := Args{build.Int("dim", 1), build.Int("start", start)}
		if end != 0 {
			args = append(args, build.Int("end", end))
		}
		return b.Add("pad", "", Args{build.Ints("padding", 0, 0, before, after)}, b.Add("slice", "", args, x))
	}
	return b.Add("concatenate", "", Args{build.Int("dim", -1)}, beside(1, 0, 0, 1), x, beside(0, -1, 1, 0))
}

// mobileBertNorm is a layer norm, or only its weight and bias.
func mobileBertNorm(b *Build, x Node, name string, dim int64) Node {
	switch kind := b.Str("normalization_type"); kind {
	case "layer_norm":
		return b.LayerNorm(x, name, dim, true)
	case "no_norm":
	default:
		config.Fail(config.CodeConfig, b.At("normalization_type"), "is %q but takes layer_norm or no_norm", kind)
	}
	m := b.Scope("%s", name)
	return m.Residual(m.Add("multiply", "", nil, x, vector(m, x, "weight", dim)), vector(m, x, "bias", dim))
}

// narrowWidth is the width inside of a layer.
func narrowWidth(b *Build) int64 {
	switch {
	case b.Given("true_hidden_size"):
		return b.Size("true_hidden_size")
	case b.Bool("use_bottleneck"):
		return b.Size("intra_bottleneck_size")
	}
	return b.Size("hidden_size")
}

func mobileBertLayer(b *Build, x Node) Node {
	dim, narrow := b.Size("hidden_size"), narrowWidth(b)
	query, value, into := x, x, x
	if b.Bool("use_bottleneck") {
		bottle := func(name string) Node {
			m, n := b.Scope("bottleneck.%s", name), b.Size("intra_bottleneck_size")
			return mobileBertNorm(m, m.Linear(x, "dense", dim, n, true), "LayerNorm", n)
		}
		into = bottle("input")
		if b.Bool("key_query_shared_bottleneck") {
			query = bottle("attention")
		}
		if b.Bool("use_bottleneck_attention") {
			query, value = into, into
		}
	}
	y := mobileBertAttend(b, query, value, narrow)
	y = mobileBertNorm(b, b.Residual(into, y), "attention.output.LayerNorm", narrow)
	feed := func(m *Build, y Node) Node {
		z := nn.MLP(m, y, "intermediate.dense", "output.dense", narrow, b.Size("intermediate_size"), true, "hidden_act")
		return mobileBertNorm(m, m.Residual(y, z), "output.LayerNorm", narrow)
	}
	for i := range b.Int("num_feedforward_networks") - 1 {
		y = feed(b.Scope("ffn.%d", i), y)
	}
	y = feed(b, y)
	if b.Bool("use_bottleneck") {
		m := b.Scope("output.bottleneck")
		y = mobileBertNorm(m, m.Residual(x, m.Drop(m.Linear(y, "dense", narrow, dim, true), hiddenDropout)),
			"LayerNorm", dim)
	}
	return y
}

func mobileBertAttend(b *Build, query, value Node, narrow int64) Node {
	heads, wide, m := b.Size("num_attention_heads"), b.Size("hidden_size"), b.Scope("attention")
	if b.Bool("use_bottleneck_attention") {
		wide = narrow
	}
	all := heads * (narrow / heads)
	q, k, v := m.Linear(query, "self.query", narrow, all, true), m.Linear(query, "self.key", narrow, all, true),
		m.Linear(value, "self.value", wide, all, true)
	return m.Linear(m.Scope("self").Core(q, k, v, heads, heads, false), "output.dense", narrow, narrow, true)
}

// mobileBertPool is BERT's pooler, or the first position as it is.
func mobileBertPool(m *Build, x Node) Node {
	if !m.Bool("classifier_activation") {
		return stack.FirstPosition(m, x, "pooler")
	}
	return stack.BertPool(m, x)
}

// mobileBertWords multiplies the first features with the table of the embedding, and the others with one of its own.
func mobileBertWords(b *Build, x, table Node) Node {
	p, dim, width, vocab := b.Scope("cls.predictions"), b.Size("hidden_size"), b.Size("embedding_size"),
		b.Size("vocab_size")
	if dim < width {
		config.Fail(config.CodeContradiction, b.At("embedding_size"), "is %d but hidden_size is %d", width, dim)
	}
	x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
	x = p.LayerNorm(x, "transform.LayerNorm", dim, true)
	if dim == width {
		p.Tensor("dense.weight", 0, vocab) // exists, without elements
		return stack.Vocabulary(p, x, width, table)
	}
	y := stack.Vocabulary(p, p.Slice(x, 0, width), width, table)
	z := p.Add("linear", "dense", Args{build.Int("inFeatures", dim-width), build.Int("outFeatures", vocab),
		build.Flag("bias", false)}, p.Slice(x, width, dim))
	p.Tensor("dense.weight", dim-width, vocab)
	sum := p.Residual(y, z)
	for _, part := range []Node{y, z} { // whose weights are joined to one matrix in each pass
		build.Written(p, part, func(m *transformers.Logits) { m.Remade = true })
	}
	p.As(sum, transformers.SummedLogits{})
	return sum
}
