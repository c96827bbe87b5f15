package families

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "t5", Default: "T5ForConditionalGeneration",
	Classes: t5Classes("T5", func(*Build) T5 { return T5{} })})

// T5 is an encoder and a decoder whose attention knows distances only, by a trained number for each bucket of them.
type T5 struct {
	EachLayer bool // every layer has its own table of distances: UMT5
	NoHeadTie bool // the head is never tied: Pop2Piano
	// tie_word_embeddings is obeyed, where T5 always ties
	MayUntie bool
	Ahead    int64                                                     // positions that Source puts ahead of the text
	Source   func(b *Build) Node                                       // what stands in for the encoder's embedded tokens
	Feed     func(b *Build, x Node, half string, i int64) Node         // the network of a layer, at its place
	Attend   func(b *Build, x Node, bias *Node, first bool) (out Node) // self-attention of the encoder, likewise
}

// t5Classes are the classes of T5 and its relatives.
func t5Classes(name string, spec func(b *Build) T5) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForConditionalGeneration": func(b *Build) {
			s := spec(b)
			x, table := t5(b, s)
			b.Output(stack.LMHead(b, x, "lm_head", b.Size("d_model"), b.Size("vocab_size"), false, table,
				t5Tied(b, s) && !s.NoHeadTie))
		},
		name + "Model": func(b *Build) {
			x, _ := t5(b, spec(b))
			b.Output(x)
		},
		name + "EncoderModel": func(b *Build) {
			_, x := t5Encode(b, spec(b))
			b.Output(x)
		},
	}
}

func t5Tied(b *Build, s T5) bool { return !s.MayUntie || stack.Tied(b) }

// t5 is the model without its head, and the table that the head may be tied to.
func t5(b *Build, s T5) (x, table Node) {
	table, memory := t5Encode(b, s)
	tokens, dim, vocab := b.Tokens("decoder_input_ids", b.MaxPositions()), b.Size("d_model"), b.Size("vocab_size")
	switch {
	case !t5Tied(b, s):
		table = b.Scope(stack.DecoderPath).Embedding(tokens, "embed_tokens", vocab, dim)
		x = table
	case s.Source != nil:
		table = b.Embedding(tokens, "shared", vocab, dim)
		x = table
	default:
		x = b.Again().Embedding(tokens, "shared", vocab, dim)
	}
	return t5Stack(b, s, x, stack.DecoderPath, memory), table
}

// t5Encode is the encoder: the shared table and what the layers give.
func t5Encode(b *Build, s T5) (table, memory Node) {
	if s.Source != nil {
		return 0, t5Stack(b, s, s.Source(b), stack.EncoderPath, 0)
	}
	dim, vocab := b.Size("d_model"), b.Size("vocab_size")
	tokens := b.Tokens("input_ids", b.MaxPositions())
	table = b.Embedding(tokens, "shared", vocab, dim)
	x := table
	if !t5Tied(b, s) {
		x = b.Scope(stack.EncoderPath).Embedding(tokens, "embed_tokens", vocab, dim)
	}
	return table, t5Stack(b, s, x, stack.EncoderPath, 0)
}

// t5Stack is the layers of a half and the norm behind them.
func t5Stack(b *Build, s T5, x Node, half string, memory Node) Node {
	m, dim, layers := b.Scope("%s", half), b.Size("d_model"), b.Int("num_layers")
	length := b.Length(b.MaxPositions()) + s.Ahead
	if half == stack.DecoderPath {
		layers, length = b.Or("num_decoder_layers", layers), length-s.Ahead
	}
	var bias Node
	x = m.Drop(x, "dropout_rate")
	for i := range layers {
		parts := 0
		sublayer := func(part func(b *Build, x Node) Node) {
			l := m.Scope("block.%d.layer.%d", i, parts)
			x = l.Residual(x, l.Drop(part(l, l.RMSNorm(x, "layer_norm", dim)), "dropout_rate"))
			parts++
		}
		sublayer(func(b *Build, x Node) Node {
			first := i == 0 || s.EachLayer
			if s.Attend != nil && half == stack.EncoderPath {
				return s.Attend(b, x, &bias, first)
			}
			a := b.Scope("SelfAttention")
			if first {
				bias = distances(a, x, half, length)
			}
			return t5Attend(a, x, x, half == stack.DecoderPath, bias)
		})
		if half == stack.DecoderPath {
			sublayer(func(b *Build, x Node) Node { return t5Attend(b.Scope("EncDecAttention"), x, memory, false) })
		}
		sublayer(func(b *Build, x Node) Node {
			if s.Feed != nil {
				return s.Feed(b, x, half, i)
			}
			return t5Feed(b, x, "DenseReluDense")
		})
	}
	return m.Drop(m.RMSNorm(x, "final_layer_norm", dim), "dropout_rate")
}

// distances is a number for each head, query and key, from the table of the buckets of their distances.
func distances(b *Build, x Node, half string, length int64) Node {
	return bucketed(b, x, "relative_attention_bias", half, length, length)
}

func bucketed(b *Build, x Node, name, half string, queries, keys int64) Node {
	heads, buckets := b.Size("num_heads"), b.Size("relative_attention_num_buckets")
	n := b.Add("relativePositionBias", name, Args{build.Int("numHeads", heads), build.Int("numBuckets", buckets),
		build.Int("maxDistance", b.Int("relative_attention_max_distance")),
		build.Flag("bidirectional", half == stack.EncoderPath)}, zeros(b, x, heads, queries, keys))
	b.Tensor(name+".weight", buckets, heads)
	return n
}

// zeros are scores that nothing was added to yet.
func zeros(b *Build, x Node, heads, queries, keys int64) Node {
	return b.Add("expand", "scores", Args{build.Ints("shape", heads, queries, keys)},
		b.Constant(x, "scores", 1, queries, keys))
}

// t5Attend is attention of x to a memory. transformers does not divide its scores by the root of the width.
func t5Attend(b *Build, x, memory Node, causal bool, bias ...Node) Node {
	dim, heads := b.Size("d_model"), b.Size("num_heads")
	inner := heads * b.Size("d_kv")
	q, k, v := b.Linear(x, "q", dim, inner, false), b.Linear(memory, "k", dim, inner, false),
		b.Linear(memory, "v", dim, inner, false)
	core := b.Core(q, k, v, heads, heads, causal, bias...)
	if len(bias) > 0 { // a lookup for each pair of positions, whose heads come first in a view alone
		build.Written(b, core, func(m *transformers.Attention) { m.Strided = true })
	}
	b.SetDropout(core, "dropout_rate")
	return b.Linear(core, "o", inner, dim, false)
}

// t5Feed is a plain or a gated network, as feed_forward_proj says.
func t5Feed(b *Build, x Node, name string) Node {
	dim, hidden := b.Size("d_model"), b.Size("d_ff")
	act, gated := t5Act(b)
	if gated {
		return nn.GatedMLP(b, x, name, nn.Gated{Dim: dim, Hidden: hidden, Act: act, Gate: "wi_0", Up: "wi_1", Down: "wo",
			Dropout: "dropout_rate"})
	}
	m := b.Scope("%s", name)
	x = m.Drop(m.Act(m.Linear(x, "wi", dim, hidden, false), act, "feed_forward_proj"), "dropout_rate")
	x = m.Linear(x, "wo", hidden, dim, false)
	m.As(x, transformers.Logits{Recast: true})
	return x
}

// t5Act reads "relu" or "gated-gelu". The keys that transformers derives from it win where a file has them.
func t5Act(b *Build) (act string, gated bool) {
	parts := strings.Split(b.Str("feed_forward_proj"), "-")
	act, gated = parts[len(parts)-1], parts[0] == "gated"
	if len(parts) > 2 || len(parts) == 2 && !gated {
		config.Fail(config.CodeConfig, b.At("feed_forward_proj"),
			"is %q but takes an activation, or gated- and an activation", b.Str("feed_forward_proj"))
	}
	if b.Has("dense_act_fn") {
		act = b.Str("dense_act_fn")
	}
	if b.Given("is_gated_act") {
		gated = b.Bool("is_gated_act")
	}
	return act, gated
}
