package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gpt_oss", Default: "GptOssForCausalLM",
	Classes: stack.HeadedClasses("GptOss", stack.Layered(gptOSS), stack.SequenceClassification,
		stack.TokenClassification)})

// gptOSS has a trained sink in each head, every second layer slides, and router and experts have biases.
func gptOSS(b *Build, x Node, i int64) Node {
	a := nn.Rotary(b, 150_000).Biased(b.Bool("attention_bias"))
	a.Sinks = "sinks"
	a = a.Within(nn.WindowOf(b, nn.LayerKind(b, "layer_types", i,
		nn.Either(i%2 == 0, nn.SlidingAttention, nn.FullAttention))))
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return nn.Attend(b, x, "self_attn", a) },
		func(x Node) Node {
			e := nn.Routed(b, "num_local_experts", "intermediate_size")
			e.Router, e.Bias, e.RouterBias = "router", true, true
			e.List = func(m *Build, e nn.Experts) {
				transposed(m, e)
				m.Tensor("experts.gate_up_proj_bias", e.Count, 2*e.Hidden)
				m.Tensor("experts.down_proj_bias", e.Count, e.Dim)
			}
			return nn.AddExperts(b, x, "mlp", e)
		})
}

// transposed lists the experts' projections with the input first, as gpt-oss and Llama 4 keep them.
func transposed(b *Build, e nn.Experts) {
	b.Tensor("experts.gate_up_proj", e.Count, e.Dim, 2*e.Hidden)
	b.Tensor("experts.down_proj", e.Count, e.Hidden, e.Dim)
}
