package hf

var _ = define(Family{Type: "bigbird_pegasus", Default: "BigBirdPegasusForConditionalGeneration", Classes: seq2seqHeads("BigBirdPegasus", bigbirdPegasus)})

// bigbirdPegasus normalises what it calls the embedding behind the last layer. Its encoder's attention is full for short texts;
// longer ones skip blocks of the scores, which the graph does not tell apart.
func bigbirdPegasus(b *Build) Seq2Seq {
	bias, length := b.Bool("use_bias"), b.Length(b.Int("max_position_embeddings"))
	filled := b.wholeBlocks(length)
	return Seq2Seq{Pre: true, Last: "layernorm_embedding", NoBias: !bias, Untied: true,
		Positions: func(b *Build, x Node, half string) Node {
			if x = tablePositions(b, x, half); half == encoder && filled > length {
				x = b.fill(x, 0, filled-length)
			}
			return x
		},
		Encoded: func(b *Build, x Node) Node {
			if filled > length {
				x = b.Span(x, 0, length)
			}
			return x
		},
		Attend: func(b *Build, x Node, half string, _ int64) Node {
			a := Seq2Seq{NoBias: !bias}.attention(b, half)
			if half == encoder {
				a.Q, a.K, a.V, a.O = "self.query", "self.key", "self.value", "output"
				if filled > 0 {
					return b.Scope("self_attn").sparseAttend(x, a)
				}
			}
			return b.Attend(x, "self_attn", a)
		}}
}
