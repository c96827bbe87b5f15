package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "openai-gpt", Default: "OpenAIGPTLMHeadModel",
	Classes: stack.NamedClasses("OpenAIGPTLMHeadModel", "OpenAIGPTModel", openaiGPT,
		stack.ScoreHead("OpenAIGPTForSequenceClassification"))})

// openaiGPT is the first GPT: norms stand behind the sums, and none at the end.
func openaiGPT(b *Build) stack.Decoder {
	dim := b.Size("n_embd")
	d := stack.GPT(b, func(b *Build, x Node, _ int64) Node {
		a := nn.Attention{Dim: dim, Heads: b.Size("n_head")}.Filled()
		x = b.LayerNorm(b.Residual(x, attendStored(b.Scope("attn"), x, a, nn.Conv1D)), "ln_1", dim, true)
		m := b.Scope("mlp")
		act := b.Str("afn")
		if act == "gelu" { // under this name the module has the approximation by a hyperbolic tangent
			act = "gelu_new"
		}
		h := nn.Conv1D(m, m.Act(nn.Conv1D(m, x, "c_fc", dim, 4*dim), act, "afn"), "c_proj", 4*dim, dim)
		return b.LayerNorm(b.Residual(x, h), "ln_2", dim, true)
	})
	d.Embed, d.NoFinalNorm = "tokens_embed", true
	d.Embedded = func(b *Build, x Node) Node { return b.Positions(x, "positions_embed", b.Size("n_positions"), dim) }
	return d
}
