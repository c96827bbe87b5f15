package hf

var _ = define(Family{Type: "pegasus_x", Default: "PegasusXForConditionalGeneration", Classes: without(seq2seq("PegasusX", pegasusX), "PegasusXForCausalLM")})

// pegasusX puts trained vectors, the global tokens, ahead of the encoder's text. They see everything; a word sees its block and
// them. Both have the same maps, so the graph keeps them in one sequence; it counts the scores outside of the block, too.
func pegasusX(b *Build) Seq2Seq {
	global, length := b.Size("num_global_tokens"), b.Length(b.Int("max_position_embeddings"))
	s := Seq2Seq{Pre: true, LastNorm: true, NoBias: true}
	s.Positions = func(b *Build, x Node, half string) Node {
		if x = sinusoids(b, x, half); half == encoder {
			x = b.Join(b.Param(x, "embed_global.weight", global, b.Size("d_model")), x)
		}
		return x
	}
	s.Layer = func(b *Build, x Node, _ int64) Node {
		dim := b.Size("d_model")
		words := b.LayerNorm(b.Span(x, global, global+length), "self_attn_layer_norm", dim, true)
		others := b.LayerNorm(b.Span(x, 0, global), "global_self_attn_layer_norm", dim, true)
		x = b.Residual(x, b.Attend(b.Join(others, words), "self_attn", s.attention(b, encoder)))
		return b.branch(s, x, "final_layer_norm", func(x Node) Node { return b.feed(s, x, encoder, 0) })
	}
	s.Encoded = func(b *Build, x Node) Node { return b.Span(x, global, global+length) }
	return s
}
