package hf

var _ = define(Family{Type: "prophetnet", Default: "ProphetNetForConditionalGeneration", Classes: map[string]func(*Build){
	"ProphetNetForConditionalGeneration": func(b *Build) {
		x, table := b.prophetNet("prophetnet", true)
		b.prophetHead(x, table)
	},
	"ProphetNetForCausalLM": func(b *Build) {
		x, table := b.prophetNet("prophetnet", false)
		b.prophetHead(x, table)
	},
	"ProphetNetModel": func(b *Build) {
		x, _ := b.prophetNet("", true)
		b.Output(x)
	},
}})

// prophetHead writes the logits of the next word; the streams of the words behind it are for training.
func (b *Build) prophetHead(x, table Node) {
	length := b.Length(b.MaxPositions())
	logits := b.LMHead(b.Span(x, length, length*(1+b.Size("ngram"))), "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, table, b.tied())
	next := b.Span(logits, 0, length)
	b.way(next, "streams")
	b.Output(next)
}

// prophetNet is an encoder, where asked for, and a decoder with further streams, one for each word that it predicts at once.
func (b *Build) prophetNet(root string, whole bool) (x, table Node) {
	m, dim, vocab := b.Scope("%s", root), b.Size("hidden_size"), b.Size("vocab_size")
	length := b.Length(b.MaxPositions())
	var memory Node
	if whole {
		tokens := b.Input("input_ids", length)
		table = m.Embedding(tokens, "word_embeddings", vocab, dim)
		if x = table; !b.tied() {
			x = m.Scope(encoder).Embedding(tokens, "word_embeddings", vocab, dim)
		}
		memory = m.Scope(encoder).prophetEncode(x)
		tokens = b.Input("decoder_input_ids", length)
		if b.tied() {
			x = m.Again().Embedding(tokens, "word_embeddings", vocab, dim)
		} else {
			x = m.Scope(decoder).Embedding(tokens, "word_embeddings", vocab, dim)
		}
	} else {
		tokens := b.Input("input_ids", length)
		table = m.Embedding(tokens, "word_embeddings", vocab, dim)
		if x = table; !b.tied() {
			x = m.Scope(decoder).Embedding(tokens, "word_embeddings", vocab, dim)
		}
	}
	return m.Scope(decoder).prophetDecode(x, memory, whole), table
}

func (b *Build) prophetEncode(x Node) Node {
	dim := b.Size("hidden_size")
	x = b.Positions(x, "position_embeddings", b.Size("max_position_embeddings"), dim)
	x = b.drop(b.LayerNorm(x, "embeddings_layer_norm", dim, true), "dropout")
	for i := range b.Int("num_encoder_layers") {
		m := b.Scope("layers.%d", i)
		a := m.prophetAttention("num_encoder_attention_heads")
		x = m.prophetAdd(x, m.Attend(x, "self_attn", a), "self_attn")
		x = m.prophetFeed(x, "encoder_ffn_dim")
	}
	return x
}

func (b *Build) prophetAttention(heads string) Attention {
	return Attention{Dim: b.Size("hidden_size"), Heads: b.heads(heads, "hidden_size"), Bias: true, OutBias: true,
		Q: "query_proj", K: "key_proj", V: "value_proj", O: "out_proj"}
}

func (b *Build) prophetAdd(x, branch Node, name string) Node {
	return b.LayerNorm(b.Residual(x, b.drop(branch, "dropout")), name+"_layer_norm", b.Size("hidden_size"), true)
}

func (b *Build) prophetFeed(x Node, hidden string) Node {
	m, dim, wide := b.Scope("feed_forward"), b.Size("hidden_size"), b.Size(hidden)
	y := m.drop(m.Activation(m.Linear(x, "intermediate", dim, wide, true), "activation_function"), "activation_dropout")
	return b.prophetAdd(x, m.Linear(y, "output", wide, dim, true), "feed_forward")
}

// prophetDecode puts the streams behind each other: the text, and for each predicted word a trained vector at every position. Without an encoder there is
// nothing to look at, and what the class has for that is unused.
func (b *Build) prophetDecode(x, memory Node, whole bool) Node {
	dim, length, ngram := b.Size("hidden_size"), b.Length(b.MaxPositions()), b.Size("ngram")
	rows := b.Size("max_position_embeddings")
	ngrams := b.Param(x, "ngram_embeddings.weight", ngram, dim)
	streams := []Node{b.Positions(x, "position_embeddings", rows, dim)}
	for i := range ngram {
		stream := b.Add("expand", "ngram_embeddings", Args{Ints("shape", length, dim)}, b.Span(ngrams, i, i+1))
		streams = append(streams, b.Again().Positions(stream, "position_embeddings", rows, dim))
	}
	x = b.drop(b.LayerNorm(b.Join(streams...), "embeddings_layer_norm", dim, true), "dropout")
	for i := range b.Int("num_decoder_layers") {
		m := b.Scope("layers.%d", i)
		x = m.prophetAdd(x, m.Scope("self_attn").ngramAttend(x, length, ngram), "self_attn")
		switch {
		case !b.Bool("add_cross_attention"):
		case !whole:
			for _, name := range []string{"query_proj", "key_proj", "value_proj", "out_proj"} {
				m.Unused(x, "cross_attn."+name+".weight", dim, dim)
				m.Unused(x, "cross_attn."+name+".bias", dim)
			}
			m.Unused(x, "cross_attn_layer_norm.weight", dim)
			m.Unused(x, "cross_attn_layer_norm.bias", dim)
		default:
			a := m.prophetAttention("num_decoder_attention_heads")
			a.Memory, a.MemoryDim = memory, dim
			x = m.prophetAdd(x, m.CrossAttend(x, "cross_attn", a), "cross_attn")
		}
		x = m.prophetFeed(x, "decoder_ffn_dim")
	}
	return x
}

// ngramAttend lets each stream see the text and itself. The distances are scored by a map of the position, of which a bucket
// for each distance is picked.
func (b *Build) ngramAttend(x Node, length, ngram int64) Node {
	a := b.prophetAttention("num_decoder_attention_heads").filled()
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
		b.way(bias, "indexed")
		core := b.Core(stream(q, i), keys, values, heads, heads, false, bias)
		b.notWay(core, "plain") // the softmax is that of the encoder in the width that arrives, this one in 32 bits
		b.drops(core, "attention_dropout")
		if i == 0 {
			b.way(core, "streams")
		}
		out = append(out, core)
	}
	return b.Linear(b.Join(out...), a.O, dim, dim, true)
}
