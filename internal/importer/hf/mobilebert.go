package hf

var _ = define(Family{Type: "mobilebert", Default: "MobileBertForMaskedLM",
	Classes: Encoder{Prefix: "mobilebert", Model: mobileBert, Pool: mobileBertPool, Words: mobileBertWords}.classes("MobileBert", masked, tokens, answers)})

// mobileBert is BERT whose layers are narrow inside, with several feed-forward networks, and most often scales instead of norms.
func mobileBert(b *Build) (x, table Node) {
	dim, width, m := b.Size("hidden_size"), b.Size("embedding_size"), b.Scope("embeddings")
	table = b.tokens(b.MaxPositions(), "embeddings.word_embeddings", width)
	x = table
	in := width
	if b.Bool("trigram_input") {
		x, in = m.trigrams(x), 3*width
	}
	if in != width || width != dim {
		x = m.Linear(x, "embedding_transformation", in, dim, true)
	} else { // has weights that no one reads
		m.Param(x, "embedding_transformation.weight", dim, in)
		m.Param(x, "embedding_transformation.bias", dim)
	}
	x = m.Positions(x, "position_embeddings", b.Size("max_position_embeddings"), dim)
	x = m.Segments(x, "token_type_embeddings", b.Size("type_vocab_size"), dim)
	x = m.drop(m.mobileBertNorm(x, "LayerNorm", dim), hiddenDropout)
	for i := range b.Int("num_hidden_layers") {
		x = b.Scope("encoder.layer.%d", i).mobileBertLayer(x)
	}
	return x, table
}

// trigrams puts the neighbours of each position beside it.
func (b *Build) trigrams(x Node) Node {
	beside := func(start, end, before, after int64) Node {
		args := Args{Int("dim", 1), Int("start", start)}
		if end != 0 {
			args = append(args, Int("end", end))
		}
		return b.Add("pad", "", Args{Ints("padding", 0, 0, before, after)}, b.Add("slice", "", args, x))
	}
	return b.Add("concatenate", "", Args{Int("dim", -1)}, beside(1, 0, 0, 1), x, beside(0, -1, 1, 0))
}

// mobileBertNorm is a layer norm, or only its weight and bias.
func (b *Build) mobileBertNorm(x Node, name string, dim int64) Node {
	switch kind := b.Str("normalization_type"); kind {
	case "layer_norm":
		return b.LayerNorm(x, name, dim, true)
	case "no_norm":
	default:
		fail(CodeConfig, b.at("normalization_type"), "is %q but takes layer_norm or no_norm", kind)
	}
	m := b.Scope("%s", name)
	return m.Residual(m.Add("multiply", "", nil, x, m.vector(x, "weight", dim)), m.vector(x, "bias", dim))
}

// narrowWidth is the width inside of a layer.
func (b *Build) narrowWidth() int64 {
	switch {
	case b.Given("true_hidden_size"):
		return b.Size("true_hidden_size")
	case b.Bool("use_bottleneck"):
		return b.Size("intra_bottleneck_size")
	}
	return b.Size("hidden_size")
}

func (b *Build) mobileBertLayer(x Node) Node {
	dim, narrow := b.Size("hidden_size"), b.narrowWidth()
	query, value, into := x, x, x
	if b.Bool("use_bottleneck") {
		bottle := func(name string) Node {
			m, n := b.Scope("bottleneck.%s", name), b.Size("intra_bottleneck_size")
			return m.mobileBertNorm(m.Linear(x, "dense", dim, n, true), "LayerNorm", n)
		}
		into = bottle("input")
		if b.Bool("key_query_shared_bottleneck") {
			query = bottle("attention")
		}
		if b.Bool("use_bottleneck_attention") {
			query, value = into, into
		}
	}
	y := b.mobileBertAttend(query, value, narrow)
	y = b.mobileBertNorm(b.Residual(into, y), "attention.output.LayerNorm", narrow)
	feed := func(m *Build, y Node) Node {
		z := m.MLP(y, "intermediate.dense", "output.dense", narrow, b.Size("intermediate_size"), true, "hidden_act")
		return m.mobileBertNorm(m.Residual(y, z), "output.LayerNorm", narrow)
	}
	for i := range b.Int("num_feedforward_networks") - 1 {
		y = feed(b.Scope("ffn.%d", i), y)
	}
	y = feed(b, y)
	if b.Bool("use_bottleneck") {
		m := b.Scope("output.bottleneck")
		y = m.mobileBertNorm(m.Residual(x, m.drop(m.Linear(y, "dense", narrow, dim, true), hiddenDropout)), "LayerNorm", dim)
	}
	return y
}

func (b *Build) mobileBertAttend(query, value Node, narrow int64) Node {
	heads, wide, m := b.Size("num_attention_heads"), b.Size("hidden_size"), b.Scope("attention")
	if b.Bool("use_bottleneck_attention") {
		wide = narrow
	}
	all := heads * (narrow / heads)
	q, k, v := m.Linear(query, "self.query", narrow, all, true), m.Linear(query, "self.key", narrow, all, true), m.Linear(value, "self.value", wide, all, true)
	return m.Linear(m.Scope("self").Core(q, k, v, heads, heads, false), "output.dense", narrow, narrow, true)
}

// mobileBertPool is BERT's pooler, or the first position as it is.
func mobileBertPool(m *Build, x Node) Node {
	if !m.Bool("classifier_activation") {
		return m.front(x, "pooler")
	}
	return bertPool(m, x)
}

// mobileBertWords multiplies the first features with the table of the embedding, and the others with one of its own.
func mobileBertWords(b *Build, x, table Node) Node {
	p, dim, width, vocab := b.Scope("cls.predictions"), b.Size("hidden_size"), b.Size("embedding_size"), b.Size("vocab_size")
	if dim < width {
		fail(CodeContradiction, b.at("embedding_size"), "is %d but hidden_size is %d", width, dim)
	}
	x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
	x = p.LayerNorm(x, "transform.LayerNorm", dim, true)
	if dim == width {
		p.Tensor("dense.weight", 0, vocab) // exists, without elements
		return p.vocabulary(x, width, table)
	}
	y := p.vocabulary(p.Slice(x, 0, width), width, table)
	z := p.Add("linear", "dense", Args{Int("inFeatures", dim-width), Int("outFeatures", vocab), Flag("bias", false)}, p.Slice(x, width, dim))
	p.Tensor("dense.weight", dim-width, vocab)
	for _, part := range []Node{y, z} { // which are joined to one matrix in each pass
		p.way(part, "remade")
	}
	n := p.Residual(y, z)
	p.lost(n)
	return n
}
