package hf

var _ = define(Family{Type: "led", Default: "LEDForConditionalGeneration", Classes: without(seq2seq("LED", led), "LEDForCausalLM")})

// led is BART whose encoder sees a window around each position. The first position, the global one, has maps of its own and
// sees everything. The graph counts the scores outside of the window, too.
func led(*Build) Seq2Seq {
	return Seq2Seq{Root: "led", EmbedNorm: true, MaxInput: "max_encoder_position_embeddings", MaxTarget: "max_decoder_position_embeddings",
		Positions: func(b *Build, x Node, half string) Node {
			return b.Positions(x, "embed_positions", b.Size("max_"+half+"_position_embeddings"), b.Size("d_model"))
		},
		Attend: func(b *Build, x Node, half string, _ int64) Node {
			if half == decoder {
				return b.Attend(x, "self_attn", Seq2Seq{}.attention(b, half))
			}
			return b.longformer(x, b.Length(b.Int("max_encoder_position_embeddings")))
		}}
}

func (b *Build) longformer(x Node, length int64) Node {
	dim, heads, m := b.Size("d_model"), b.heads("encoder_attention_heads", "d_model"), b.Scope("self_attn.longformer_self_attn")
	attend := func(x, memory Node, suffix string) Node {
		q, k, v := m.Linear(x, "query"+suffix, dim, dim, true), m.Linear(memory, "key"+suffix, dim, dim, true), m.Linear(memory, "value"+suffix, dim, dim, true)
		return m.Core(q, k, v, heads, heads, false)
	}
	local, global := attend(x, x, ""), attend(m.Span(x, 0, 1), x, "_global")
	if length > 1 {
		global = m.Join(global, m.Span(local, 1, length))
	}
	return b.Linear(global, "self_attn.output", dim, dim, true)
}
