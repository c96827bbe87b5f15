package hf

var _ = define(Family{Type: "gpt_oss", Default: "GptOssForCausalLM", Classes: headed("GptOss", layered(gptOSS), sequences, tokens)})

// gptOSS has a trained sink in each head, every second layer slides, and router and experts have biases.
func gptOSS(b *Build, x Node, i int64) Node {
	a := b.rotary(150_000).biased(b.Bool("attention_bias"))
	a.Sinks = "sinks"
	a = a.within(b.windowOf(b.kind("layer_types", i, either(i%2 == 0, sliding, full))))
	return b.PreNorm(x, a.Dim,
		func(x Node) Node { return b.Attend(x, "self_attn", a) },
		func(x Node) Node {
			e := b.routed("num_local_experts", "intermediate_size")
			e.Router, e.Bias, e.RouterBias = "router", true, true
			e.List = func(m *Build, e Experts) {
				m.transposed(e)
				m.Tensor("experts.gate_up_proj_bias", e.Count, 2*e.Hidden)
				m.Tensor("experts.down_proj_bias", e.Count, e.Dim)
			}
			return b.Experts(x, "mlp", e)
		})
}

// transposed lists the experts' maps with the input first, as gpt-oss and Llama 4 keep them.
func (b *Build) transposed(e Experts) {
	b.Tensor("experts.gate_up_proj", e.Count, e.Dim, 2*e.Hidden)
	b.Tensor("experts.down_proj", e.Count, e.Hidden, e.Dim)
}
