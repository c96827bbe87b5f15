package stack

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Seq2Seq is an encoder and a decoder of BART's kind. Its relatives differ in where the norms stand, in the
// positions, and in a part or two that they replace.
type Seq2Seq struct {
	Root      string // path of the model below its head: model where empty
	Head      string // lm_head where empty
	Pre       bool   // a norm stands ahead of each branch instead of behind the sum
	EmbedNorm bool   // one, layernorm_embedding, follows the embedding
	LastNorm  bool   // one, layer_norm, follows the last layer
	Last      string // another name of that one
	Memory    string // key of the width of what the decoder looks at, where that is not its own
	NoBias    bool   // the projections of attention have none
	NoKeyBias bool   // only that of the keys has none: Whisper
	OwnTables bool   // no table is shared by encoder and decoder
	Untied    bool   // the head of the decoder alone is never tied: BigBird-Pegasus
	Alone     bool   // there is no encoder: what the decoder would look at it with is there, and is not used
	MaxInput  string // keys of the longest texts: max_position_embeddings where empty
	MaxTarget string
	Vocab     string // keys of the vocabularies: vocab_size where empty
	Target    string
	// key of the rows of the decoder's table where it is not the shared one, though the class can share it: Marian
	Rows     string
	Shared   string // name of the table that encoder and decoder share: shared where empty
	Cross    string // encoder_attn where empty
	FeedNorm string // final_layer_norm where empty

	// a layer of the encoder, where all of it is another
	Layer func(b *build.Build, x build.Node, i int64) build.Node
	// what follows the layers of the encoder, ahead of the last norm
	Encoded func(b *build.Build, x build.Node) build.Node
	// what stands in for the encoder's tokens, in the encoder's place
	Source    func(b *build.Build) build.Node
	Positions func(b *build.Build, x build.Node, half string) build.Node // added to the embedding
	// self-attention, where it is not the usual one
	Attend func(b *build.Build, x build.Node, half string, i int64) build.Node
	// attention of the decoder to the encoder, likewise
	Look func(b *build.Build, x, memory build.Node, i int64) build.Node
	// the feed-forward network of a layer, likewise
	Feed func(b *build.Build, x build.Node, half string, i int64) build.Node
}

// The paths of the two halves of the model, which their keys begin with, too.
const (
	EncoderPath = "encoder"
	DecoderPath = "decoder"
)

// Filled puts the defaults in the place of what is left out.
func (s Seq2Seq) Filled() Seq2Seq {
	s.Root, s.Head, s.Cross, s.FeedNorm = cmp.Or(s.Root, "model"), cmp.Or(s.Head, "lm_head"),
		cmp.Or(s.Cross, "encoder_attn"), cmp.Or(s.FeedNorm, "final_layer_norm")
	s.Shared, s.Vocab = cmp.Or(s.Shared, "shared"), cmp.Or(s.Vocab, "vocab_size")
	s.MaxInput, s.MaxTarget = cmp.Or(s.MaxInput, "max_position_embeddings"),
		cmp.Or(s.MaxTarget, "max_position_embeddings")
	return s
}

// Seq2SeqClasses are the classes that most of them have.
func Seq2SeqClasses(name string, spec func(b *build.Build) Seq2Seq) map[string]func(*build.Build) {
	return map[string]func(*build.Build){
		name + "ForConditionalGeneration": func(b *build.Build) { ConditionalGeneration(b, spec(b)) },
		name + "ForCausalLM":              func(b *build.Build) { DecoderAlone(b, spec(b)) },
		name + "Model": func(b *build.Build) {
			x, _ := bothHalves(b, spec(b), "")
			b.Output(x)
		},
	}
}

// Seq2SeqHeads adds the classes that read an answer or a label from the decoder.
func Seq2SeqHeads(name string, spec func(b *build.Build) Seq2Seq) map[string]func(*build.Build) {
	classes := Seq2SeqClasses(name, spec)
	classes[name+"ForQuestionAnswering"] = func(b *build.Build) {
		x, _ := bothHalves(b, spec(b), spec(b).Filled().Root)
		b.Output(b.Linear(x, "qa_outputs", b.Size("d_model"), 2, true))
	}
	classes[name+"ForSequenceClassification"] = func(b *build.Build) {
		x, _ := bothHalves(b, spec(b), spec(b).Filled().Root)
		b.Output(classificationHead(b, x, b.Size("d_model"), labels(b, 3)))
	}
	return classes
}

// labels is the number of classes of a configuration class with a default of its own.
func labels(b *build.Build, otherwise int64) int64 {
	if b.Given("num_labels") || b.Given("id2label") {
		return b.NumLabels()
	}
	return otherwise
}

// classificationHead reads the last position, where the end token of the text stands.
func classificationHead(b *build.Build, x build.Node, dim, labels int64) build.Node {
	m := b.Scope("classification_head")
	x = m.Add("select", "", build.Args{build.Int("dim", 1), build.Int("index", -1)}, x)
	x = m.Add("tanh", "", nil, m.Linear(x, "dense", dim, dim, true))
	return m.Linear(x, "out_proj", dim, labels, true)
}

// Tied says whether the head has the weight of the embedding, which is the default of the class where the key is
// missing.
func Tied(b *build.Build) bool { return !b.Has("tie_word_embeddings") || b.Bool("tie_word_embeddings") }

// ConditionalGeneration is the model with the head that writes the text.
func ConditionalGeneration(b *build.Build, s Seq2Seq) {
	s = s.Filled()
	x, table := bothHalves(b, s, s.Root)
	_, vocab := vocabularies(b, s)
	b.Output(LMHead(b, x, s.Head, b.Size("d_model"), vocab, false, table, Tied(b)))
}

// DecoderAlone is the decoder as a language model. Its attention to an encoder has weights, which nothing reads where
// there is no encoder.
func DecoderAlone(b *build.Build, s Seq2Seq) {
	s = s.Filled()
	s.OwnTables, s.Alone = true, true
	dim, m := b.Size("d_model"), b.Scope("%s", s.Root)
	_, vocab := vocabularies(b, s)
	table := m.Scope(DecoderPath).Embedding(b.Tokens("input_ids", b.Int(s.MaxTarget)), "embed_tokens", vocab, dim)
	x, tied := decode(m, s, table, 0), Tied(b) && !s.Untied
	if !tied {
		vocab = b.Size("vocab_size") // of a head of its own, even where the decoder's tokens are others: Marian
	}
	b.Output(LMHead(b, x, s.Head, dim, vocab, false, table, tied))
}

// vocabularies are the sizes of the encoder's and of the decoder's.
func vocabularies(b *build.Build, s Seq2Seq) (source, target int64) {
	source = b.Size(s.Vocab)
	if target = source; s.Target != "" && b.Or(s.Target, 0) > 0 {
		target = b.Size(s.Target)
	}
	return source, target
}

// bothHalves adds the model without its head. It returns the table, too, that the head may be tied to.
func bothHalves(b *build.Build, s Seq2Seq, root string) (x, table build.Node) {
	s = s.Filled()
	dim, m := b.Size("d_model"), b.Scope("%s", root)
	source, target := vocabularies(b, s)
	var memory, first build.Node
	if s.Source != nil {
		memory = s.Source(m.Scope(EncoderPath))
	} else {
		tokens := b.Tokens("input_ids", b.Int(s.MaxInput))
		if !s.OwnTables {
			first = m.Embedding(tokens, s.Shared, target, dim)
		}
		if memory = first; s.OwnTables || !Tied(b) {
			memory = m.Scope(EncoderPath).Embedding(tokens, "embed_tokens", source, dim)
		}
	}
	memory = Encode(m, s, memory)
	tokens := b.Tokens("decoder_input_ids", b.Int(s.MaxTarget))
	if s.OwnTables || !Tied(b) {
		if s.Rows != "" && b.Or(s.Rows, 0) > 0 {
			target = b.Size(s.Rows)
		}
		x = m.Scope(DecoderPath).Embedding(tokens, "embed_tokens", target, dim)
		return decode(m, s, x, memory), x
	}
	return decode(m, s, m.Again().Embedding(tokens, s.Shared, target, dim), memory), first
}

// Encode runs an embedded text through the encoder.
func Encode(b *build.Build, s Seq2Seq, x build.Node) build.Node {
	return EncodeHere(b.Scope(EncoderPath), s, x)
}

// EncodeHere is encode in the encoder's own place.
func EncodeHere(b *build.Build, s Seq2Seq, x build.Node) build.Node {
	return half(b, s, EncoderPath, x, func(m *build.Build, x build.Node, i int64) build.Node {
		if s.Layer != nil {
			return s.Layer(m, x, i)
		}
		x = Branch(m, s, x, "self_attn_layer_norm",
			func(x build.Node) build.Node { return selfAttend(m, s, x, EncoderPath, i) })
		return Branch(m, s, x, s.FeedNorm, func(x build.Node) build.Node { return Feed(m, s, x, EncoderPath, i) })
	})
}

// decode runs an embedded text through the decoder, which looks at what the encoder gave.
func decode(b *build.Build, s Seq2Seq, x, memory build.Node) build.Node {
	return DecodeHere(b.Scope(DecoderPath), s, x, memory)
}

// DecodeHere is decode in the decoder's own place.
func DecodeHere(b *build.Build, s Seq2Seq, x, memory build.Node) build.Node {
	return half(b, s, DecoderPath, x, func(m *build.Build, x build.Node, i int64) build.Node {
		x = Branch(m, s, x, "self_attn_layer_norm",
			func(x build.Node) build.Node { return selfAttend(m, s, x, DecoderPath, i) })
		if s.Alone {
			unusedLook(m, s, x)
		} else {
			x = Branch(m, s, x, s.Cross+"_layer_norm",
				func(x build.Node) build.Node { return crossAttend(m, s, x, memory, i) })
		}
		return Branch(m, s, x, s.FeedNorm, func(x build.Node) build.Node { return Feed(m, s, x, DecoderPath, i) })
	})
}

// half is positions, norms and layers.
func half(b *build.Build, s Seq2Seq, name string, x build.Node,
	layer func(m *build.Build, x build.Node, i int64) build.Node) build.Node {
	dim := b.Size("d_model")
	if s.Positions != nil {
		x = s.Positions(b, x, name)
	}
	if s.EmbedNorm {
		x = b.LayerNorm(x, "layernorm_embedding", dim, true)
	}
	x = b.Drop(x, "dropout")
	for i := range b.Int(name + "_layers") {
		x = layer(b.Scope("layers.%d", i), x, i)
	}
	if s.Encoded != nil && name == EncoderPath {
		x = s.Encoded(b, x)
	}
	if s.LastNorm || s.Last != "" {
		x = b.LayerNorm(x, cmp.Or(s.Last, "layer_norm"), dim, true)
	}
	return x
}

// Branch adds a part of a layer to what it was given, with its norm on one side or the other.
func Branch(b *build.Build, s Seq2Seq, x build.Node, norm string, part func(x build.Node) build.Node) build.Node {
	dim := b.Size("d_model")
	if s.Pre {
		return b.Residual(x, b.Drop(part(b.LayerNorm(x, norm, dim, true)), "dropout"))
	}
	return b.LayerNorm(b.Residual(x, b.Drop(part(x), "dropout")), norm, dim, true)
}

// HeadCount reads a number of heads that must divide the width.
func HeadCount(b *build.Build, key, widthKey string) int64 {
	heads, dim := b.Size(key), b.Size(widthKey)
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At(key), "is %d, which does not divide %s, %d", heads, widthKey, dim)
	}
	return heads
}

// Attention is the self-attention of the encoder or the decoder.
func (s Seq2Seq) Attention(b *build.Build, half string) nn.Attention {
	return nn.Attention{Dim: b.Size("d_model"), Heads: HeadCount(b, half+"_attention_heads", "d_model"),
		Bias: !s.NoBias, OutBias: !s.NoBias, NoKeyBias: s.NoKeyBias,
		Causal: half == DecoderPath, O: "out_proj"}
}

func selfAttend(b *build.Build, s Seq2Seq, x build.Node, half string, i int64) build.Node {
	if s.Attend != nil {
		return s.Attend(b, x, half, i)
	}
	return nn.Attend(b, x, "self_attn", s.Attention(b, half))
}

// unusedLook are the weights of attention to an encoder that is not there.
func unusedLook(b *build.Build, s Seq2Seq, x build.Node) {
	dim, memory := b.Size("d_model"), memoryDim(b, s)
	for _, t := range []struct {
		name  string
		bias  bool
		shape []int64
	}{{s.Cross + ".q_proj", !s.NoBias, []int64{dim, dim}}, {s.Cross + ".k_proj", !s.NoBias && !s.NoKeyBias,
		[]int64{dim, memory}},
		{s.Cross + ".v_proj", !s.NoBias, []int64{dim, memory}}, {s.Cross + ".out_proj", !s.NoBias, []int64{dim, dim}},
		{s.Cross + "_layer_norm", true, []int64{dim}}} {
		build.Unused(b, x, t.name+".weight", t.shape...)
		if t.bias {
			build.Unused(b, x, t.name+".bias", dim)
		}
	}
}

// crossAttend is one component where PyTorch has it whole.
func crossAttend(b *build.Build, s Seq2Seq, x, memory build.Node, i int64) build.Node {
	if s.Look != nil {
		return s.Look(b, x, memory, i)
	}
	a := s.Attention(b, DecoderPath)
	a.Causal, a.Memory, a.MemoryDim = false, memory, memoryDim(b, s)
	return CrossAttend(b, x, s.Cross, a)
}

func memoryDim(b *build.Build, s Seq2Seq) int64 {
	if s.Memory != "" {
		return b.SizeOr(s.Memory, b.Size("d_model"))
	}
	return b.Size("d_model")
}

// CrossAttend is attention to another sequence: one component where PyTorch has it whole, else its parts.
func CrossAttend(b *build.Build, x build.Node, name string, a nn.Attention) build.Node {
	a = a.Filled()
	if a.NoKeyBias || a.Bias != a.OutBias || a.KV != a.Heads || a.HeadDim*a.Heads != a.Dim || a.Norm != nn.NoNorm ||
		a.Rotary || a.Sinks != "" {
		return nn.Attend(b, x, name, a)
	}
	m := b.Scope("%s", name)
	n := m.Add("crossAttention", "", build.Args{build.Int("embedDim", a.Dim), build.Int("numHeads", a.Heads),
		build.Int("kvDim", a.MemoryDim), build.Flag("bias", a.Bias)}, x, a.Memory)
	nn.AttentionVariants(m, n, a)
	m.Weights(a.Q, a.Bias, a.Dim, a.Dim)
	m.Weights(a.K, a.Bias, a.Dim, a.MemoryDim)
	m.Weights(a.V, a.Bias, a.Dim, a.MemoryDim)
	m.Weights(a.O, a.Bias, a.Dim, a.Dim)
	return n
}

// Feed is the feed-forward network of a layer.
func Feed(b *build.Build, s Seq2Seq, x build.Node, half string, i int64) build.Node {
	if s.Feed != nil {
		return s.Feed(b, x, half, i)
	}
	return nn.DroppedMLP(b, x, b.Size("d_model"), b.Size(half+"_ffn_dim"))
}

// OffsetPositions is a table of positions whose first rows, two of them, are never read.
func OffsetPositions(b *build.Build, x build.Node, _ string) build.Node {
	return b.Positions(x, "embed_positions", b.Size("max_position_embeddings")+2, b.Size("d_model"))
}

// TablePositions is a trained table of positions.
func TablePositions(b *build.Build, x build.Node, _ string) build.Node {
	return b.Positions(x, "embed_positions", b.Size("max_position_embeddings"), b.Size("d_model"))
}

// FixedPositions is such a table of sines and cosines, which is not trained.
func FixedPositions(b *build.Build, x build.Node, half string) build.Node {
	x = TablePositions(b, x, half)
	b.As(x, transformers.FixedPositions{})
	return x
}

// Sinusoids adds fixed positions that are no weights, for texts of any length.
func Sinusoids(b *build.Build, x build.Node, dim int64) build.Node {
	return b.Add("positionalEncoding", "embed_positions",
		build.Args{build.Int("maxLen", maxSinusoids), build.Int("embedDim", dim)}, x)
}

// maxSinusoids is longer than any input: transformers makes the table as long as the input needs.
const maxSinusoids = 1 << 20

// SinusoidPositions adds fixed sinusoidal positions of d_model features.
func SinusoidPositions(b *build.Build, x build.Node, _ string) build.Node {
	return Sinusoids(b, x, b.Size("d_model"))
}

// HeldSinusoidPositions has a table of them in memory, for as many positions as the config names and two.
func HeldSinusoidPositions(b *build.Build, x build.Node, _ string) build.Node {
	dim := b.Size("d_model")
	b.Constant(x, "embed_positions", b.Size("max_position_embeddings")+2, dim)
	return Sinusoids(b, x, dim)
}
