package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glm4", Default: "Glm4ForCausalLM",
	Classes: stack.HeadedClasses("Glm4", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.Sandwich(b, x, nn.SandwichNorms{BeforeAttention: "input_layernorm",
			AfterAttention: "post_self_attn_layernorm", BeforeFeed: "post_attention_layernorm",
			AfterFeed: "post_mlp_layernorm"}, func(x Node) Node { return glmAttention(b, x) },
			func(x Node) Node { return glmNetwork(b, x) })
	}), stack.SequenceClassification, stack.TokenClassification)})
