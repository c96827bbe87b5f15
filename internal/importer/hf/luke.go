package hf

var _ = define(Family{Type: "luke", Default: "LukeForMaskedLM", Classes: map[string]func(*Build){
	"LukeForMaskedLM": func(b *Build) {
		x, entities, table := luke(b.Scope("luke"))
		bertPool(b.Scope("luke"), x) // is there, and no head reads it
		b.Output(b.lukeWords(x))
		b.Output(b.lukeEntities(entities, table))
	},
	"LukeModel": func(b *Build) {
		x, entities, _ := luke(b)
		b.Output(x)
		b.Output(entities)
		b.Output(bertPool(b, x))
	},
}})

// How many entities a text has, and over how many of its positions each spreads: what transformers' tokenizer pads to.
const (
	lukeCount   = 32
	lukeMention = 30
)

// luke is RoBERTa that reads entities behind the words. Which of the two looks at which decides the map of the queries.
func luke(b *Build) (words, entities, table Node) {
	s := Bert{Padded: true, Single: true}
	dim := b.Size("hidden_size")
	length := b.Length(s.longest(b))
	span := func(x Node, start, end int64) Node {
		return b.Add("slice", "", Args{Int("dim", 1), Int("start", start), Int("end", end)}, x)
	}
	words = s.embed(b, b.tokens(s.longest(b), "embeddings.word_embeddings", dim))
	entities, table = b.Scope("entity_embeddings").lukeEmbed()
	x := b.Add("concatenate", "", Args{Int("dim", 1)}, words, entities)
	s.Attend = func(m *Build, x Node, a Attention) Node {
		if !b.Bool("use_entity_aware_attention") {
			q, k, v := m.project(x, a)
			return m.Linear(m.Scope("self").Core(q, k, v, a.Heads, a.Heads, false), a.O, a.Dim, a.Dim, true)
		}
		return m.Linear(m.Scope("self").lukeAttend(x, length, a), a.O, a.Dim, a.Dim, true)
	}
	x = s.encode(b, x)
	return span(x, 0, length), span(x, length, length+lukeCount), table
}

// lukeEmbed is the sum of what an entity is and where it stands: the mean of the positions of its words.
func (b *Build) lukeEmbed() (x, table Node) {
	dim, width := b.Size("hidden_size"), b.Size("entity_emb_size")
	table = b.Embedding(b.Input("entity_ids", lukeCount), "entity_embeddings", b.Size("entity_vocab_size"), width)
	x = table
	if width != dim {
		x = b.Linear(x, "entity_embedding_dense", width, dim, false)
	}
	places := b.Embedding(b.Input("entity_position_ids", lukeCount, lukeMention), "position_embeddings", b.Size("max_position_embeddings"), dim)
	x = b.Residual(x, b.Add("mean", "position_embeddings", Args{Int("dim", 2)}, places))
	x = b.Segments(x, "token_type_embeddings", b.Size("type_vocab_size"), dim)
	return b.LayerNorm(x, "LayerNorm", dim, true), table
}

func (b *Build) lukeAttend(x Node, length int64, a Attention) Node {
	span := func(x Node, ofWords bool) Node {
		if ofWords {
			return b.Add("slice", "", Args{Int("dim", 1), Int("start", 0), Int("end", length)}, x)
		}
		return b.Add("slice", "", Args{Int("dim", 1), Int("start", length), Int("end", length+lukeCount)}, x)
	}
	words, entities := span(x, true), span(x, false)
	keys, values := b.Linear(x, "key", a.Dim, a.Dim, true), b.Linear(x, "value", a.Dim, a.Dim, true)
	toWords, toEntities := b.inHeads(span(keys, true), a.Heads, a.HeadDim), b.inHeads(span(keys, false), a.Heads, a.HeadDim)
	scores := func(from Node, name string, keys Node) Node {
		return b.times(b.inHeads(b.Linear(from, name, a.Dim, a.Dim, true), a.Heads, a.HeadDim), keys, true)
	}
	join := func(dim int64, x, y Node) Node { return b.Add("concatenate", "", Args{Int("dim", dim)}, x, y) }
	all := join(2, join(3, scores(words, "query", toWords), scores(words, "w2e_query", toEntities)),
		join(3, scores(entities, "e2w_query", toWords), scores(entities, "e2e_query", toEntities)))
	return b.fromHeads(b.times(b.weighted(all), b.inHeads(values, a.Heads, a.HeadDim), false))
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

func (b *Build) lukeEntities(x, table Node) Node {
	p, dim, width, vocab := b.Scope("entity_predictions"), b.Size("hidden_size"), b.Size("entity_emb_size"), b.Size("entity_vocab_size")
	x = p.Activation(p.Linear(x, "transform.dense", dim, width, true), "hidden_act")
	x = p.LayerNorm(x, "transform.LayerNorm", width, true)
	args := Args{Int("embedDim", width), Int("vocabSize", vocab), Flag("bias", true)}
	tied := b.Bool("tie_word_embeddings")
	if tied {
		args = append(args, Text("tiedTo", b.ID(table)))
	}
	n := p.Add("lmHead", "decoder", args, x)
	if !tied {
		p.Tensor("decoder.weight", vocab, width)
	}
	p.Tensor("bias", vocab)
	return n
}
