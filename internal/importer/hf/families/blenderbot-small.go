package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "blenderbot-small", Default: "BlenderbotSmallForConditionalGeneration",
	Classes: stack.Seq2SeqClasses("BlenderbotSmall", blenderbotSmall)})

// blenderbotSmall normalises the decoder's tokens before it adds their positions, and the encoder's afterwards.
func blenderbotSmall(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Positions: func(b *Build, x Node, half string) Node {
		norm := func(x Node) Node { return b.LayerNorm(x, "layernorm_embedding", b.Size("d_model"), true) }
		if half == stack.DecoderPath {
			return stack.TablePositions(b, norm(x), half)
		}
		return norm(stack.TablePositions(b, x, half))
	}}
}
