package hf

import "fmt"

var _ = define(Family{Type: "nllb-moe", Default: "NllbMoeForConditionalGeneration", Classes: without(seq2seq("NllbMoe", nllbMoe), "NllbMoeForCausalLM")})

// nllbMoe is M2M100 with experts in every so many layers, of which a token visits two. As it is written, the mask of the choice is taken for the number
// of an expert, so that the first two compute everything; the router's choice counts as it is meant.
func nllbMoe(*Build) Seq2Seq {
	return Seq2Seq{Pre: true, LastNorm: true, Positions: heldSinusoids, Cross: "cross_attention", FeedNorm: "ff_layer_norm",
		Feed: func(b *Build, x Node, half string, i int64) Node {
			dim, hidden, step := b.Size("d_model"), b.Size(half+"_ffn_dim"), b.Int(half+"_sparse_step")
			if step <= 0 || (i+1)%step != 0 {
				return b.Scope("ffn").recastMLP(x, dim, hidden)
			}
			how := "wide/looped/paired"
			if b.Str("activation_function") == "relu" {
				how += "/rectified"
			}
			return b.Experts(x, "ffn", Experts{How: how, Dim: dim, Count: b.Size("num_experts"), TopK: 2, Hidden: hidden, Plain: true, Bias: true, Router: "router.classifier",
				RouterBias: b.Bool("router_bias"), List: func(m *Build, e Experts) {
					for i := range e.Count {
						m.weights(fmt.Sprintf("experts.expert_%d.fc1", i), true, hidden, dim)
						m.weights(fmt.Sprintf("experts.expert_%d.fc2", i), true, dim, hidden)
					}
				}})
		}}
}
