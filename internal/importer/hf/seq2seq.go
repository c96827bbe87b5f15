package hf

// Seq2Seq is an encoder and a decoder of BART's kind. Its relatives differ in where the norms stand, in the positions, and in
// a part or two that they replace.
type Seq2Seq struct {
	Root      string // path of the model below its head: model where empty
	Head      string // lm_head where empty
	Pre       bool   // a norm stands ahead of each branch instead of behind the sum
	EmbedNorm bool   // one, layernorm_embedding, follows the embedding
	LastNorm  bool   // one, layer_norm, follows the last layer
	Last      string // another name of that one
	Memory    string // key of the width of what the decoder looks at, where that is not its own
	NoBias    bool   // the maps of attention have none
	NoKeyBias bool   // only that of the keys has none: Whisper
	OwnTables bool   // no table is shared by encoder and decoder
	Untied    bool   // the head of the decoder alone is never tied: BigBird-Pegasus
	Alone     bool   // there is no encoder: what the decoder would look at it with is there, and is not used
	MaxInput  string // keys of the longest texts: max_position_embeddings where empty
	MaxTarget string
	Vocab     string // keys of the vocabularies: vocab_size where empty
	Target    string
	Rows      string // key of the rows of the decoder's table where it is not the shared one, though the class can share it: Marian
	Shared    string // name of the table that encoder and decoder share: shared where empty
	Cross     string // encoder_attn where empty
	FeedNorm  string // final_layer_norm where empty

	Layer     func(b *Build, x Node, i int64) Node              // a layer of the encoder, where all of it is another
	Encoded   func(b *Build, x Node) Node                       // what follows the layers of the encoder, ahead of the last norm
	Source    func(b *Build) Node                               // what stands in for the encoder's tokens, in the encoder's place
	Positions func(b *Build, x Node, half string) Node          // added to the embedding
	Attend    func(b *Build, x Node, half string, i int64) Node // self-attention, where it is not the usual one
	Look      func(b *Build, x, memory Node, i int64) Node      // attention of the decoder to the encoder, likewise
	Feed      func(b *Build, x Node, half string, i int64) Node // the feed-forward network of a layer, likewise
}

const (
	encoder = "encoder"
	decoder = "decoder"
)

func (s Seq2Seq) filled() Seq2Seq {
	s.Root, s.Head, s.Cross, s.FeedNorm = or(s.Root, "model"), or(s.Head, "lm_head"), or(s.Cross, "encoder_attn"), or(s.FeedNorm, "final_layer_norm")
	s.Shared, s.Vocab = or(s.Shared, "shared"), or(s.Vocab, "vocab_size")
	s.MaxInput, s.MaxTarget = or(s.MaxInput, "max_position_embeddings"), or(s.MaxTarget, "max_position_embeddings")
	return s
}

// seq2seq are the classes that most of them have.
func seq2seq(name string, spec func(b *Build) Seq2Seq) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForConditionalGeneration": func(b *Build) { b.translator(spec(b)) },
		name + "ForCausalLM":              func(b *Build) { b.decoderAlone(spec(b)) },
		name + "Model": func(b *Build) {
			x, _ := b.bothHalves(spec(b), "")
			b.Output(x)
		},
	}
}

// seq2seqHeads adds the classes that read an answer or a label from the decoder.
func seq2seqHeads(name string, spec func(b *Build) Seq2Seq) map[string]func(*Build) {
	classes := seq2seq(name, spec)
	classes[name+"ForQuestionAnswering"] = func(b *Build) {
		x, _ := b.bothHalves(spec(b), spec(b).filled().Root)
		b.Output(b.Linear(x, "qa_outputs", b.Size("d_model"), 2, true))
	}
	classes[name+"ForSequenceClassification"] = func(b *Build) {
		x, _ := b.bothHalves(spec(b), spec(b).filled().Root)
		b.Output(b.classificationHead(x, b.Size("d_model"), b.labels(3)))
	}
	return classes
}

// labels is the number of classes of a configuration class with a default of its own.
func (b *Build) labels(otherwise int64) int64 {
	if b.Given("num_labels") || b.Given("id2label") {
		return b.NumLabels()
	}
	return otherwise
}

// classificationHead reads the last position, where the end token of the text stands.
func (b *Build) classificationHead(x Node, dim, labels int64) Node {
	m := b.Scope("classification_head")
	x = m.Add("select", "", Args{Int("dim", 1), Int("index", -1)}, x)
	x = m.Add("tanh", "", nil, m.Linear(x, "dense", dim, dim, true))
	return m.Linear(x, "out_proj", dim, labels, true)
}

// tied says whether the head has the weight of the embedding, which is the default of the class where the key is missing.
func (b *Build) tied() bool { return !b.Has("tie_word_embeddings") || b.Bool("tie_word_embeddings") }

// translator is the model with the head that writes the text.
func (b *Build) translator(s Seq2Seq) {
	s = s.filled()
	x, table := b.bothHalves(s, s.Root)
	_, vocab := b.vocabularies(s)
	b.Output(b.LMHead(x, s.Head, b.Size("d_model"), vocab, false, table, b.tied()))
}

// decoderAlone is the decoder as a language model. Its attention to an encoder has weights, which nothing reads where there is no encoder.
func (b *Build) decoderAlone(s Seq2Seq) {
	s = s.filled()
	s.OwnTables, s.Alone = true, true
	dim, m := b.Size("d_model"), b.Scope("%s", s.Root)
	_, vocab := b.vocabularies(s)
	table := m.Scope(decoder).Embedding(b.Tokens("input_ids", b.Int(s.MaxTarget)), "embed_tokens", vocab, dim)
	x, tied := m.decode(s, table, 0), b.tied() && !s.Untied
	if !tied {
		vocab = b.Size("vocab_size") // of a head of its own, even where the decoder's tokens are others: Marian
	}
	b.Output(b.LMHead(x, s.Head, dim, vocab, false, table, tied))
}

// vocabularies are the sizes of the encoder's and of the decoder's.
func (b *Build) vocabularies(s Seq2Seq) (source, target int64) {
	source = b.Size(s.Vocab)
	if target = source; s.Target != "" && b.Or(s.Target, 0) > 0 {
		target = b.Size(s.Target)
	}
	return source, target
}

// bothHalves adds the model without its head. It returns the table, too, that the head may be tied to.
func (b *Build) bothHalves(s Seq2Seq, root string) (x, table Node) {
	s = s.filled()
	dim, m := b.Size("d_model"), b.Scope("%s", root)
	source, target := b.vocabularies(s)
	var memory, first Node
	if s.Source != nil {
		memory = s.Source(m.Scope(encoder))
	} else {
		tokens := b.Tokens("input_ids", b.Int(s.MaxInput))
		if !s.OwnTables {
			first = m.Embedding(tokens, s.Shared, target, dim)
		}
		if memory = first; s.OwnTables || !b.tied() {
			memory = m.Scope(encoder).Embedding(tokens, "embed_tokens", source, dim)
		}
	}
	memory = m.encode(s, memory)
	tokens := b.Tokens("decoder_input_ids", b.Int(s.MaxTarget))
	if s.OwnTables || !b.tied() {
		if s.Rows != "" && b.Or(s.Rows, 0) > 0 {
			target = b.Size(s.Rows)
		}
		x = m.Scope(decoder).Embedding(tokens, "embed_tokens", target, dim)
		return m.decode(s, x, memory), x
	}
	return m.decode(s, m.Again().Embedding(tokens, s.Shared, target, dim), memory), first
}

// encode runs an embedded text through the encoder.
func (b *Build) encode(s Seq2Seq, x Node) Node { return b.Scope(encoder).encodeHere(s, x) }

// encodeHere is encode in the encoder's own place.
func (b *Build) encodeHere(s Seq2Seq, x Node) Node {
	return b.half(s, encoder, x, func(m *Build, x Node, i int64) Node {
		if s.Layer != nil {
			return s.Layer(m, x, i)
		}
		x = m.branch(s, x, "self_attn_layer_norm", func(x Node) Node { return m.selfAttend(s, x, encoder, i) })
		return m.branch(s, x, s.FeedNorm, func(x Node) Node { return m.feed(s, x, encoder, i) })
	})
}

// decode runs an embedded text through the decoder, which looks at what the encoder gave.
func (b *Build) decode(s Seq2Seq, x, memory Node) Node {
	return b.Scope(decoder).decodeHere(s, x, memory)
}

// decodeHere is decode in the decoder's own place.
func (b *Build) decodeHere(s Seq2Seq, x, memory Node) Node {
	return b.half(s, decoder, x, func(m *Build, x Node, i int64) Node {
		x = m.branch(s, x, "self_attn_layer_norm", func(x Node) Node { return m.selfAttend(s, x, decoder, i) })
		if s.Alone {
			m.unusedLook(s, x)
		} else {
			x = m.branch(s, x, s.Cross+"_layer_norm", func(x Node) Node { return m.crossAttend(s, x, memory, i) })
		}
		return m.branch(s, x, s.FeedNorm, func(x Node) Node { return m.feed(s, x, decoder, i) })
	})
}

// half is positions, norms and layers.
func (b *Build) half(s Seq2Seq, name string, x Node, layer func(m *Build, x Node, i int64) Node) Node {
	dim := b.Size("d_model")
	if s.Positions != nil {
		x = s.Positions(b, x, name)
	}
	if s.EmbedNorm {
		x = b.LayerNorm(x, "layernorm_embedding", dim, true)
	}
	x = b.drop(x, "dropout")
	for i := range b.Int(name + "_layers") {
		x = layer(b.Scope("layers.%d", i), x, i)
	}
	if s.Encoded != nil && name == encoder {
		x = s.Encoded(b, x)
	}
	if s.LastNorm || s.Last != "" {
		x = b.LayerNorm(x, or(s.Last, "layer_norm"), dim, true)
	}
	return x
}

// branch adds a part of a layer to what it was given, with its norm on one side or the other.
func (b *Build) branch(s Seq2Seq, x Node, norm string, part func(x Node) Node) Node {
	dim := b.Size("d_model")
	if s.Pre {
		return b.Residual(x, b.drop(part(b.LayerNorm(x, norm, dim, true)), "dropout"))
	}
	return b.LayerNorm(b.Residual(x, b.drop(part(x), "dropout")), norm, dim, true)
}

// heads reads a number of heads that must divide the width.
func (b *Build) heads(key, widthKey string) int64 {
	heads, dim := b.Size(key), b.Size(widthKey)
	if dim%heads != 0 {
		fail(CodeContradiction, b.at(key), "is %d, which does not divide %s, %d", heads, widthKey, dim)
	}
	return heads
}

func (s Seq2Seq) attention(b *Build, half string) Attention {
	return Attention{Dim: b.Size("d_model"), Heads: b.heads(half+"_attention_heads", "d_model"), Bias: !s.NoBias, OutBias: !s.NoBias, NoKeyBias: s.NoKeyBias,
		Causal: half == decoder, O: "out_proj"}
}

func (b *Build) selfAttend(s Seq2Seq, x Node, half string, i int64) Node {
	if s.Attend != nil {
		return s.Attend(b, x, half, i)
	}
	return b.Attend(x, "self_attn", s.attention(b, half))
}

// unusedLook are the weights of attention to an encoder that is not there.
func (b *Build) unusedLook(s Seq2Seq, x Node) {
	dim, memory := b.Size("d_model"), b.memoryDim(s)
	for _, t := range []struct {
		name  string
		bias  bool
		shape []int64
	}{{s.Cross + ".q_proj", !s.NoBias, []int64{dim, dim}}, {s.Cross + ".k_proj", !s.NoBias && !s.NoKeyBias, []int64{dim, memory}},
		{s.Cross + ".v_proj", !s.NoBias, []int64{dim, memory}}, {s.Cross + ".out_proj", !s.NoBias, []int64{dim, dim}}, {s.Cross + "_layer_norm", true, []int64{dim}}} {
		b.Unused(x, t.name+".weight", t.shape...)
		if t.bias {
			b.Unused(x, t.name+".bias", dim)
		}
	}
}

// crossAttend is one component where PyTorch has it whole.
func (b *Build) crossAttend(s Seq2Seq, x, memory Node, i int64) Node {
	if s.Look != nil {
		return s.Look(b, x, memory, i)
	}
	a := s.attention(b, decoder)
	a.Causal, a.Memory, a.MemoryDim = false, memory, b.memoryDim(s)
	return b.CrossAttend(x, s.Cross, a)
}

func (b *Build) memoryDim(s Seq2Seq) int64 {
	if s.Memory != "" {
		return b.SizeOr(s.Memory, b.Size("d_model"))
	}
	return b.Size("d_model")
}

// CrossAttend is attention to another sequence: one component where PyTorch has it whole, else its parts.
func (b *Build) CrossAttend(x Node, name string, a Attention) Node {
	a = a.filled()
	if a.NoKeyBias || a.Bias != a.OutBias || a.KV != a.Heads || a.HeadDim*a.Heads != a.Dim || a.Norm != NoNorm || a.Rotary || a.Sinks != "" {
		return b.Attend(x, name, a)
	}
	m := b.Scope("%s", name)
	n := m.Add("crossAttention", "", Args{Int("embedDim", a.Dim), Int("numHeads", a.Heads), Int("kvDim", a.MemoryDim), Flag("bias", a.Bias)}, x, a.Memory)
	m.attentionWays(n, a)
	m.weights(a.Q, a.Bias, a.Dim, a.Dim)
	m.weights(a.K, a.Bias, a.Dim, a.MemoryDim)
	m.weights(a.V, a.Bias, a.Dim, a.MemoryDim)
	m.weights(a.O, a.Bias, a.Dim, a.Dim)
	return n
}

func (b *Build) feed(s Seq2Seq, x Node, half string, i int64) Node {
	if s.Feed != nil {
		return s.Feed(b, x, half, i)
	}
	return b.droppedMLP(x, b.Size("d_model"), b.Size(half+"_ffn_dim"))
}

// offsetPositions is a table of positions whose first rows, two of them, are never read.
func offsetPositions(b *Build, x Node, _ string) Node {
	return b.Positions(x, "embed_positions", b.Size("max_position_embeddings")+2, b.Size("d_model"))
}

// tablePositions is a trained table of positions.
func tablePositions(b *Build, x Node, _ string) Node {
	return b.Positions(x, "embed_positions", b.Size("max_position_embeddings"), b.Size("d_model"))
}

// fixedPositions is such a table of sines and cosines, which is not trained.
func fixedPositions(b *Build, x Node, half string) Node {
	x = tablePositions(b, x, half)
	b.way(x, "frozen")
	return x
}

// Sinusoids adds fixed positions that are no weights, for texts of any length.
func (b *Build) Sinusoids(x Node, dim int64) Node {
	return b.Add("positionalEncoding", "embed_positions", Args{Int("maxLen", maxSinusoids), Int("embedDim", dim)}, x)
}

// maxSinusoids is longer than any input: transformers makes the table as long as the input needs.
const maxSinusoids = 1 << 20

func sinusoids(b *Build, x Node, _ string) Node { return b.Sinusoids(x, b.Size("d_model")) }

// heldSinusoids has a table of them in memory, for as many positions as the config names and two.
func heldSinusoids(b *Build, x Node, _ string) Node {
	dim := b.Size("d_model")
	b.Constant(x, "embed_positions", b.Size("max_position_embeddings")+2, dim)
	return b.Sinusoids(x, dim)
}
