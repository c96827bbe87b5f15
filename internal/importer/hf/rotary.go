package hf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// rotary is self-attention as most decoders have it: heads that share keys and values, rotary positions, no bias. The base of
// the angles is the class's own where the config names none.
func (b *Build) rotary(base float64) Attention {
	return Attention{Dim: b.Size("hidden_size"), Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(),
		Rotary: true, Causal: true, Base: b.baseOf("", base)}
}

// biased is the attention with a bias on all four maps, or on none.
func (a Attention) biased(yes bool) Attention {
	a.Bias, a.OutBias = yes, yes
	return a
}

// within is the attention with a window, 0 for none.
func (a Attention) within(window int64) Attention {
	a.Window = window
	return a
}

// baseOf is the base of the rotary angles of a kind of layer: some configs have one for each kind.
func (b *Build) baseOf(kind string, otherwise float64) float64 {
	if all, ok := b.value("rope_parameters").(map[string]any); ok {
		if own, ok := all[kind].(map[string]any); ok {
			if inner := (&Config{values: own, path: b.at("rope_parameters." + kind)}); inner.Has("rope_theta") {
				return inner.Float("rope_theta")
			}
		}
	}
	if base := b.RopeBase(); base > 0 {
		return base
	}
	return otherwise
}

// partly is attention of which only a share of each head turns with the position: as the config says for the kind of layer or for
// all, else as the class does. Angles come in pairs: where exact is false, transformers turns a feature more if it must.
func (b *Build) partly(a Attention, kind string, share float64, exact bool) Attention {
	const key = "partial_rotary_factor"
	all, _ := b.value("rope_parameters").(map[string]any)
	own, nested := all[kind].(map[string]any)
	for _, c := range []*Config{{values: own, path: b.at("rope_parameters." + kind)}, {values: all, path: b.at("rope_parameters")}, b.Config} {
		if c.Has(key) {
			share, nested = c.Float(key), false
			break
		}
	}
	if nested {
		share = 1
	}
	a.Turned = int64(float64(a.HeadDim) * min(max(share, 0), 1))
	if !exact {
		a.Turned += a.Turned % 2
	}
	a.Rotary = a.Rotary && a.Turned > 0
	return a
}

// kind is the entry of a layer in a list such as layer_types, or what the class would put there.
func (b *Build) kind(key string, i int64, otherwise string) string {
	if !b.Has(key) {
		return otherwise
	}
	kinds, count := b.list(key), b.Int("num_hidden_layers")
	_, checked := b.class.Fields["layer_types"] // transformers compares the lengths of these lists, where the class has the first
	if n := int64(len(kinds)); n < count || n > count && checked && strings.HasSuffix(key, "layer_types") {
		fail(CodeContradiction, b.at(key), "has %d entries but num_hidden_layers is %d", n, count)
	}
	kind, ok := kinds[i].(string)
	if !ok {
		fail(graph.CodeType, b.at(fmt.Sprintf("%s[%d]", key, i)), "is %s but takes a text", written(kinds[i]))
	}
	return kind
}

// either is one of two kinds.
func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

const (
	sliding = "sliding_attention"
	full    = "full_attention"
	sparse  = "sparse"
	dense   = "dense"
)

// windowOf is how far back a layer of a kind sees: sliding_window where it slides, else everything.
func (b *Build) windowOf(kind string) int64 {
	if kind != sliding {
		return 0
	}
	return b.Or("sliding_window", 0)
}

// mlp is the gated network of most decoders.
func (b *Build) mlp(x Node, bias bool) Node { return b.gated(x, "mlp", "intermediate_size", bias) }

// gated is a gated network whose width is a key of the config.
func (b *Build) gated(x Node, name, width string, bias bool) Node {
	return b.Gated(x, name, Gated{Dim: b.Size("hidden_size"), Hidden: b.Size(width), Bias: bias, Act: b.Str("hidden_act")})
}

// routed is a mixture of experts as most configs describe it. count names the number of experts, width that of one.
func (b *Build) routed(count, width string) Experts {
	return Experts{Dim: b.Size("hidden_size"), Count: b.Size(count), TopK: b.Size("num_experts_per_tok"), Hidden: b.Size(width)}
}

// localExperts names the key of the number of experts where the class calls it num_experts and its config num_local_experts.
func (b *Build) localExperts() string {
	if b.Has("num_local_experts") {
		return "num_local_experts"
	}
	return "num_experts"
}

// preNormed is PreNorm with another norm than RMSNorm.
func (b *Build) preNormed(x Node, norm func(x Node, name string) Node, attend, feed func(x Node) Node) Node {
	x = b.Residual(x, attend(norm(x, "input_layernorm")))
	return b.Residual(x, feed(norm(x, "post_attention_layernorm")))
}

// layerNormed is preNormed with layer norms that have a bias.
func (b *Build) layerNormed(x Node, attend, feed func(x Node) Node) Node {
	dim := b.Size("hidden_size")
	return b.preNormed(x, func(x Node, name string) Node { return b.LayerNorm(x, name, dim, true) }, attend, feed)
}

// lastLayerNorm is a last norm that is a layer norm with bias.
func lastLayerNorm(b *Build, x Node, name string, dim int64) Node {
	return b.LayerNorm(x, name, dim, true)
}

// layered is a decoder of which only the layer is special.
func layered(layer func(b *Build, x Node, i int64) Node) func(*Build) Decoder {
	return func(*Build) Decoder { return Decoder{Layer: layer} }
}

// The heads that transformers has for most decoders. The model below the last of them has an older name.
const (
	sequences  = "ForSequenceClassification"
	tokens     = "ForTokenClassification"
	answers    = "ForQuestionAnswering"
	oldAnswers = "ForQuestionAnswering of transformer"
)

// headed are the classes of a decoder: the language model, the bare model, and the heads that are named.
func headed(name string, d func(*Build) Decoder, heads ...string) map[string]func(*Build) {
	classes := map[string]func(*Build){
		name + "ForCausalLM": func(b *Build) { b.languageModel(d(b)) },
		name + "Model":       func(b *Build) { b.bareModel(d(b)) },
	}
	classify := func(head, prefix, layer string, count func(*Build) int64, bias bool) {
		classes[name+head] = func(b *Build) {
			spec := d(b)
			x, _ := b.trunk(spec, prefix)
			b.Output(b.Linear(x, layer, spec.filled(b).Dim, count(b), bias))
		}
	}
	two := func(*Build) int64 { return 2 } // where the answer starts and ends
	if slices.Contains(heads, sequences) {
		classify(sequences, "model", "score", (*Build).NumLabels, false)
	}
	if slices.Contains(heads, tokens) {
		classify(tokens, "model", "score", (*Build).NumLabels, true)
	}
	if slices.Contains(heads, answers) {
		classify(answers, "model", "qa_outputs", two, true)
	}
	if slices.Contains(heads, oldAnswers) {
		classify(answers, "transformer", "qa_outputs", two, true)
	}
	return classes
}
