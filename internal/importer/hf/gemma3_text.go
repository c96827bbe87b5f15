package hf

var _ = define(Family{Type: "gemma3_text", Default: "Gemma3ForCausalLM", Classes: map[string]func(*Build){
	"Gemma3ForCausalLM": func(b *Build) { b.languageModel(gemma3Text(b)) },
	"Gemma3TextModel":   func(b *Build) { b.bareModel(gemma3Text(b)) },
	"Gemma3TextForSequenceClassification": func(b *Build) {
		d := gemma3Text(b)
		x, _ := b.trunk(d, "model")
		b.Output(b.Linear(x, "score", b.Size("hidden_size"), b.NumLabels(), false))
	},
}})

// gemma3Text is Gemma 2 with normalised queries and keys; five of six layers see only a window, and their angles have a base
// of their own.
func gemma3Text(b *Build) Decoder {
	b.divides("hidden_size", "num_attention_heads")
	return layered(func(b *Build, x Node, i int64) Node {
		return b.gemmaLayer(x, gemmaNorms, func(a *Attention) {
			a.Norm, a.Causal = HeadRMS, !b.Bool("use_bidirectional_attention")
			a.Base = b.ropeOf("full_attention", "rope_theta", 1_000_000)
			if b.slidesEvery(i, "sliding_window_pattern", 6) {
				a.Base = b.ropeOf("sliding_attention", "rope_local_base_freq", 10_000)
				a.Window = b.windowOf(sliding)
				if !a.Causal && a.Window > 0 {
					a.Window = a.Window/2 + 1
				}
			}
		})
	})(b)
}

// ropeOf is the base of the angles of one kind of layer: in rope_parameters, else under its old key, else the class's own.
func (b *Build) ropeOf(kind, old string, otherwise float64) float64 {
	if c := b.inner("rope_parameters", kind); c.Has("rope_theta") {
		return c.Float("rope_theta")
	}
	if b.Has(old) {
		return b.Float(old)
	}
	return otherwise
}
