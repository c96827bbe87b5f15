package hf

import "github.com/modelverifier/verifier/internal/graph"

var _ = define(Family{Type: "led", Default: "LEDForConditionalGeneration", Classes: without(seq2seq("LED", led), "LEDForCausalLM")})

// led is BART whose encoder sees a window around each position; the text is filled up to whole windows. Positions that see everything have maps of
// their own, which are used where a call names such positions.
func led(b *Build) Seq2Seq {
	length := b.Length(b.Int("max_encoder_position_embeddings"))
	widest := int64(0)
	if list, ok := b.value("attention_window").([]any); ok && int64(len(list)) != b.Int("encoder_layers") {
		fail(CodeContradiction, b.at("attention_window"), "has %d numbers but the model has %d layers", len(list), b.Int("encoder_layers"))
	}
	for i := range b.Int("encoder_layers") {
		widest = max(widest, b.window(i, b.Int("encoder_layers")))
	}
	filled := length
	if widest > 0 {
		filled = blocksOf(length, widest) * widest
	}
	if filled > length && !b.Has("pad_token_id") {
		fail(graph.CodeMissing, b.at("pad_token_id"), "is null, but a text of %d tokens is filled up with it to whole windows of %d", length, widest)
	}
	return Seq2Seq{Root: "led", EmbedNorm: true, MaxInput: "max_encoder_position_embeddings", MaxTarget: "max_decoder_position_embeddings",
		Positions: func(b *Build, x Node, half string) Node {
			if half == encoder {
				x = b.fill(x, 0, filled-length)
			}
			return b.Positions(x, "embed_positions", b.Size("max_"+half+"_position_embeddings"), b.Size("d_model"))
		},
		Attend: func(b *Build, x Node, half string, i int64) Node {
			if half == decoder {
				return b.Attend(x, "self_attn", Seq2Seq{}.attention(b, half))
			}
			a := Seq2Seq{}.attention(b, half)
			a.Q, a.K, a.V = "query", "key", "value"
			y := b.Scope("self_attn.longformer_self_attn").slidingAttend(x, a, filled, b.window(i, b.Int("encoder_layers"))/2)
			return b.Linear(y, "self_attn.output", a.Dim, a.Dim, true)
		},
		Encoded: func(b *Build, x Node) Node {
			if filled == length {
				return x
			}
			return b.Span(x, 0, length)
		}}
}
