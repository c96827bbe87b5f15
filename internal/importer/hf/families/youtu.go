package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "youtu", Default: "YoutuForCausalLM",
	Classes: stack.HeadedClasses("Youtu", stack.Layered(func(b *Build, x Node, _ int64) Node {
		return nn.PreNorm(b, x, b.Size("hidden_size"), func(x Node) Node { return nn.LatentAttention(b, x) },
			func(x Node) Node { return nn.DecoderMLP(b, x, false) })
	}))})
