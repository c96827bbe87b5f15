package hf

var _ = define(Family{Type: "luke", Default: "LukeForMaskedLM", Classes: map[string]func(*Build){
	"LukeForMaskedLM": func(b *Build) {
		x := luke(b.Scope("luke"))
		bertPool(b.Scope("luke"), x) // is there, and no head reads it
		b.lukeEntities(x)
		b.Output(b.lukeWords(x))
	},
	"LukeModel": func(b *Build) {
		x := luke(b)
		b.Output(x)
		b.Output(bertPool(b, x))
	},
}})

// luke is RoBERTa that can read entities behind the words. It does so only where a call names them; one that gives token ids alone leaves
// all that is there for entities unread: their tables, the maps of the queries from and to them, and the head that predicts them.
func luke(b *Build) Node {
	s := Bert{Padded: true, Single: true}
	words := b.tokens(s.longest(b), "embeddings.word_embeddings", b.Size("hidden_size"))
	b.Scope("entity_embeddings").lukeTables(words)
	s.Attend = func(m *Build, x Node, a Attention) Node {
		if b.Bool("use_entity_aware_attention") {
			for _, name := range []string{"w2e_query", "e2w_query", "e2e_query"} {
				m.Scope("self").unreadMap(x, name, a.Dim, a.Dim)
			}
		}
		q, k, v := m.project(x, a)
		return m.Linear(m.Scope("self").Core(q, k, v, a.Heads, a.Heads, false), a.O, a.Dim, a.Dim, true)
	}
	return s.encode(b, s.embed(b, words))
}

// lukeTables is what embeds entities.
func (b *Build) lukeTables(x Node) {
	dim, width := b.Size("hidden_size"), b.Size("entity_emb_size")
	b.Param(x, "entity_embeddings.weight", b.Size("entity_vocab_size"), width)
	if width != dim {
		b.Param(x, "entity_embedding_dense.weight", dim, width)
	}
	b.Param(x, "position_embeddings.weight", b.Size("max_position_embeddings"), dim)
	b.Param(x, "token_type_embeddings.weight", b.Size("type_vocab_size"), dim)
	b.unreadNorm(x, "LayerNorm", dim)
}

// unreadMap is the tensors of a map that is there, and that this use of the class leaves alone.
func (b *Build) unreadMap(x Node, name string, in, out int64) {
	b.Param(x, name+".weight", out, in)
	b.Param(x, name+".bias", out)
}

// unreadNorm is those of a norm.
func (b *Build) unreadNorm(x Node, name string, dim int64) {
	b.Param(x, name+".weight", dim)
	b.Param(x, name+".bias", dim)
}

// lukeWords is RoBERTa's head, whose weight is never tied, only its bias.
func (b *Build) lukeWords(x Node) Node {
	p, dim, vocab := b.Scope("lm_head"), b.Size("hidden_size"), b.Size("vocab_size")
	x = p.LayerNorm(p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act"), "layer_norm", dim, true)
	bias := "bias"
	if !b.Bool("tie_word_embeddings") {
		p.Param(x, "bias", vocab) // is there, and no one reads it
		bias = "decoder.bias"
	}
	n := p.Add("lmHead", "decoder", Args{Int("embedDim", dim), Int("vocabSize", vocab), Flag("bias", true)}, x)
	p.Tensor("decoder.weight", vocab, dim)
	p.Tensor(bias, vocab)
	return n
}

// lukeEntities is the head that predicts entities, by their table or by one of its own.
func (b *Build) lukeEntities(x Node) {
	p, width, vocab := b.Scope("entity_predictions"), b.Size("entity_emb_size"), b.Size("entity_vocab_size")
	p.unreadMap(x, "transform.dense", b.Size("hidden_size"), width)
	p.unreadNorm(x, "transform.LayerNorm", width)
	if !b.Bool("tie_word_embeddings") {
		p.Param(x, "decoder.weight", vocab, width)
	}
	p.Param(x, "bias", vocab)
}
