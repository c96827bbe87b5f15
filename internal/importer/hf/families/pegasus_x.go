package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "pegasus_x", Default: "PegasusXForConditionalGeneration",
	Classes: without(stack.Seq2SeqClasses("PegasusX", pegasusX), "PegasusXForCausalLM")})

// pegasusX puts trained vectors, the global tokens, ahead of the encoder's text. They see everything; a word sees its
// block and them. In every second layer the blocks are moved by half of one. The text is filled up to whole blocks.
func pegasusX(b *Build) stack.Seq2Seq {
	global, length, size := b.Size("num_global_tokens"), b.Length(b.Int("max_position_embeddings")),
		b.Size("block_size")
	filled := nn.BlocksOf(length, size) * size
	s := stack.Seq2Seq{Pre: true, LastNorm: true, NoBias: true}
	s.Positions = func(b *Build, x Node, half string) Node {
		if x = stack.SinusoidPositions(b, x, half); half == stack.EncoderPath {
			x = nn.PadPositions(b, x, 0, filled-length)
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
		words, others = blockAttend(b.Scope("self_attn"), s.Attention(b, stack.EncoderPath).Filled(),
			nn.PadPositions(b, words, aside, aside), others, (filled+2*aside)/size, size, global)
		x = b.Residual(x, b.Drop(b.Join(others, b.Span(words, aside, aside+filled)), "dropout"))
		return stack.Branch(b, s, x, "final_layer_norm",
			func(x Node) Node { return stack.Feed(b, s, x, stack.EncoderPath, 0) })
	}
	s.Encoded = func(b *Build, x Node) Node { return b.Span(x, global, global+length) }
	return s
}

// blockAttend lets words see their block and the global tokens, and those everything, all by the same projections.
func blockAttend(b *Build, a nn.Attention, words, others Node, blocks, size, global int64) (Node, Node) {
	q, k, v := nn.Project(b, words, a)
	again := b.Again()
	gq, gk, gv := nn.Project(again, others, a)
	keys := b.Join(nn.SeenByAll(b, gk, global, blocks, a.Dim), nn.Abreast(b, k, blocks, size))
	values := b.Join(nn.SeenByAll(b, gv, global, blocks, a.Dim), nn.Abreast(b, v, blocks, size))
	near := b.Core(nn.Abreast(b, q, blocks, size), keys, values, blocks*a.Heads, blocks*a.Heads, false)
	all := b.Core(gq, b.Join(gk, k), b.Join(gv, v), a.Heads, a.Heads, false)
	nn.AttentionVariants(b, near, a)
	nn.AttentionVariants(b, all, a)
	return b.Linear(nn.InRow(b, near, blocks, a.Dim), a.O, a.Dim, a.Dim, a.OutBias),
		again.Linear(all, a.O, a.Dim, a.Dim, a.OutBias)
}
