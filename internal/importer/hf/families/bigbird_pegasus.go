package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "bigbird_pegasus", Default: "BigBirdPegasusForConditionalGeneration",
	Classes: stack.Seq2SeqHeads("BigBirdPegasus", bigbirdPegasus)})

// bigbirdPegasus normalises what it calls the embedding behind the last layer. Its encoder's attention is full for
// short texts; longer ones skip blocks of the scores, which the graph does not tell apart.
func bigbirdPegasus(b *Build) stack.Seq2Seq {
	bias, length := b.Bool("use_bias"), b.Length(b.Int("max_position_embeddings"))
	filled := wholeBlocks(b, length)
	return stack.Seq2Seq{Pre: true, Last: "layernorm_embedding", NoBias: !bias, Untied: true,
		Positions: func(b *Build, x Node, half string) Node {
			if x = stack.TablePositions(b, x, half); half == stack.EncoderPath && filled > length {
				x = nn.PadPositions(b, x, 0, filled-length)
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
			a := stack.Seq2Seq{NoBias: !bias}.Attention(b, half)
			if half == stack.EncoderPath {
				a.Q, a.K, a.V, a.O = "self.query", "self.key", "self.value", "output"
				if filled > 0 {
					return sparseAttend(b.Scope("self_attn"), x, a)
				}
			}
			return nn.Attend(b, x, "self_attn", a)
		}}
}
