package hf

var _ = define(Family{Type: "pegasus_x", Default: "PegasusXForConditionalGeneration", Classes: without(seq2seq("PegasusX", pegasusX), "PegasusXForCausalLM")})

// pegasusX puts trained vectors, the global tokens, ahead of the encoder's text. They see everything; a word sees its block and them. In every
// second layer the blocks are moved by half of one. The text is filled up to whole blocks.
func pegasusX(b *Build) Seq2Seq {
	global, length, size := b.Size("num_global_tokens"), b.Length(b.Int("max_position_embeddings")), b.Size("block_size")
	filled := blocksOf(length, size) * size
	s := Seq2Seq{Pre: true, LastNorm: true, NoBias: true}
	s.Positions = func(b *Build, x Node, half string) Node {
		if x = sinusoids(b, x, half); half == encoder {
			x = b.fill(x, 0, filled-length)
			x = b.Join(b.Param(x, "embed_global.weight", global, b.Size("d_model")), x)
		}
		return x
	}
	s.Layer = func(b *Build, x Node, i int64) Node {
		dim := b.Size("d_model")
		words := b.LayerNorm(b.Span(x, global, global+filled), "self_attn_layer_norm", dim, true)
		others := b.LayerNorm(b.Span(x, 0, global), "global_self_attn_layer_norm", dim, true)
		aside := int64(0)
		if b.Bool("stagger_local_blocks") && i%2 == 1 {
			aside = size / 2
		}
		words, others = b.Scope("self_attn").blockAttend(s.attention(b, encoder).filled(), b.fill(words, aside, aside), others, (filled+2*aside)/size, size, global)
		x = b.Residual(x, b.drop(b.Join(others, b.Span(words, aside, aside+filled)), "dropout"))
		return b.branch(s, x, "final_layer_norm", func(x Node) Node { return b.feed(s, x, encoder, 0) })
	}
	s.Encoded = func(b *Build, x Node) Node { return b.Span(x, global, global+length) }
	return s
}

// blockAttend lets words see their block and the global tokens, and those everything, all by the same maps.
func (b *Build) blockAttend(a Attention, words, others Node, blocks, size, global int64) (Node, Node) {
	q, k, v := b.project(words, a)
	again := b.Again()
	gq, gk, gv := again.project(others, a)
	keys := b.Join(b.seenByAll(gk, global, blocks, a.Dim), b.abreast(k, blocks, size))
	values := b.Join(b.seenByAll(gv, global, blocks, a.Dim), b.abreast(v, blocks, size))
	near := b.Core(b.abreast(q, blocks, size), keys, values, blocks*a.Heads, blocks*a.Heads, false)
	all := b.Core(gq, b.Join(gk, k), b.Join(gv, v), a.Heads, a.Heads, false)
	b.attentionWays(near, a)
	b.attentionWays(all, a)
	return b.Linear(b.inRow(near, blocks, a.Dim), a.O, a.Dim, a.Dim, a.OutBias), again.Linear(all, a.O, a.Dim, a.Dim, a.OutBias)
}
