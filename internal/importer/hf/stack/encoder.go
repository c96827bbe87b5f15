package stack

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
)

// Encoder is a model that reads a text as a whole, and the heads that transformers puts on it.
type Encoder struct {
	Prefix string // path of the model below a head
	// without its pooler; table is the embedding of the tokens
	Model func(m *build.Build) (x, table build.Node)
	// what the bare model gives beside its last layer, nil: nothing
	Pool func(m *build.Build, x build.Node) build.Node
	// the pooler is there below a head, too, which does not read it
	Pooled bool
	Words  func(b *build.Build, x, table build.Node) build.Node          // the head that names words
	Whole  func(b *build.Build, m *build.Build, x build.Node) build.Node // the head for a class of the whole text
	// key of the width of the other heads' input: hidden_size where empty
	Width string
}

// The heads of encoders that name words: one for hidden words, and one for the next word.
const (
	MaskedLM    = "ForMaskedLM"
	ForCausalLM = "ForCausalLM"
	LMHeadModel = "LMHeadModel"
)

// Classes are the bare model and the heads that are named.
func (e Encoder) Classes(name string, heads ...string) map[string]func(*build.Build) {
	out := map[string]func(*build.Build){name + "Model": e.BuildBare}
	for _, head := range heads {
		switch head {
		case SequenceClassification:
			out[name+head] = func(b *build.Build) {
				x, _ := e.below(b)
				b.Output(e.Whole(b, b.Scope("%s", e.Prefix), x))
			}
		case TokenClassification:
			out[name+head] = func(b *build.Build) { e.BuildEach(b, "classifier") }
		case QuestionAnswering:
			out[name+head] = func(b *build.Build) { e.BuildEach(b, "qa_outputs") }
		default:
			out[name+head] = e.BuildWords
		}
	}
	return out
}

// BuildBare is the model without a head.
func (e Encoder) BuildBare(b *build.Build) {
	x, _ := e.Model(b)
	b.Output(x)
	if e.Pool != nil {
		b.Output(e.Pool(b, x))
	}
}

// below is the model below a head.
func (e Encoder) below(b *build.Build) (x, table build.Node) {
	m := b.Scope("%s", e.Prefix)
	x, table = e.Model(m)
	if e.Pooled {
		e.Pool(m, x)
	}
	return x, table
}

// BuildWords is the model with a head that names words.
func (e Encoder) BuildWords(b *build.Build) {
	x, table := e.below(b)
	b.Output(e.Words(b, x, table))
}

// BuildEach is the model with one projection for each position: to classes, or to the starts and ends of answers.
func (e Encoder) BuildEach(b *build.Build, name string) {
	x, _ := e.below(b)
	b.Output(b.Linear(x, name, b.Size(cmp.Or(e.Width, "hidden_size")), b.NumLabels(), true))
}

// FirstPosition is the first position of a sequence, which stands for the text.
func FirstPosition(b *build.Build, x build.Node, name string) build.Node {
	return b.Add("select", name, build.Args{build.Int("dim", 1), build.Int("index", 0)}, x)
}

// BertPool projects the first position once more.
func BertPool(m *build.Build, x build.Node) build.Node {
	p, dim := m.Scope("pooler"), m.Size("hidden_size")
	return p.Add("tanh", "", nil, p.Linear(FirstPosition(p, x, ""), "dense", dim, dim, true))
}

// PooledClass reads the class from what the pooler gives.
func PooledClass(b, m *build.Build, x build.Node) build.Node {
	return b.Linear(BertPool(m, x), "classifier", b.Size("hidden_size"), b.NumLabels(), true)
}

// FrontClass reads the class from the first position by two projections of its own, with an activation between them:
// that of the layers where it has no name.
func FrontClass(act string) func(b, m *build.Build, x build.Node) build.Node {
	return func(b, _ *build.Build, x build.Node) build.Node {
		c, dim := b.Scope("classifier"), b.Size("hidden_size")
		x = c.Act(c.Linear(FirstPosition(c, x, ""), "dense", dim, dim, true), cmp.Or(act, b.Str("hidden_act")),
			"hidden_act")
		return c.Linear(x, "out_proj", dim, b.NumLabels(), true)
	}
}

// BertWords is the head of BERT: a projection and a norm ahead of the words.
func BertWords(b *build.Build, x, table build.Node) build.Node {
	p, dim := b.Scope("cls.predictions"), b.Size("hidden_size")
	x = p.Activation(p.Linear(x, "transform.dense", dim, dim, true), "hidden_act")
	return Vocabulary(p, p.LayerNorm(x, "transform.LayerNorm", dim, true), dim, table)
}

// RobertaWords is the same with other names, and GELU whatever the layers have.
func RobertaWords(b *build.Build, x, table build.Node) build.Node {
	p, dim := b.Scope("lm_head"), b.Size("hidden_size")
	x = p.Act(p.Linear(x, "dense", dim, dim, true), "gelu", "hidden_act")
	return Vocabulary(p, p.LayerNorm(x, "layer_norm", dim, true), dim, table)
}

// FirstWords is RobertaWords in classes that make the head ahead of the model: what the two share has the name that
// the head gives it.
func FirstWords(b *build.Build, x, table build.Node) build.Node {
	if b.Bool("tie_word_embeddings") {
		build.Rename(b, b.ID(table)+".weight", b.PathOf("lm_head.decoder.weight"))
	}
	return RobertaWords(b, x, table)
}

// Vocabulary is the projection to the words. Its bias belongs to the place around it; where nothing is tied the
// projection has one of its own, and no one reads that of the place.
func Vocabulary(b *build.Build, x build.Node, dim int64, table build.Node) build.Node {
	vocab := b.Size("vocab_size")
	args := build.Args{build.Int("embedDim", dim), build.Int("vocabSize", vocab), build.Flag("bias", true)}
	tied := b.Bool("tie_word_embeddings")
	if tied {
		args = append(args, build.Text("tiedTo", b.ID(table)))
	} else {
		b.Param(x, "bias", vocab)
	}
	n := b.Add("lmHead", "decoder", args, x)
	if tied {
		b.Tensor("bias", vocab)
	} else {
		b.Weights("decoder", true, vocab, dim)
	}
	return n
}
