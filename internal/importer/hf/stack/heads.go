package stack

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
)

// Head is a class that puts one linear layer on top of a decoder.
type Head struct {
	Class, Layer string
	Count        func(*build.Build) int64
	Bias         bool
}

// ScoreHead is the head of a class for whole texts.
func ScoreHead(class string) Head { return Head{class, "score", (*build.Build).NumLabels, false} }

// TokenHead is the head of a class for each token.
func TokenHead(class string) Head { return Head{class, "classifier", (*build.Build).NumLabels, true} }

// AnswerHead is the head of a class that finds where an answer starts and ends.
func AnswerHead(class string) Head {
	return Head{class, "qa_outputs", func(*build.Build) int64 { return 2 }, true}
}

// NamedClasses are the classes of a decoder under names of their own: the language model, the bare model, and those
// with a head.
func NamedClasses(lm, bare string, d func(*build.Build) Decoder, heads ...Head) map[string]func(*build.Build) {
	classes := map[string]func(*build.Build){
		lm:   func(b *build.Build) { CausalLM(b, d(b)) },
		bare: func(b *build.Build) { BareModel(b, d(b)) },
	}
	for _, h := range heads {
		classes[h.Class] = func(b *build.Build) {
			spec := d(b).Filled(b)
			x, _ := Trunk(b, spec, cmp.Or(spec.Prefix, "model"))
			b.Output(b.Linear(x, h.Layer, spec.Dim, h.Count(b), h.Bias))
		}
	}
	return classes
}

// GPTHeads are the three heads that most of the older decoders have.
func GPTHeads(name string) []Head {
	return []Head{ScoreHead(name + SequenceClassification), TokenHead(name + TokenClassification),
		AnswerHead(name + QuestionAnswering)}
}

// GPT is the shape of GPT-2 and what came after it: the module names, and layer norms everywhere.
func GPT(b *build.Build, layer func(b *build.Build, x build.Node, i int64) build.Node) Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return Decoder{Prefix: "transformer", Embed: "wte", Layers: "h", Norm: "ln_f", FinalNorm: LastLayerNorm,
		Layer: layer}
}

// ParallelResidual adds what attention and network give, side by side, to what both were given.
func ParallelResidual(b *build.Build, x, attended, fed build.Node) build.Node {
	return b.Add("add", "", nil, attended, fed, x)
}

// WavePositions adds fixed waves to each position, as many as a table of them has.
func WavePositions(b *build.Build, x build.Node, name string, count, dim int64) build.Node {
	return b.Add("positionalEncoding", name, build.Args{build.Int("embedDim", dim), build.Int("maxLen", count)}, x)
}

// BartLayer is a layer of BART's kind with its norms before each part, which may also attend to an encoder.
func BartLayer(b *build.Build, x build.Node, a nn.Attention, wide, act, drop string, memory build.Node) build.Node {
	norm := func(name string) build.Node { return b.LayerNorm(x, name, a.Dim, true) }
	a = a.Biased(true)
	a.O, a.Causal = "out_proj", true
	x = b.Residual(x, b.Drop(nn.Attend(b, norm("self_attn_layer_norm"), "self_attn", a), drop))
	if knows := b.Declares("add_cross_attention"); knows && b.Bool("add_cross_attention") {
		a.Memory, a.MemoryDim, a.Causal = memory, a.Dim, false
		x = b.Residual(x, b.Drop(nn.Attend(b, norm("encoder_attn_layer_norm"), "encoder_attn", a), drop))
	}
	y := b.Drop(b.Activation(b.Linear(norm("final_layer_norm"), "fc1", a.Dim, b.Size(wide), true), act),
		"activation_dropout")
	return b.Residual(x, b.Drop(b.Linear(y, "fc2", b.Size(wide), a.Dim, true), drop))
}

// LastLayerNorm is a last norm that is a layer norm with bias.
func LastLayerNorm(b *build.Build, x build.Node, name string, dim int64) build.Node {
	return b.LayerNorm(x, name, dim, true)
}

// Layered is a decoder of which only the layer is special.
func Layered(layer func(b *build.Build, x build.Node, i int64) build.Node) func(*build.Build) Decoder {
	return func(*build.Build) Decoder { return Decoder{Layer: layer} }
}

// The heads that transformers has for most decoders. The model below the last of them has an older name.
const (
	SequenceClassification = "ForSequenceClassification"
	TokenClassification    = "ForTokenClassification"
	QuestionAnswering      = "ForQuestionAnswering"
	OldQuestionAnswering   = "ForQuestionAnswering of transformer"
)

// HeadedClasses are the classes of a decoder: the language model, the bare model, and the heads that are named.
func HeadedClasses(name string, d func(*build.Build) Decoder, heads ...string) map[string]func(*build.Build) {
	classes := map[string]func(*build.Build){
		name + "ForCausalLM": func(b *build.Build) { CausalLM(b, d(b)) },
		name + "Model":       func(b *build.Build) { BareModel(b, d(b)) },
	}
	classify := func(head, prefix, layer string, count func(*build.Build) int64, bias bool) {
		classes[name+head] = func(b *build.Build) {
			spec := d(b)
			x, _ := Trunk(b, spec, prefix)
			b.Output(b.Linear(x, layer, spec.Filled(b).Dim, count(b), bias))
		}
	}
	two := func(*build.Build) int64 { return 2 } // where the answer starts and ends
	if slices.Contains(heads, SequenceClassification) {
		classify(SequenceClassification, "model", "score", (*build.Build).NumLabels, false)
	}
	if slices.Contains(heads, TokenClassification) {
		classify(TokenClassification, "model", "score", (*build.Build).NumLabels, true)
	}
	if slices.Contains(heads, QuestionAnswering) {
		classify(QuestionAnswering, "model", "qa_outputs", two, true)
	}
	if slices.Contains(heads, OldQuestionAnswering) {
		classify(QuestionAnswering, "transformer", "qa_outputs", two, true)
	}
	return classes
}
