package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "longt5", Default: "LongT5ForConditionalGeneration",
	Classes: t5Classes("LongT5", longT5)})

// longT5 is T5 whose encoder sees a window around each position and, where it is transient-global, the sums of blocks
// of the text. There the graph counts the scores outside of the window, too.
func longT5(b *Build) T5 {
	switch kind := b.Str("encoder_attention_type"); kind {
	case "local":
		return T5{Attend: localAttend}
	case "transient-global":
		return T5{Attend: transientGlobal}
	default:
		config.Fail(config.CodeConfig, b.At("encoder_attention_type"), "is %q but takes local or transient-global",
			kind)
		return T5{}
	}
}

// localAttend lets every position see its block of the text and the blocks on both sides of it.
func localAttend(b *Build, x Node, bias *Node, first bool) Node {
	a, dim, heads, length, size := b.Scope("LocalSelfAttention"), b.Size("d_model"), b.Size("num_heads"),
		b.Length(b.MaxPositions()), b.Int("local_radius")+1
	if size < 1 {
		config.Fail(config.CodeConfig, b.At("local_radius"), "is %d but takes an integer of at least 0",
			b.Int("local_radius"))
	}
	blocks, inner := nn.BlocksOf(length, size), heads*b.Size("d_kv")
	if first {
		*bias = nn.AddedToAll(a, bucketed(a, x, "relative_attention_bias", stack.EncoderPath, size, 3*size), blocks,
			heads, size, 3*size)
	}
	states := func(name string) Node {
		return nn.PadPositions(a, a.Linear(x, name, dim, inner, false), 0, blocks*size-length)
	}
	q, k, v := nn.Abreast(a, states("q"), blocks, size), nn.Threefold(a, states("k"), blocks, size),
		nn.Threefold(a, states("v"), blocks, size)
	y := a.Core(q, k, v, blocks*heads, blocks*heads, false, *bias)
	build.Written(a, y, func(m *transformers.Attention) { m.Plain = false }) // unlike the decoder's
	a.SetDropout(y, "dropout_rate")
	return a.Linear(a.Span(nn.InRow(a, y, blocks, inner), 0, length), "o", inner, dim, false)
}

// transientGlobal lets every position see the sums of all blocks, too, through the same projections and a table of
// distances of their own.
func transientGlobal(b *Build, x Node, bias *Node, first bool) Node {
	a, dim, heads, length := b.Scope("TransientGlobalSelfAttention"), b.Size("d_model"), b.Size("num_heads"),
		b.Length(b.MaxPositions())
	block := min(b.Size("global_block_size"), length)
	blocks := length / block
	if first {
		side := bucketed(a, x, "global_relative_attention_bias", stack.EncoderPath, length, blocks)
		*bias = a.Add("concatenate", "", Args{build.Int("dim", 3)}, distances(a, x, stack.EncoderPath, length), side)
	}
	inner := heads * b.Size("d_kv")
	q, k, v := a.Linear(x, "q", dim, inner, false), a.Linear(x, "k", dim, inner, false),
		a.Linear(x, "v", dim, inner, false)
	sums := a.Add("unflatten", "", Args{build.Int("dim", 1), build.Ints("unflattenedSize", blocks, block)},
		a.Span(x, 0, blocks*block))
	sums = a.RMSNorm(a.Add("sum", "", Args{build.Int("dim", 2)}, sums), "global_input_layer_norm", dim)
	k, v = a.Join(k, a.Again().Linear(sums, "k", dim, inner, false)),
		a.Join(v, a.Again().Linear(sums, "v", dim, inner, false))
	return a.Linear(a.Core(q, k, v, heads, heads, false, *bias), "o", inner, dim, false)
}
