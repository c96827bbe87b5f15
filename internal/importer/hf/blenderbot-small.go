package hf

var _ = define(Family{Type: "blenderbot-small", Default: "BlenderbotSmallForConditionalGeneration", Classes: seq2seq("BlenderbotSmall", blenderbotSmall)})

// blenderbotSmall normalises the decoder's tokens before it adds their positions, and the encoder's afterwards.
func blenderbotSmall(*Build) Seq2Seq {
	return Seq2Seq{Positions: func(b *Build, x Node, half string) Node {
		norm := func(x Node) Node { return b.LayerNorm(x, "layernorm_embedding", b.Size("d_model"), true) }
		if half == decoder {
			return tablePositions(b, norm(x), half)
		}
		return norm(tablePositions(b, x, half))
	}}
}
