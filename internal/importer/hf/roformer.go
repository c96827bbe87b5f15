package hf

var _ = define(Family{Type: "roformer", Default: "RoFormerForMaskedLM",
	Classes: Encoder{Prefix: "roformer", Model: roFormer, Words: roFormerWords, Whole: frontClass("")}.
		classes("RoFormer", masked, nextOne, sequences, tokens, answers)})

// roFormer turns queries and keys by the angles of a table, which transformers counts as weights.
func roFormer(b *Build) (x, table Node) {
	s := Bert{NoTable: true, Free: true, Enter: "embeddings_project"}
	if b.Has("embedding_size") {
		s.Width = "embedding_size"
	}
	const name = "encoder.embed_positions"
	rows, length := b.Size("max_position_embeddings"), b.Length(b.MaxPositions())
	a := s.attention(b)
	table = b.tokens(b.MaxPositions(), "embeddings.word_embeddings", b.Size(or(s.Width, "hidden_size")))
	x = s.embed(b, table)
	b.Unused(x, name+".weight", rows, a.HeadDim) // is read without a gradient
	angles := b.Add("parameter", name, Args{Ints("shape", rows, a.HeadDim), Flag("trainable", false)}, x)
	angles = b.Add("slice", name, Args{Int("dim", 1), Int("end", length)}, angles)
	p := b.Scope(name)
	sin, cos := p.forPairs(p.Chunk(angles, 2, 0), a.Heads), p.forPairs(p.Chunk(angles, 2, 1), a.Heads)
	s.Attend = func(m *Build, x Node, a Attention) Node {
		q, k, v := m.project(x, a)
		q, k = m.Scope("self").turnPairs(q, sin, cos), m.Scope("self").turnPairs(k, sin, cos)
		if b.Bool("rotary_value") {
			v = m.Scope("self").turnPairs(v, sin, cos)
		}
		return m.Linear(m.Scope("self").Core(q, k, v, a.Heads, a.Heads, a.Causal), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, x), table
}

// forPairs repeats each angle for both features of its pair, and all of them for each head.
func (b *Build) forPairs(x Node, heads int64) Node {
	x = b.Flat(b.Add("stack", "", Args{Int("dim", -1)}, x, x))
	return b.Add("repeat", "", Args{Ints("repeats", 1, heads)}, x)
}

// turnPairs turns each pair of neighbouring features by its angle.
func (b *Build) turnPairs(x, sin, cos Node) Node {
	every := func(start int64) Node {
		return b.Add("slice", "", Args{Int("dim", -1), Int("start", start), Int("step", 2)}, x)
	}
	other := b.Flat(b.Add("stack", "", Args{Int("dim", -1)}, b.Add("neg", "", nil, every(1)), every(0)))
	return b.Residual(b.Add("multiply", "", nil, x, cos), b.Add("multiply", "", nil, other, sin))
}

func roFormerWords(b *Build, x, table Node) Node {
	p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
	width := b.SizeOr("embedding_size", dim)
	x = p.Activation(p.Linear(x, "transform.dense", dim, width, true), "hidden_act")
	return p.vocabulary(p.LayerNorm(x, "transform.LayerNorm", width, true), width, table)
}
