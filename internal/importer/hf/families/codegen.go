package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "codegen", Default: "CodeGenForCausalLM",
	Classes: stack.NamedClasses("CodeGenForCausalLM", "CodeGenModel", codegen)})

// codegen is gptj with one projection for queries, keys and values, in four parts that were once four machines: the
// heads must be a multiple of four.
func codegen(b *Build) stack.Decoder {
	d := stack.GPT(b, func(b *Build, x Node, _ int64) Node {
		return jLayer(b, x, func(h Node, a nn.Attention) Node {
			a.Fused = "qkv_proj"
			if a.Heads%4 == 0 && a.RotaryDim <= a.HeadDim {
				return nn.Attend(b, h, "attn", a)
			}
			m := b.Scope("attn")
			all := m.Linear(h, a.Fused, a.Dim, 3*a.Dim, false)
			part := func(i int64) Node {
				return m.Flat(m.Unflatten(m.Chunk(all, 3, i), max(a.Heads/4, 1)*4,
					a.HeadDim))
			}
			return jTooWide(m, part(0), part(1), part(2), a)
		})
	})
	d.HeadBias = true
	return d
}
