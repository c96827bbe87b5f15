package hf

// Encoder is a model that reads a text as a whole, and the heads that transformers puts on it.
type Encoder struct {
	Prefix string                                // path of the model below a head
	Model  func(m *Build) (x, table Node)        // without its pooler; table is the embedding of the tokens
	Pool   func(m *Build, x Node) Node           // what the bare model gives beside its last layer, nil: nothing
	Pooled bool                                  // the pooler is there below a head, too, which does not read it
	Words  func(b *Build, x, table Node) Node    // the head that names words
	Whole  func(b *Build, m *Build, x Node) Node // the head for a class of the whole text
	Width  string                                // key of the width of the other heads' input: hidden_size where empty
}

// The heads of encoders that name words: one for hidden words, and one for the next word.
const (
	masked  = "ForMaskedLM"
	nextOne = "ForCausalLM"
	lmHead  = "LMHeadModel"
)

// classes are the bare model and the heads that are named.
func (e Encoder) classes(name string, heads ...string) map[string]func(*Build) {
	out := map[string]func(*Build){name + "Model": e.bare}
	for _, head := range heads {
		switch head {
		case sequences:
			out[name+head] = func(b *Build) {
				x, _ := e.below(b)
				b.Output(e.Whole(b, b.Scope("%s", e.Prefix), x))
			}
		case tokens:
			out[name+head] = func(b *Build) { e.each(b, "classifier") }
		case answers:
			out[name+head] = func(b *Build) { e.each(b, "qa_outputs") }
		default:
			out[name+head] = e.words
		}
	}
	return out
}

// bare is the model without a head.
func (e Encoder) bare(b *Build) {
	x, _ := e.Model(b)
	b.Output(x)
	if e.Pool != nil {
		b.Output(e.Pool(b, x))
	}
}

// below is the model below a head.
func (e Encoder) below(b *Build) (x, table Node) {
	m := b.Scope("%s", e.Prefix)
	x, table = e.Model(m)
	if e.Pooled {
		e.Pool(m, x)
	}
	return x, table
}

// words is the model with a head that names words.
func (e Encoder) words(b *Build) {
	x, table := e.below(b)
	b.Output(e.Words(b, x, table))
}

// each is the model with one map for each position: to classes, or to the starts and ends of answers.
func (e Encoder) each(b *Build, name string) {
	x, _ := e.below(b)
	b.Output(b.Linear(x, name, b.Size(or(e.Width, "hidden_size")), b.NumLabels(), true))
}

// front is the first position of a sequence, which stands for the text.
func (b *Build) front(x Node, name string) Node {
	return b.Add("select", name, Args{Int("dim", 1), Int("index", 0)}, x)
}

// bertPool maps the first position once more.
func bertPool(m *Build, x Node) Node {
	p, dim := m.Scope("pooler"), m.Size("hidden_size")
	return p.Add("tanh", "", nil, p.Linear(p.front(x, ""), "dense", dim, dim, true))
}

// pooledClass reads the class from what the pooler gives.
func pooledClass(b, m *Build, x Node) Node {
	return b.Linear(bertPool(m, x), "classifier", b.Size("hidden_size"), b.NumLabels(), true)
}

// frontClass reads the class from the first position by two maps of its own, with an activation between them: that of the layers
// where it has no name.
func frontClass(act string) func(b, m *Build, x Node) Node {
	return func(b, _ *Build, x Node) Node {
		c, dim := b.Scope("classifier"), b.Size("hidden_size")
		x = c.Act(c.Linear(c.front(x, ""), "dense", dim, dim, true), or(act, b.Str("hidden_act")), "hidden_act")
		return c.Linear(x, "out_proj", dim, b.NumLabels(), true)
	}
}

// bertWords is the head of BERT: a map and a norm ahead of the words.
func bertWords(b *Build, x, table Node) Node {
	p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
	x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
	return p.vocabulary(p.LayerNorm(x, "transform.LayerNorm", dim, true), dim, table)
}

// robertaWords is the same with other names, and GELU whatever the layers have.
func robertaWords(b *Build, x, table Node) Node {
	p, dim := b.Scope("lm_head"), b.Size("hidden_size")
	x = p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act")
	return p.vocabulary(p.LayerNorm(x, "layer_norm", dim, true), dim, table)
}

// firstWords is robertaWords in classes that make the head ahead of the model: what the two share has the name that the head
// gives it.
func firstWords(b *Build, x, table Node) Node {
	if b.Bool("tie_word_embeddings") {
		b.rename(b.ID(table)+".weight", b.join("lm_head.decoder.weight"))
	}
	return robertaWords(b, x, table)
}

// vocabulary is the map to the words. Its bias belongs to the place around it; where nothing is tied the map has one of its
// own, and no one reads that of the place.
func (b *Build) vocabulary(x Node, dim int64, table Node) Node {
	vocab := b.Size("vocab_size")
	args := Args{Int("embedDim", dim), Int("vocabSize", vocab), Flag("bias", true)}
	tied := b.Bool("tie_word_embeddings")
	if tied {
		args = append(args, Text("tiedTo", b.ID(table)))
	} else {
		b.Param(x, "bias", vocab)
	}
	n := b.Add("lmHead", "decoder", args, x)
	if tied {
		b.Tensor("bias", vocab)
	} else {
		b.weights("decoder", true, vocab, dim)
	}
	return n
}

// rename gives a tensor the other of its two names.
func (b *Build) rename(name, other string) {
	for i := range b.state.tensors {
		if b.state.tensors[i].Name == name {
			b.state.tensors[i].Name = other
		}
	}
}
