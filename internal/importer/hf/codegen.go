package hf

var _ = define(Family{Type: "codegen", Default: "CodeGenForCausalLM", Classes: topped("CodeGenForCausalLM", "CodeGenModel", codegen)})

// codegen is gptj with one map for queries, keys and values, in four parts that were once four machines: the heads must be a
// multiple of four.
func codegen(b *Build) Decoder {
	d := gpt(b, func(b *Build, x Node, _ int64) Node {
		return b.jLayer(x, func(h Node, a Attention) Node {
			a.Fused = "qkv_proj"
			if a.Heads%4 == 0 && a.Turned <= a.HeadDim {
				return b.Attend(h, "attn", a)
			}
			m := b.Scope("attn")
			all := m.Linear(h, a.Fused, a.Dim, 3*a.Dim, false)
			part := func(i int64) Node { return m.Flat(m.Unflatten(m.Chunk(all, 3, i), max(a.Heads/4, 1)*4, a.HeadDim)) }
			return m.jTooWide(part(0), part(1), part(2), a)
		})
	})
	d.HeadBias = true
	return d
}
