package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "perceiver", Default: "PerceiverForMaskedLM",
	Classes: map[string]func(*Build){
		"PerceiverForMaskedLM":                   perceiverText,
		"PerceiverForImageClassificationLearned": perceiverImage,
	}})

// Perceive is a layer in which some vectors look at others, or at themselves, behind norms.
type Perceive struct {
	Queries, Keys   int64 // widths of the vectors that look and of those looked at
	Scores, Values  int64 // widths of all heads together; 0: as the class derives them
	Heads, Widening int64
	Cross           bool // they look at others
	Residual        bool // and keep what they were
}

func (p Perceive) filled(b *Build) Perceive {
	if p.Scores == 0 {
		p.Scores = p.Queries
		if p.Cross {
			switch kind := b.Str("cross_attention_shape_for_attention"); kind {
			case "kv":
				p.Scores = p.Keys
			case "q":
			default:
				config.Fail(config.CodeConfig, b.At("cross_attention_shape_for_attention"), "is %q but takes q or kv",
					kind)
			}
		}
	}
	if p.Values == 0 {
		p.Values = p.Scores
	}
	for _, n := range []int64{p.Scores, p.Values} {
		if n%p.Heads != 0 {
			config.Fail(config.CodeContradiction, b.PathOf(""), "%d channels cannot be split into %d heads", n, p.Heads)
		}
	}
	return p
}

// perceive adds such a layer.
func perceive(b *Build, x, memory Node, p Perceive) Node {
	p = p.filled(b)
	m := b.Scope("attention.self")
	y := m.LayerNorm(x, "layernorm1", p.Queries, true)
	if p.Cross {
		memory = m.LayerNorm(memory, "layernorm2", p.Keys, true)
	} else {
		memory = y
	}
	q, k, v := m.Linear(y, "query", p.Queries, p.Scores, true), m.Linear(memory, "key", p.Keys, p.Scores, true),
		m.Linear(memory, "value", p.Keys, p.Values, true)
	out := p.Values
	if p.Cross {
		out = p.Queries
	}
	y = b.Linear(m.Core(q, k, v, p.Heads, p.Heads, false), "attention.output.dense", p.Values, out, true)
	if p.Residual {
		y = b.Residual(y, x)
	}
	z := b.LayerNorm(y, "layernorm", p.Queries, true)
	return b.Residual(y, nn.MLP(b.Scope("mlp"), z, "dense1", "dense2", p.Queries, p.Widening*p.Queries, true,
		"hidden_act"))
}

// perceiver lets a few trained vectors look at an input of a width, and then at each other, again and again.
func perceiver(b *Build, input Node, width int64) Node {
	dim := b.Size("d_latents")
	for _, key := range []string{"num_self_attention_heads", "num_cross_attention_heads"} {
		if heads := b.Size(key); dim%heads != 0 {
			config.Fail(config.CodeContradiction, b.At(key), "is %d, which does not divide d_latents, %d", heads, dim)
		}
	}
	x := b.Param(input, "embeddings.latents", b.Size("num_latents"), dim)
	p := Perceive{Queries: dim, Keys: width, Scores: b.SizeOr("qk_channels", 0), Values: b.SizeOr("v_channels", 0)}
	cross, self := p, p
	cross.Cross, cross.Residual, cross.Heads, cross.Widening = true, b.Bool("use_query_residual"),
		b.Size("num_cross_attention_heads"), b.Size("cross_attention_widening_factor")
	self.Keys, self.Residual, self.Heads, self.Widening = dim, true, b.Size("num_self_attention_heads"),
		b.Size("self_attention_widening_factor")
	x = perceive(b.Scope("encoder.cross_attention"), x, input, cross)
	for block := range b.Int("num_blocks") {
		for i := range b.Int("num_self_attends_per_block") {
			m := b.Scope("encoder.self_attends.%d", i)
			if block > 0 {
				m = m.Again()
			}
			x = perceive(m, x, x, self)
		}
	}
	return x
}

// perceiverText answers for every position that a text may have, however long it is.
func perceiverText(b *Build) {
	const heads, scores = 8, 8 * 32 // of the decoder; the class leaves no choice
	m, dim, rows, vocab := b.Scope("perceiver"), b.Size("d_model"), b.Size("max_position_embeddings"),
		b.Size("vocab_size")
	table := m.Embedding(b.Tokens("inputs", rows), "input_preprocessor.embeddings", vocab, dim)
	x := perceiver(m, m.Positions(table, "input_preprocessor.position_embeddings", rows, dim), dim)
	query := m.Param(x, "decoder.output_position_encodings.position_embeddings", rows, dim)
	x = perceive(m.Scope("decoder.decoding_cross_attention"), query, x,
		Perceive{Queries: dim, Keys: b.Size("d_latents"), Scores: scores, Values: dim,
			Heads: heads, Widening: 1, Cross: true})
	n := b.Add("lmHead", "embedding_decoder",
		Args{build.Int("embedDim", dim), build.Int("vocabSize", vocab), build.Flag("bias", true),
			build.Text("tiedTo", b.ID(table))}, x)
	b.Tensor("embedding_decoder.bias", vocab)
	b.Output(n)
}

// perceiverImage puts a trained position beside each pixel.
func perceiverImage(b *Build) {
	const channels, width = 3, 256 // of an image, and of a pixel and a position; the class leaves no choice
	p, side, dim := b.Scope("perceiver.input_preprocessor"), b.Size("image_size"), b.Size("d_latents")
	x := p.Add("conv2d", "convnet_1x1", Args{build.Int("inChannels", channels), build.Int("outChannels", width),
		build.Int("kernelSize", 1)}, b.Input("inputs", channels, side, side))
	p.Weights("convnet_1x1", true, width, channels, 1, 1)
	x = p.Add("reshape", "", Args{build.Ints("shape", side*side, width)},
		p.Add("permute", "", Args{build.Ints("dims", 0, 2, 3, 1)}, x))
	places := p.Linear(p.Param(x, "position_embeddings.position_embeddings", side*side, width), "positions_projection",
		width, width, true)
	x = perceiver(b.Scope("perceiver"), p.Add("concatenate", "", Args{build.Int("dim", -1)}, x, places), 2*width)
	d := b.Scope("perceiver.decoder.decoder")
	query := d.Param(x, "output_position_encodings.position_embeddings", 1, dim)
	x = perceive(d.Scope("decoding_cross_attention"), query, x,
		Perceive{Queries: dim, Keys: dim, Heads: 1, Widening: 1, Cross: true, Residual: true})
	b.Output(stack.FirstPosition(d, d.Linear(x, "final_layer", dim, b.NumLabels(), true), ""))
}
