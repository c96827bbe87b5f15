package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "prophetnet", Default: "ProphetNetForConditionalGeneration",
	Classes: map[string]func(*Build){
		"ProphetNetForConditionalGeneration": func(b *Build) {
			x, table := prophetNet(b, "prophetnet", true)
			b.As(prophetHead(b, x, table), transformers.StreamLogits{Copied: true})
		},
		"ProphetNetForCausalLM": func(b *Build) {
			x, table := prophetNet(b, "prophetnet", false)
			b.As(prophetHead(b, x, table), transformers.StreamLogits{})
		},
		"ProphetNetModel": func(b *Build) {
			x, _ := prophetNet(b, "", true)
			b.Output(x)
		},
	}})

// prophetHead writes the logits of the next word; the streams of the words behind it are for training.
func prophetHead(b *Build, x, table Node) Node {
	length := b.Length(b.MaxPositions())
	logits := stack.LMHead(b, b.Span(x, length, length*(1+b.Size("ngram"))), "lm_head", b.Size("hidden_size"),
		b.Size("vocab_size"), false, table, stack.Tied(b))
	next := b.Span(logits, 0, length)
	b.Output(next)
	return next
}

// prophetNet is an encoder, where asked for, and a decoder with further streams, one for each word that it predicts
// at once.
func prophetNet(b *Build, root string, whole bool) (x, table Node) {
	m, dim, vocab := b.Scope("%s", root), b.Size("hidden_size"), b.Size("vocab_size")
	length := b.Length(b.MaxPositions())
	var memory Node
	if whole {
		tokens := b.Input("input_ids", length)
		table = m.Embedding(tokens, "word_embeddings", vocab, dim)
		if x = table; !stack.Tied(b) {
			x = m.Scope(stack.EncoderPath).Embedding(tokens, "word_embeddings", vocab, dim)
		}
		memory = prophetEncode(m.Scope(stack.EncoderPath), x)
		tokens = b.Input("decoder_input_ids", length)
		if stack.Tied(b) {
			x = m.Again().Embedding(tokens, "word_embeddings", vocab, dim)
		} else {
			x = m.Scope(stack.DecoderPath).Embedding(tokens, "word_embeddings", vocab, dim)
		}
	} else {
		tokens := b.Input("input_ids", length)
		table = m.Embedding(tokens, "word_embeddings", vocab, dim)
		if x = table; !stack.Tied(b) {
			x = m.Scope(stack.DecoderPath).Embedding(tokens, "word_embeddings", vocab, dim)
		}
	}
	return prophetDecode(m.Scope(stack.DecoderPath), x, memory, whole), table
}

func prophetEncode(b *Build, x Node) Node {
	dim := b.Size("hidden_size")
	x = b.Positions(x, "position_embeddings", b.Size("max_position_embeddings"), dim)
	x = b.Drop(b.LayerNorm(x, "embeddings_layer_norm", dim, true), "dropout")
	for i := range b.Int("num_encoder_layers") {
		m := b.Scope("layers.%d", i)
		a := prophetAttention(m, "num_encoder_attention_heads")
		x = prophetAdd(m, x, nn.Attend(m, x, "self_attn", a), "self_attn")
		x = prophetFeed(m, x, "encoder_ffn_dim")
	}
	return x
}

func prophetAttention(b *Build, heads string) nn.Attention {
	return nn.Attention{Dim: b.Size("hidden_size"), Heads: stack.HeadCount(b, heads, "hidden_size"), Bias: true,
		OutBias: true,
		Q:       "query_proj", K: "key_proj", V: "value_proj", O: "out_proj"}
}

func prophetAdd(b *Build, x, branch Node, name string) Node {
	return b.LayerNorm(b.Residual(x, b.Drop(branch, "dropout")), name+"_layer_norm", b.Size("hidden_size"), true)
}

func prophetFeed(b *Build, x Node, hidden string) Node {
	m, dim, wide := b.Scope("feed_forward"), b.Size("hidden_size"), b.Size(hidden)
	y := m.Drop(m.Activation(m.Linear(x, "intermediate", dim, wide, true), "activation_function"), "activation_dropout")
	return prophetAdd(b, x, m.Linear(y, "output", wide, dim, true), "feed_forward")
}

// prophetDecode puts the streams behind each other: the text, and for each predicted word a trained vector at every
// position. Without an encoder there is nothing to look at, and what the class has for that is unused.
func prophetDecode(b *Build, x, memory Node, whole bool) Node {
	dim, length, ngram := b.Size("hidden_size"), b.Length(b.MaxPositions()), b.Size("ngram")
	rows := b.Size("max_position_embeddings")
	ngrams := b.Param(x, "ngram_embeddings.weight", ngram, dim)
	streams := []Node{b.Positions(x, "position_embeddings", rows, dim)}
	for i := range ngram {
		stream := b.Add("expand", "ngram_embeddings", Args{build.Ints("shape", length, dim)}, b.Span(ngrams, i, i+1))
		streams = append(streams, b.Again().Positions(stream, "position_embeddings", rows, dim))
	}
	x = b.Drop(b.LayerNorm(b.Join(streams...), "embeddings_layer_norm", dim, true), "dropout")
	for i := range b.Int("num_decoder_layers") {
		m := b.Scope("layers.%d", i)
		x = prophetAdd(m, x, ngramAttend(m.Scope("self_attn"), x, length, ngram), "self_attn")
		switch {
		case !b.Bool("add_cross_attention"):
		case !whole:
			for _, name := range []string{"query_proj", "key_proj", "value_proj", "out_proj"} {
				build.Unused(m, x, "cross_attn."+name+".weight", dim, dim)
				build.Unused(m, x, "cross_attn."+name+".bias", dim)
			}
			build.Unused(m, x, "cross_attn_layer_norm.weight", dim)
			build.Unused(m, x, "cross_attn_layer_norm.bias", dim)
		default:
			a := prophetAttention(m, "num_decoder_attention_heads")
			a.Memory, a.MemoryDim = memory, dim
			x = prophetAdd(m, x, stack.CrossAttend(m, x, "cross_attn", a), "cross_attn")
		}
		x = prophetFeed(m, x, "decoder_ffn_dim")
	}
	return x
}

// ngramAttend lets each stream see the text and itself. The distances are scored by a projection of the position, of
// which a bucket for each distance is picked.
func ngramAttend(b *Build, x Node, length, ngram int64) Node {
	a := prophetAttention(b, "num_decoder_attention_heads").Filled()
	dim, heads, buckets := a.Dim, a.Heads, b.Size("num_buckets")
	q, k, v := b.Linear(x, a.Q, dim, dim, true), b.Linear(x, a.K, dim, dim, true), b.Linear(x, a.V, dim, dim, true)
	stream := func(x Node, i int64) Node { return b.Span(x, i*length, (i+1)*length) }
	each := make([]Node, 0, ngram+1)
	for i := range ngram + 1 {
		each = append(each, stream(x, i))
	}
	near := b.Linear(b.Join(each...), "relative_pos_embeddings", dim, buckets*heads, true) // of copies of the streams
	out := make([]Node, 0, ngram+1)
	for i := range ngram + 1 {
		keys, values, seen := stream(k, 0), stream(v, 0), length
		if i > 0 {
			keys, values, seen = b.Join(keys, stream(k, i)), b.Join(values, stream(v, i)), 2*length
		}
		bias := b.Opaque(stream(near, i), "relative_pos_buckets", []int64{heads, length, seen}, 0)
		b.As(bias, transformers.BucketScores{})
		core := b.Core(stream(q, i), keys, values, heads, heads, false, bias)
		build.Written(b, core, func(m *transformers.Attention) {
			m.Plain, m.Streams = false, i == 0 // the softmax is that of the encoder in the width of the input, this one in 32 bits
		})
		b.SetDropout(core, "attention_dropout")
		out = append(out, core)
	}
	return b.Linear(b.Join(out...), a.O, dim, dim, true)
}
