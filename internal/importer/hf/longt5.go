package hf

var _ = define(Family{Type: "longt5", Default: "LongT5ForConditionalGeneration", Classes: t5Classes("LongT5", longT5)})

// longT5 is T5 whose encoder sees a window around each position and, where it is transient-global, the sums of blocks of the
// text. There the graph counts the scores outside of the window, too.
func longT5(b *Build) T5 {
	switch kind := b.Str("encoder_attention_type"); kind {
	case "local":
		return T5{Attend: (*Build).localAttend}
	case "transient-global":
		return T5{Attend: (*Build).transientGlobal}
	default:
		fail(CodeConfig, b.at("encoder_attention_type"), "is %q but takes local or transient-global", kind)
		return T5{}
	}
}

// localAttend lets every position see its block of the text and the blocks on both sides of it.
func (b *Build) localAttend(x Node, bias *Node, first bool) Node {
	a, dim, heads, length, size := b.Scope("LocalSelfAttention"), b.Size("d_model"), b.Size("num_heads"), b.Length(b.MaxPositions()), b.Int("local_radius")+1
	if size < 1 {
		fail(CodeConfig, b.at("local_radius"), "is %d but takes an integer of at least 0", b.Int("local_radius"))
	}
	blocks, inner := blocksOf(length, size), heads*b.Size("d_kv")
	if first {
		*bias = a.addedToAll(a.bucketed(x, "relative_attention_bias", encoder, size, 3*size), blocks, heads, size, 3*size)
	}
	states := func(name string) Node { return a.fill(a.Linear(x, name, dim, inner, false), 0, blocks*size-length) }
	q, k, v := a.abreast(states("q"), blocks, size), a.threefold(states("k"), blocks, size), a.threefold(states("v"), blocks, size)
	y := a.Core(q, k, v, blocks*heads, blocks*heads, false, *bias)
	a.notWay(y, "plain") // unlike the decoder's
	a.drops(y, "dropout_rate")
	return a.Linear(a.Span(a.inRow(y, blocks, inner), 0, length), "o", inner, dim, false)
}

// transientGlobal lets every position see the sums of all blocks, too, through the same maps and a table of distances of their own.
func (b *Build) transientGlobal(x Node, bias *Node, first bool) Node {
	a, dim, heads, length := b.Scope("TransientGlobalSelfAttention"), b.Size("d_model"), b.Size("num_heads"), b.Length(b.MaxPositions())
	block := min(b.Size("global_block_size"), length)
	blocks := length / block
	if first {
		side := a.bucketed(x, "global_relative_attention_bias", encoder, length, blocks)
		*bias = a.Add("concatenate", "", Args{Int("dim", 3)}, a.distances(x, encoder, length), side)
	}
	inner := heads * b.Size("d_kv")
	q, k, v := a.Linear(x, "q", dim, inner, false), a.Linear(x, "k", dim, inner, false), a.Linear(x, "v", dim, inner, false)
	sums := a.Add("unflatten", "", Args{Int("dim", 1), Ints("unflattenedSize", blocks, block)}, a.Span(x, 0, blocks*block))
	sums = a.RMSNorm(a.Add("sum", "", Args{Int("dim", 2)}, sums), "global_input_layer_norm", dim)
	k, v = a.Join(k, a.Again().Linear(sums, "k", dim, inner, false)), a.Join(v, a.Again().Linear(sums, "v", dim, inner, false))
	return a.Linear(a.Core(q, k, v, heads, heads, false, *bias), "o", inner, dim, false)
}
