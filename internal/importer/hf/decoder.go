package hf

// Decoder is a causal language model of equal layers: most of them differ only in the layer.
type Decoder struct {
	Prefix      string // model path, "model" where empty
	Embed       string // embed_tokens where empty
	Layers      string // layers where empty
	Norm        string // of the last norm: norm where empty
	Head        string // lm_head where empty
	Count       int64  // of layers; num_hidden_layers where 0
	Dim         int64  // hidden_size where 0
	HeadBias    bool
	Untied      bool                        // the head has a weight of its own whatever tie_word_embeddings says
	Tokens      *Node                       // where the input is left, for a model that looks it up once more
	Embedded    func(b *Build, x Node) Node // what follows the token embedding: positions, a norm
	Layer       func(b *Build, x Node, i int64) Node
	FinalNorm   func(b *Build, x Node, name string, dim int64) Node // RMSNorm where nil
	NoFinalNorm bool
	Last        func(b *Build, x Node) Node // what follows the last layer and its norm
}

// decoders are the classes of a decoder: the language model, the bare model without its head, and a classifier of whole texts.
func decoders(name string, d func(b *Build) Decoder) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForCausalLM": func(b *Build) { b.languageModel(d(b)) },
		name + "Model":       func(b *Build) { b.bareModel(d(b)) },
		name + "ForSequenceClassification": func(b *Build) {
			spec := d(b).filled(b)
			x, _ := b.trunk(spec, or(spec.Prefix, "model"))
			b.Output(b.Linear(x, "score", spec.Dim, b.NumLabels(), false))
		},
	}
}

func (d Decoder) filled(b *Build) Decoder {
	d.Embed, d.Layers, d.Norm, d.Head = or(d.Embed, "embed_tokens"), or(d.Layers, "layers"), or(d.Norm, "norm"), or(d.Head, "lm_head")
	if d.Dim == 0 {
		d.Dim = b.Size("hidden_size")
	}
	if d.Count == 0 {
		d.Count = b.Int("num_hidden_layers")
	}
	return d
}

// languageModel adds the model and its head, whose weight is that of the embedding when they are tied.
func (b *Build) languageModel(d Decoder) {
	x, embedding := b.trunk(d, or(d.Prefix, "model"))
	d = d.filled(b)
	b.Output(b.LMHead(x, d.Head, d.Dim, b.Size("vocab_size"), d.HeadBias, embedding, b.Bool("tie_word_embeddings") && !d.Untied))
}

func (b *Build) bareModel(d Decoder) {
	x, _ := b.trunk(d, "")
	b.Output(x)
}

// trunk adds everything but the head. It returns the embedding, too, which a head may be tied to.
func (b *Build) trunk(d Decoder, prefix string) (x, embedding Node) {
	d = d.filled(b)
	m := b.Scope("%s", prefix)
	ids := b.Tokens("input_ids", b.MaxPositions())
	if d.Tokens != nil {
		*d.Tokens = ids
	}
	embedding = m.Embedding(ids, d.Embed, b.Size("vocab_size"), d.Dim)
	x = m.mixIn(embedding)
	if d.Embedded != nil {
		x = d.Embedded(m, x)
	}
	for i := range d.Count {
		x = d.Layer(m.Scope("%s.%d", d.Layers, i), x, i)
	}
	switch {
	case d.NoFinalNorm:
	case d.FinalNorm != nil:
		x = d.FinalNorm(m, x, d.Norm, d.Dim)
	default:
		x = m.RMSNorm(x, d.Norm, d.Dim)
	}
	if d.Last != nil {
		x = d.Last(m, x)
	}
	return x, embedding
}

// LMHead adds the logits. A tied head has the weight of the embedding, and only its bias is its own.
func (b *Build) LMHead(x Node, name string, dim, vocab int64, bias bool, embedding Node, tied bool) Node {
	args := Args{Int("embedDim", dim), Int("vocabSize", vocab)}
	if bias {
		args = append(args, Flag("bias", true))
	}
	if tied {
		args = append(args, Text("tiedTo", b.ID(embedding)))
	}
	n := b.Add("lmHead", name, args, x)
	if !tied {
		b.Tensor(name+".weight", vocab, dim)
	}
	if bias {
		b.Tensor(name+".bias", vocab)
	}
	return n
}

// MaxPositions is the longest text that the config allows, 0 where it names none.
func (b *Build) MaxPositions() int64 {
	for _, key := range []string{"max_position_embeddings", "n_positions", "max_seq_len", "n_ctx", "max_sequence_length"} {
		if b.Has(key) {
			if n := b.Int(key); n > 0 {
				return n
			}
		}
	}
	return 0
}

// NumLabels is the number of classes: num_labels, else as many as id2label has; transformers' default is 2. It makes new labels
// where the two differ. A head for no classes is not modelled: some classes leave the head out then, and others keep it.
func (b *Build) NumLabels() int64 {
	n := b.Or("num_labels", 2) // a few classes declare another default
	if labels, named := b.values["id2label"].(map[string]any); named && !b.Given("num_labels") {
		n = int64(len(labels))
	} else if named && int64(len(labels)) != n {
		b.Note("%s is %d but id2label has %d: num_labels counts", b.at("num_labels"), n, len(labels))
	}
	if n < 1 {
		fail(CodeArchitecture, b.at("num_labels"), "is %d: a head for no classes is not modelled", n)
	}
	return n
}

// RopeBase is what the wavelengths of rotary positions are powers of, in the old spelling or the new.
func (b *Build) RopeBase() float64 {
	for _, key := range []string{"rope_parameters", "rope_scaling"} {
		if m, ok := b.value(key).(map[string]any); ok {
			if inner := (&Config{values: m, path: b.at(key)}); inner.Has("rope_theta") {
				return inner.Float("rope_theta")
			}
		}
	}
	for _, key := range []string{"rope_theta", "rotary_emb_base", "default_theta"} {
		if b.Has(key) {
			return b.Float(key)
		}
	}
	return 0
}

// PreNorm is the layer of most decoders: attention and a feed-forward network, each behind a norm and added to what came in.
func (b *Build) PreNorm(x Node, dim int64, attend, feed func(x Node) Node) Node {
	x = b.Residual(x, attend(b.RMSNorm(x, "input_layernorm", dim)))
	return b.Residual(x, feed(b.RMSNorm(x, "post_attention_layernorm", dim)))
}

// HeadDim is head_dim, or what is left of hidden_size for each head.
func (b *Build) HeadDim() int64 {
	if b.Has("head_dim") {
		return b.Size("head_dim")
	}
	b.refuseNull("head_dim")
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if dim < heads {
		fail(CodeContradiction, b.at("hidden_size"), "is %d, less than num_attention_heads, %d: a head would have no features", dim, heads)
	}
	return dim / heads
}

// KVHeads is num_key_value_heads, or as many as there are heads.
func (b *Build) KVHeads() int64 {
	return b.SizeOr("num_key_value_heads", b.Size("num_attention_heads"))
}
