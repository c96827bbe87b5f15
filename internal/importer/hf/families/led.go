package families

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "led", Default: "LEDForConditionalGeneration",
	Classes: without(stack.Seq2SeqClasses("LED", led), "LEDForCausalLM")})

// led is BART whose encoder sees a window around each position; the text is filled up to whole windows. Positions
// that see everything have projections of their own, which are used where a call names such positions.
func led(b *Build) stack.Seq2Seq {
	length := b.Length(b.Int("max_encoder_position_embeddings"))
	widest := int64(0)
	if list, ok := b.Value("attention_window").([]any); ok && int64(len(list)) != b.Int("encoder_layers") {
		config.Fail(config.CodeContradiction, b.At("attention_window"), "has %d numbers but the model has %d layers",
			len(list), b.Int("encoder_layers"))
	}
	for i := range b.Int("encoder_layers") {
		widest = max(widest, nn.Window(b, i, b.Int("encoder_layers")))
	}
	filled := length
	if widest > 0 {
		filled = nn.BlocksOf(length, widest) * widest
	}
	if filled > length && !b.Has("pad_token_id") {
		config.Fail(graph.CodeMissing, b.At("pad_token_id"),
			"is null, but a text of %d tokens is filled up with it to whole windows of %d", length, widest)
	}
	return stack.Seq2Seq{Root: "led", EmbedNorm: true, MaxInput: "max_encoder_position_embeddings",
		MaxTarget: "max_decoder_position_embeddings",
		Positions: func(b *Build, x Node, half string) Node {
			if half == stack.EncoderPath {
				x = nn.PadPositions(b, x, 0, filled-length)
			}
			return b.Positions(x, "embed_positions", b.Size("max_"+half+"_position_embeddings"), b.Size("d_model"))
		},
		Attend: func(b *Build, x Node, half string, i int64) Node {
			if half == stack.DecoderPath {
				return nn.Attend(b, x, "self_attn", stack.Seq2Seq{}.Attention(b, half))
			}
			return bandedSelfAttend(b, x, stack.Seq2Seq{}.Attention(b, half), filled,
				nn.Window(b, i, b.Int("encoder_layers"))/2)
		},
		Encoded: func(b *Build, x Node) Node {
			if filled == length {
				return x
			}
			return b.Span(x, 0, length)
		}}
}

// bandedSelfAttend is LEDEncoderAttention: the projections are of a copy with the batch behind the positions.
func bandedSelfAttend(b *Build, x Node, a nn.Attention, length, reach int64) Node {
	m := b.Scope("self_attn.longformer_self_attn")
	project := func(name string) Node {
		build.Unused(m, x, name+"_global.weight", a.Dim, a.Dim)
		build.Unused(m, x, name+"_global.bias", a.Dim)
		return m.Linear(nn.Moved(m, x, "transpose", length, a.Dim), name, a.Dim, a.Dim, true)
	}
	q, k, v := project("query"), project("key"), project("value")
	return b.Linear(nn.Banded(m, q, k, v, a.Heads, length, reach, "attention_dropout"), "self_attn.output", a.Dim, a.Dim, true)
}
