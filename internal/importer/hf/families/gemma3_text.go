package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma3_text", Default: "Gemma3ForCausalLM", Classes: map[string]func(*Build){
	"Gemma3ForCausalLM": func(b *Build) { stack.CausalLM(b, gemma3Text(b)) },
	"Gemma3TextModel":   func(b *Build) { stack.BareModel(b, gemma3Text(b)) },
	"Gemma3TextForSequenceClassification": func(b *Build) {
		d := gemma3Text(b)
		x, _ := stack.Trunk(b, d, "model")
		b.Output(b.Linear(x, "score", b.Size("hidden_size"), b.NumLabels(), false))
	},
}})

// gemma3Text is Gemma 2 with normalised queries and keys; five of six layers see only a window, and their angles have
// a base of their own.
func gemma3Text(b *Build) stack.Decoder {
	b.Divides("hidden_size", "num_attention_heads")
	return stack.Layered(func(b *Build, x Node, i int64) Node {
		return gemmaSandwich(b, x, gemmaNorms, func(a *nn.Attention) {
			a.Norm, a.Causal = nn.HeadRMS, !b.Bool("use_bidirectional_attention")
			a.Base = ropeOf(b, "full_attention", "rope_theta", 1_000_000)
			if nn.SlidesEvery(b, i, "sliding_window_pattern", 6) {
				a.Base = ropeOf(b, "sliding_attention", "rope_local_base_freq", 10_000)
				a.Window = nn.WindowOf(b, nn.SlidingAttention)
				if !a.Causal && a.Window > 0 {
					a.Window = a.Window/2 + 1
				}
			}
		})
	})(b)
}

// ropeOf is the base of the angles of one kind of layer: in rope_parameters, else under its old key, else the class's
// own.
func ropeOf(b *Build, kind, old string, otherwise float64) float64 {
	if c := b.Inner("rope_parameters", kind); c.Has("rope_theta") {
		return c.Float("rope_theta")
	}
	if b.Has(old) {
		return b.Float(old)
	}
	return otherwise
}
