package hf

import "strings"

var _ = define(Family{Type: "t5", Default: "T5ForConditionalGeneration", Classes: t5Classes("T5", func(*Build) T5 { return T5{} })})

// T5 is an encoder and a decoder whose attention knows distances only, by a trained number for each bucket of them.
type T5 struct {
	EachLayer bool                                                      // every layer has its own table of distances: UMT5
	NoHeadTie bool                                                      // the head is never tied: Pop2Piano
	MayUntie  bool                                                      // tie_word_embeddings is obeyed, where T5 always ties
	Ahead     int64                                                     // positions that Source puts ahead of the text
	Source    func(b *Build) Node                                       // what stands in for the encoder's embedded tokens
	Feed      func(b *Build, x Node, half string, i int64) Node         // the network of a layer, at its place
	Attend    func(b *Build, x Node, bias *Node, first bool) (out Node) // self-attention of the encoder, likewise
}

// t5Classes are the classes of T5 and its relatives.
func t5Classes(name string, spec func(b *Build) T5) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForConditionalGeneration": func(b *Build) {
			s := spec(b)
			x, table := b.t5(s)
			b.Output(b.LMHead(x, "lm_head", b.Size("d_model"), b.Size("vocab_size"), false, table, b.t5Tied(s) && !s.NoHeadTie))
		},
		name + "Model": func(b *Build) {
			x, _ := b.t5(spec(b))
			b.Output(x)
		},
		name + "EncoderModel": func(b *Build) {
			_, x := b.t5Encode(spec(b))
			b.Output(x)
		},
	}
}

func (b *Build) t5Tied(s T5) bool { return !s.MayUntie || b.tied() }

// t5 is the model without its head, and the table that the head may be tied to.
func (b *Build) t5(s T5) (x, table Node) {
	table, memory := b.t5Encode(s)
	tokens, dim, vocab := b.Tokens("decoder_input_ids", b.MaxPositions()), b.Size("d_model"), b.Size("vocab_size")
	switch {
	case !b.t5Tied(s):
		table = b.Scope(decoder).Embedding(tokens, "embed_tokens", vocab, dim)
		x = table
	case s.Source != nil:
		table = b.Embedding(tokens, "shared", vocab, dim)
		x = table
	default:
		x = b.Again().Embedding(tokens, "shared", vocab, dim)
	}
	return b.t5Stack(s, x, decoder, memory), table
}

// t5Encode is the encoder: the shared table and what the layers give.
func (b *Build) t5Encode(s T5) (table, memory Node) {
	if s.Source != nil {
		return 0, b.t5Stack(s, s.Source(b), encoder, 0)
	}
	dim, vocab := b.Size("d_model"), b.Size("vocab_size")
	tokens := b.Tokens("input_ids", b.MaxPositions())
	table = b.Embedding(tokens, "shared", vocab, dim)
	x := table
	if !b.t5Tied(s) {
		x = b.Scope(encoder).Embedding(tokens, "embed_tokens", vocab, dim)
	}
	return table, b.t5Stack(s, x, encoder, 0)
}

// t5Stack is the layers of a half and the norm behind them.
func (b *Build) t5Stack(s T5, x Node, half string, memory Node) Node {
	m, dim, layers := b.Scope("%s", half), b.Size("d_model"), b.Int("num_layers")
	length := b.Length(b.MaxPositions()) + s.Ahead
	if half == decoder {
		layers, length = b.Or("num_decoder_layers", layers), length-s.Ahead
	}
	var bias Node
	x = m.drop(x, "dropout_rate")
	for i := range layers {
		parts := 0
		sublayer := func(part func(b *Build, x Node) Node) {
			l := m.Scope("block.%d.layer.%d", i, parts)
			x = l.Residual(x, l.drop(part(l, l.RMSNorm(x, "layer_norm", dim)), "dropout_rate"))
			parts++
		}
		sublayer(func(b *Build, x Node) Node {
			first := i == 0 || s.EachLayer
			if s.Attend != nil && half == encoder {
				return s.Attend(b, x, &bias, first)
			}
			a := b.Scope("SelfAttention")
			if first {
				bias = a.distances(x, half, length)
			}
			return a.t5Attend(x, x, half == decoder, bias)
		})
		if half == decoder {
			sublayer(func(b *Build, x Node) Node { return b.Scope("EncDecAttention").t5Attend(x, memory, false) })
		}
		sublayer(func(b *Build, x Node) Node {
			if s.Feed != nil {
				return s.Feed(b, x, half, i)
			}
			return b.t5Feed(x, "DenseReluDense")
		})
	}
	return m.drop(m.RMSNorm(x, "final_layer_norm", dim), "dropout_rate")
}

// distances is a number for each head, query and key, from the table of the buckets of their distances.
func (b *Build) distances(x Node, half string, length int64) Node {
	return b.bucketed(x, "relative_attention_bias", half, length, length)
}

func (b *Build) bucketed(x Node, name, half string, queries, keys int64) Node {
	heads, buckets := b.Size("num_heads"), b.Size("relative_attention_num_buckets")
	n := b.Add("relativePositionBias", name, Args{Int("numHeads", heads), Int("numBuckets", buckets),
		Int("maxDistance", b.Int("relative_attention_max_distance")), Flag("bidirectional", half == encoder)}, b.zeros(x, heads, queries, keys))
	b.Tensor(name+".weight", buckets, heads)
	return n
}

// zeros are scores that nothing was added to yet.
func (b *Build) zeros(x Node, heads, queries, keys int64) Node {
	return b.Add("expand", "scores", Args{Ints("shape", heads, queries, keys)}, b.Fixed(x, "scores", 1, queries, keys))
}

// t5Attend is attention of x to a memory. transformers does not divide its scores by the root of the width.
func (b *Build) t5Attend(x, memory Node, causal bool, bias ...Node) Node {
	dim, heads := b.Size("d_model"), b.Size("num_heads")
	inner := heads * b.Size("d_kv")
	q, k, v := b.Linear(x, "q", dim, inner, false), b.Linear(memory, "k", dim, inner, false), b.Linear(memory, "v", dim, inner, false)
	core := b.Core(q, k, v, heads, heads, causal, bias...)
	if len(bias) > 0 { // a lookup for each pair of positions, whose heads come first in a view alone
		b.way(core, "strided")
	}
	b.drops(core, "dropout_rate")
	return b.Linear(core, "o", inner, dim, false)
}

// t5Feed is a plain or a gated network, as feed_forward_proj says.
func (b *Build) t5Feed(x Node, name string) Node {
	dim, hidden := b.Size("d_model"), b.Size("d_ff")
	act, gated := b.t5Act()
	if gated {
		n := b.Gated(x, name, Gated{Dim: dim, Hidden: hidden, Act: act, Gate: "wi_0", Up: "wi_1", Down: "wo"})
		b.drops(n, "dropout_rate")
		return n
	}
	m := b.Scope("%s", name)
	x = m.drop(m.Act(m.Linear(x, "wi", dim, hidden, false), act, "feed_forward_proj"), "dropout_rate")
	x = m.Linear(x, "wo", hidden, dim, false)
	m.way(x, "recast")
	return x
}

// t5Act reads "relu" or "gated-gelu". The keys that transformers derives from it win where a file has them.
func (b *Build) t5Act() (act string, gated bool) {
	parts := strings.Split(b.Str("feed_forward_proj"), "-")
	act, gated = parts[len(parts)-1], parts[0] == "gated"
	if len(parts) > 2 || len(parts) == 2 && !gated {
		fail(CodeConfig, b.at("feed_forward_proj"), "is %q but takes an activation, or gated- and an activation", b.Str("feed_forward_proj"))
	}
	if b.Has("dense_act_fn") {
		act = b.Str("dense_act_fn")
	}
	if b.Given("is_gated_act") {
		gated = b.Bool("is_gated_act")
	}
	return act, gated
}
