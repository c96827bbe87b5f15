// Package stack has whole models of equal layers, between their embedding and the heads that transformers puts on
// them: decoders, encoders, both together, and language models that read something else beside text. A family says
// what is special about its own.
package stack

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
)

// Decoder is a causal language model of equal layers: most of them differ only in the layer.
type Decoder struct {
	Prefix   string // model path, "model" where empty
	Embed    string // embed_tokens where empty
	Layers   string // layers where empty
	Norm     string // of the last norm: norm where empty
	Head     string // lm_head where empty
	Count    int64  // of layers; num_hidden_layers where 0
	Dim      int64  // hidden_size where 0
	HeadBias bool
	// the head has a weight of its own whatever tie_word_embeddings says
	Untied bool
	// where the input is left, for a model that looks it up once more
	Tokens      *build.Node
	Embedded    func(b *build.Build, x build.Node) build.Node // what follows the token embedding: positions, a norm
	Layer       func(b *build.Build, x build.Node, i int64) build.Node
	FinalNorm   func(b *build.Build, x build.Node, name string, dim int64) build.Node // RMSNorm where nil
	NoFinalNorm bool
	Last        func(b *build.Build, x build.Node) build.Node // what follows the last layer and its norm
}

// DecoderClasses are the classes of a decoder: the language model, the bare model without its head, and a classifier
// of whole texts.
func DecoderClasses(name string, d func(b *build.Build) Decoder) map[string]func(*build.Build) {
	return map[string]func(*build.Build){
		name + "ForCausalLM": func(b *build.Build) { CausalLM(b, d(b)) },
		name + "Model":       func(b *build.Build) { BareModel(b, d(b)) },
		name + "ForSequenceClassification": func(b *build.Build) {
			spec := d(b).Filled(b)
			x, _ := Trunk(b, spec, cmp.Or(spec.Prefix, "model"))
			b.Output(b.Linear(x, "score", spec.Dim, b.NumLabels(), false))
		},
	}
}

// Filled puts the defaults in the place of what is left out.
func (d Decoder) Filled(b *build.Build) Decoder {
	d.Embed, d.Layers, d.Norm, d.Head = cmp.Or(d.Embed, "embed_tokens"), cmp.Or(d.Layers, "layers"),
		cmp.Or(d.Norm, "norm"), cmp.Or(d.Head, "lm_head")
	if d.Dim == 0 {
		d.Dim = b.Size("hidden_size")
	}
	if d.Count == 0 {
		d.Count = b.Int("num_hidden_layers")
	}
	return d
}

// CausalLM adds the model and its head, whose weight is that of the embedding when they are tied.
func CausalLM(b *build.Build, d Decoder) {
	x, embedding := Trunk(b, d, cmp.Or(d.Prefix, "model"))
	d = d.Filled(b)
	b.Output(LMHead(b, x, d.Head, d.Dim, b.Size("vocab_size"), d.HeadBias, embedding, b.Bool("tie_word_embeddings") &&
		!d.Untied))
}

// BareModel adds the model without a head.
func BareModel(b *build.Build, d Decoder) {
	x, _ := Trunk(b, d, "")
	b.Output(x)
}

// Trunk adds everything but the head. It returns the embedding, too, which a head may be tied to.
func Trunk(b *build.Build, d Decoder, prefix string) (x, embedding build.Node) {
	d = d.Filled(b)
	m := b.Scope("%s", prefix)
	ids := b.Tokens("input_ids", b.MaxPositions())
	if d.Tokens != nil {
		*d.Tokens = ids
	}
	embedding = m.Embedding(ids, d.Embed, b.Size("vocab_size"), d.Dim)
	x = m.MixIn(embedding)
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
func LMHead(b *build.Build, x build.Node, name string, dim, vocab int64, bias bool, embedding build.Node,
	tied bool) build.Node {
	args := build.Args{build.Int("embedDim", dim), build.Int("vocabSize", vocab)}
	if bias {
		args = append(args, build.Flag("bias", true))
	}
	if tied {
		args = append(args, build.Text("tiedTo", b.ID(embedding)))
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
