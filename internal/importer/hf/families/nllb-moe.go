package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "nllb-moe", Default: "NllbMoeForConditionalGeneration",
	Classes: without(stack.Seq2SeqClasses("NllbMoe", nllbMoe), "NllbMoeForCausalLM")})

// nllbMoe is M2M100 with experts in every so many layers, of which a token visits two. As it is written, the mask of
// the choice is taken for the number of an expert, so that the first two compute everything; the router's choice
// counts as it is meant.
func nllbMoe(*Build) stack.Seq2Seq {
	return stack.Seq2Seq{Pre: true, LastNorm: true, Positions: stack.HeldSinusoidPositions, Cross: "cross_attention",
		FeedNorm: "ff_layer_norm",
		Feed: func(b *Build, x Node, half string, i int64) Node {
			dim, hidden, step := b.Size("d_model"), b.Size(half+"_ffn_dim"), b.Int(half+"_sparse_step")
			if step <= 0 || (i+1)%step != 0 {
				return nn.RecastMLP(b.Scope("ffn"), x, dim, hidden)
			}
			return nn.AddExperts(b, x, "ffn", nn.Experts{Run: transformers.Modules, WideRouter: true,
				Rectified: b.Str("activation_function") == "relu", Dim: dim, Count: b.Size("num_experts"), TopK: 2,
				Hidden: hidden, Plain: true, Bias: true, Router: "router.classifier",
				RouterBias: b.Bool("router_bias"), List: func(m *Build, e nn.Experts) {
					for i := range e.Count {
						m.Weights(fmt.Sprintf("experts.expert_%d.fc1", i), true, hidden, dim)
						m.Weights(fmt.Sprintf("experts.expert_%d.fc2", i), true, dim, hidden)
					}
				}})
		}}
}
