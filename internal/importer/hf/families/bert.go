package families

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "bert", Default: "BertForMaskedLM",
	Classes: stack.Encoder{Prefix: "bert", Model: Bert{}.model, Pool: stack.BertPool, Words: stack.BertWords,
		Whole: stack.PooledClass}.Classes("Bert", stack.MaskedLM, stack.LMHeadModel, stack.SequenceClassification,
		stack.TokenClassification, stack.QuestionAnswering)})

// Bert is BERT: three embeddings summed and normalised, then layers of attention and a feed-forward network. Its
// relatives differ in where the norms stand, in the positions, and in a part or two that they replace.
type Bert struct {
	Width    string // key of the width of the embedding: hidden_size where empty
	Enter    string // name of the projection from there to hidden_size
	Always   bool   // that projection is there even if both are equal
	Padded   bool   // positions are counted from behind the padding token: RoBERTa
	Pads     bool   // likewise, and that token is 1 whatever the config says: MPNet
	Skip     int64  // rows of the table ahead of those of the positions, in addition to max_position_embeddings
	NoTypes  bool   // the embedding knows no segments
	NoTable  bool   // nor positions
	NoNorm   bool   // nor a norm
	Late     bool   // what it drops it drops further on
	Pre      bool   // a norm stands ahead of each branch instead of behind the sum
	AttnNorm string // names of the norms of a layer, below attention and below the layer: output.LayerNorm where empty
	FeedNorm string
	Layers   string                 // encoder.layer where empty
	Last     string                 // name of a norm behind the last layer
	Norm     transformers.LayerNorm // how the norms are written, where they are not PyTorch's own
	Bias     string                 // key that says whether queries, keys and values have a bias: they have where empty
	Free     bool                   // the class does not insist that the heads divide the width
	Keeps    bool                   // the feed-forward network drops nothing: XLM-RoBERTa-XL
	Single   bool                   // nor has it attention to another model

	// what else is done to the embedding ahead of its norm, in its place
	Embed func(m *Build, x, table Node) Node
	// attention with its last projection in its place, where it is not the usual one
	Attend func(b *Build, x Node, a nn.Attention) Node
	Feed   func(b *Build, x Node, i int64) Node         // the feed-forward network in the layer's place, likewise
	Layer  func(b *Build, x, memory Node, i int64) Node // the whole layer, likewise
}

// model is everything but the pooler.
func (s Bert) model(m *Build) (x, table Node) {
	table = tokens(m, s.longest(m), "embeddings.word_embeddings", m.Size(cmp.Or(s.Width, "hidden_size")))
	return s.encode(m, s.embed(m, table)), table
}

// paddingToken is what the classes with Padded call the padding token where the config does not.
const paddingToken = 1

// rows are those of the table of positions, and how many of them come ahead of the first position.
func (s Bert) rows(b *Build) (all, skipped int64) {
	all, skipped = b.Size("max_position_embeddings")+s.Skip, s.Skip
	switch {
	case s.Pads:
		skipped += paddingToken + 1
	case s.Padded:
		skipped += b.Or("pad_token_id", paddingToken) + 1
	}
	return all, skipped
}

// longest is the longest text that the table of positions has rows for.
func (s Bert) longest(b *Build) int64 {
	all, skipped := s.rows(b)
	return max(all-skipped, 1)
}

// tokens looks the tokens up.
func tokens(b *Build, longest int64, name string, dim int64) Node {
	return b.Embedding(b.Tokens("input_ids", longest), name, b.Size("vocab_size"), dim)
}

// embed adds segments and positions.
func (s Bert) embed(b *Build, x Node) Node {
	m, width, dim, table := b.Scope("embeddings"), b.Size(cmp.Or(s.Width, "hidden_size")), b.Size("hidden_size"), x
	if !s.NoTypes {
		x = nn.Segments(m, x, "token_type_embeddings", b.Size("type_vocab_size"), width)
	}
	if !s.NoTable {
		x = s.positions(m, x, width)
	}
	if s.Embed != nil {
		x = s.Embed(m, x, table)
	}
	if !s.NoNorm {
		x = m.LayerNorm(x, "LayerNorm", width, true)
		m.As(x, s.Norm)
	}
	if !s.Late {
		x = m.Drop(x, hiddenDropout)
	}
	if s.Enter != "" && (s.Always || width != dim) {
		x = b.Linear(x, s.Enter, width, dim, true)
	}
	return x
}

// positions adds the rows of the table. Where the first of them are skipped, a text may be too long for the rest and
// not for the table: then the rows are taken by themselves, and do not fit.
func (s Bert) positions(m *Build, x Node, width int64) Node {
	const name = "position_embeddings"
	length := m.Length(s.longest(m))
	rows, skipped := s.rows(m)
	if skipped+length <= rows || length > rows {
		return m.Positions(x, name, rows, width)
	}
	build.CheckPadding(m, name, rows)
	table := m.Add("parameter", name, Args{build.Ints("shape", rows, width)}, x)
	m.Tensor(name+".weight", rows, width)
	return m.Residual(x, m.Add("slice", name,
		Args{build.Int("dim", 1), build.Int("start", skipped), build.Int("end", skipped+length)}, table))
}

// encode runs an embedded text through the layers.
func (s Bert) encode(b *Build, x Node) Node {
	dim, memory := b.Size("hidden_size"), x
	if b.Bool("add_cross_attention") && !s.Single {
		if !b.Bool("is_decoder") {
			config.Fail(config.CodeContradiction, b.At("add_cross_attention"),
				"is true but is_decoder is false: only a decoder looks at another model")
		}
		memory = b.Input("encoder_hidden_states", b.Length(s.longest(b)), dim)
	}
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("%s.%d", cmp.Or(s.Layers, "encoder.layer"), i)
		if s.Layer != nil {
			x = s.Layer(l, x, memory, i)
		} else {
			x = s.layer(l, x, memory, i)
		}
	}
	if s.Last != "" {
		x = b.LayerNorm(x, s.Last, dim, true)
	}
	return x
}

// layer is attention to itself, to another model where there is one, and the feed-forward network.
func (s Bert) layer(b *Build, x, memory Node, i int64) Node {
	x = s.looked(b, x, memory)
	return s.normed(b, x, cmp.Or(s.FeedNorm, "output.LayerNorm"), func(x Node) Node {
		if s.Feed != nil {
			x = s.Feed(b, x, i)
		} else {
			x = bertFeed(b, x)
		}
		if s.Keeps {
			return x
		}
		return b.Drop(x, hiddenDropout)
	})
}

// looked is the attention of a layer.
func (s Bert) looked(b *Build, x, memory Node) Node {
	a := s.attention(b)
	x = s.normed(b.Scope("attention"), x, cmp.Or(s.AttnNorm, "output.LayerNorm"), func(x Node) Node {
		if s.Attend != nil {
			x = s.Attend(b.Scope("attention"), x, a)
		} else {
			x = bertAttend(b, x, "attention", a)
		}
		return b.Scope("attention").Drop(x, hiddenDropout)
	})
	if b.Bool("add_cross_attention") && !s.Single {
		a.Causal, a.Rotary, a.Memory, a.MemoryDim = false, false, memory, a.Dim
		x = s.normed(b.Scope("crossattention"), x, cmp.Or(s.AttnNorm, "output.LayerNorm"), func(x Node) Node {
			return b.Scope("crossattention").Drop(bertAttend(b, x, "crossattention", a), hiddenDropout)
		})
	}
	return x
}

// hiddenDropout is the key of how much of what a part gives is dropped.
const hiddenDropout = "hidden_dropout_prob"

// normed adds a part of a layer to what it was given, with its norm on one side or the other.
func (s Bert) normed(b *Build, x Node, norm string, part func(x Node) Node) Node {
	dim := b.Size("hidden_size")
	if s.Pre {
		return b.Residual(x, part(b.LayerNorm(x, norm, dim, true)))
	}
	x = b.LayerNorm(b.Residual(x, part(x)), norm, dim, true)
	b.As(x, s.Norm)
	return x
}

func (s Bert) attention(b *Build) nn.Attention {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if dim%heads != 0 && !s.Free {
		config.Fail(config.CodeContradiction, b.At("num_attention_heads"),
			"is %d, which does not divide hidden_size, %d", heads, dim)
	}
	return nn.Attention{Dim: dim, Heads: heads, Bias: s.Bias == "" || b.Bool(s.Bias), OutBias: true,
		Causal: b.Bool("is_decoder"),
		Q:      "self.query", K: "self.key", V: "self.value", O: "output.dense"}.Filled()
}

// bertAttend is attention whose last projection takes the width of the model, even if the heads give less: then it
// does not run.
func bertAttend(b *Build, x Node, name string, a nn.Attention) Node {
	if a.Heads*a.HeadDim == a.Dim {
		return nn.Attend(b, x, name, a)
	}
	m := b.Scope("%s", name)
	return m.Linear(nn.Attended(m, x, a), a.O, a.Dim, a.Dim, a.OutBias)
}

func bertFeed(b *Build, x Node) Node {
	return nn.MLP(b, x, "intermediate.dense", "output.dense", b.Size("hidden_size"), b.Size("intermediate_size"), true,
		"hidden_act")
}
