package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "switch_transformers", Default: "SwitchTransformersForConditionalGeneration",
	Classes: t5Classes("SwitchTransformers", func(*Build) T5 { return T5{MayUntie: true, Feed: switchFeed} })})

// switchFeed is T5's network, or in every so many layers as many of them as there are experts, of which a token
// visits one.
func switchFeed(b *Build, x Node, half string, i int64) Node {
	layers := b.Int("num_layers")
	if half == stack.DecoderPath {
		layers = b.Or("num_decoder_layers", layers)
	}
	step := b.Or(half+"_sparse_step", layers/max(b.Int("num_sparse_"+half+"_layers"), 1))
	if step <= 0 || i%step != 1 && step != 1 {
		return t5Feed(b, x, "mlp")
	}
	dim, hidden := b.Size("d_model"), b.Size("d_ff")
	return nn.AddExperts(b, x, "mlp", nn.Experts{Dim: dim, Count: b.Size("num_experts"), TopK: 1, Hidden: hidden,
		Plain: true, Router: "router.classifier",
		RouterBias: b.Bool("router_bias"), List: func(m *Build, e nn.Experts) {
			for i := range e.Count {
				m.Tensor(fmt.Sprintf("experts.expert_%d.wi.weight", i), hidden, dim)
				m.Tensor(fmt.Sprintf("experts.expert_%d.wo.weight", i), dim, hidden)
			}
		}})
}
