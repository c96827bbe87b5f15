package hf

import "slices"

var _ = define(Family{Type: "hrm_text", Default: "HrmTextForCausalLM", Classes: headed("HrmText", hrmText)})

// hrmText is two stacks of layers that are called in turns: the lower one a few times, then the higher one, and all of it again.
// Its norms have no weights.
func hrmText(*Build) Decoder {
	return Decoder{Count: -1, NoFinalNorm: true, Embedded: func(b *Build, x Node) Node {
		b.evenHeads()
		dim, called := b.Size("hidden_size"), map[string]bool{}
		stack := func(name string, x Node) Node {
			m := b.Scope("%s", name)
			if called[name] {
				m = m.Again()
			}
			called[name] = true
			return m.hrmStack(x)
		}
		high, low := x, b.Add("parameter", "z_L_init", Args{Ints("shape", 1, dim)}, x)
		b.Tensor("z_L_init", dim)
		b.way(low, "detached")
		cycles, graded := b.Size("L_cycles"), b.hrmGraded(b.Size("H_cycles"))
		for h := range b.Size("H_cycles") {
			for l := range cycles {
				first := len(b.state.graph.Components)
				if low = stack("L_module", b.Residual(low, high)); l < cycles-graded[h] {
					b.ungraded(first)
				}
			}
			high = stack("H_module", b.Residual(high, low))
		}
		return high
	}}
}

func (b *Build) hrmStack(x Node) Node {
	a := b.rotary(0).biased(b.Bool("attention_bias"))
	a.KV = a.Heads
	for i := range b.SizeOr("num_layers_per_stack", b.Int("num_hidden_layers")) {
		m := b.Scope("layers.%d", i)
		x = m.preNormed(x, func(x Node, name string) Node { return plainRMS(m, x, name, a.Dim) },
			func(x Node) Node { return m.Scope("self_attn").sigmoidGated(x, a.filled()) },
			func(x Node) Node { return m.mlp(x, m.Bool("mlp_bias")) })
	}
	return plainRMS(b, x, "final_norm", a.Dim)
}

// sigmoidGated is attention with a gate for each feature that it gives, before the last map.
func (b *Build) sigmoidGated(x Node, a Attention) Node {
	y, wide := b.attended(x, a), a.Heads*a.HeadDim
	gate := b.Add("sigmoid", "gate_proj", nil, b.Linear(x, "gate_proj", a.Dim, wide, a.Bias))
	return b.Linear(b.Add("multiply", "", nil, gate, y), a.O, wide, a.Dim, a.OutBias)
}

// hrmGraded is in how many of the last calls of the lower stack gradients are computed, for every call of the higher one. What L_bp_cycles
// does not say is 1.
func (b *Build) hrmGraded(cycles int64) []int64 {
	out := slices.Repeat([]int64{1}, int(min(cycles, maxComponents)))
	if given := b.Ints("L_bp_cycles"); len(given) < len(out) {
		copy(out[len(out)-len(given):], given)
	} else {
		copy(out, given)
	}
	return out
}

// ungraded says of all that was added since a component that it is computed without gradients.
func (b *Build) ungraded(first int) {
	for n := first; n < len(b.state.graph.Components); n++ {
		b.way(Node(n), "ungraded")
	}
}
