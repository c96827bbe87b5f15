package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "hyperclovax", Default: "HyperCLOVAXForCausalLM",
	Classes: stack.HeadedClasses("HyperCLOVAX", stack.Layered(hyperCLOVAX))})

// hyperCLOVAX is granite with norms behind attention and network, too.
func hyperCLOVAX(b *Build, x Node, _ int64) Node {
	evenHeads(b)
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
	post := func(x Node, name string) Node {
		if !b.Bool("use_post_norm") {
			return x
		}
		return b.RMSNorm(x, name, a.Dim)
	}
	return nn.PreNorm(b, x, a.Dim,
		func(x Node) Node { return post(nn.Attend(b, x, "self_attn", a), "post_norm1") },
		func(x Node) Node { return post(nn.DecoderMLP(b, x, b.Bool("mlp_bias")), "post_norm2") })
}
