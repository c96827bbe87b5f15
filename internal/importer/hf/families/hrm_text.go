package families

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "hrm_text", Default: "HrmTextForCausalLM",
	Classes: stack.HeadedClasses("HrmText", hrmText)})

// hrmText is two stacks of layers that are called in turns: the lower one a few times, then the higher one, and all
// of it again. Its norms have no weights.
func hrmText(*Build) stack.Decoder {
	return stack.Decoder{Count: -1, NoFinalNorm: true, Embedded: func(b *Build, x Node) Node {
		evenHeads(b)
		dim, called := b.Size("hidden_size"), map[string]bool{}
		stack := func(name string, x Node) Node {
			m := b.Scope("%s", name)
			if called[name] {
				m = m.Again()
			}
			called[name] = true
			return hrmStack(m, x)
		}
		high, low := x, b.Add("parameter", "z_L_init", Args{build.Ints("shape", 1, dim)}, x)
		b.Tensor("z_L_init", dim)
		low = b.Detach(low)
		cycles, graded := b.Size("L_cycles"), hrmGraded(b, b.Size("H_cycles"))
		for h := range b.Size("H_cycles") {
			for l := range cycles {
				if low = stack("L_module", b.Residual(low, high)); l < cycles-graded[h] {
					low = b.Detach(low)
				}
			}
			high = stack("H_module", b.Residual(high, low))
		}
		return high
	}}
}

func hrmStack(b *Build, x Node) Node {
	a := nn.Rotary(b, 0).Biased(b.Bool("attention_bias"))
	a.KV = a.Heads
	for i := range b.SizeOr("num_layers_per_stack", b.Int("num_hidden_layers")) {
		m := b.Scope("layers.%d", i)
		x = nn.PreNormed(m, x, func(x Node, name string) Node { return plainRMS(m, x, name, a.Dim) },
			func(x Node) Node { return sigmoidGated(m.Scope("self_attn"), x, a.Filled()) },
			func(x Node) Node { return nn.DecoderMLP(m, x, m.Bool("mlp_bias")) })
	}
	return plainRMS(b, x, "final_norm", a.Dim)
}

// sigmoidGated is attention with a gate for each feature that it gives, before the last projection.
func sigmoidGated(b *Build, x Node, a nn.Attention) Node {
	y, wide := nn.Attended(b, x, a), a.Heads*a.HeadDim
	gate := b.Add("sigmoid", "gate_proj", nil, b.Linear(x, "gate_proj", a.Dim, wide, a.Bias))
	return b.Linear(b.Add("multiply", "", nil, gate, y), a.O, wide, a.Dim, a.OutBias)
}

// hrmGraded is in how many of the last calls of the lower stack gradients are computed, for every call of the higher
// one. What L_bp_cycles does not say is 1.
func hrmGraded(b *Build, cycles int64) []int64 {
	out := slices.Repeat([]int64{1}, int(min(cycles, build.MaxComponents)))
	if given := b.Ints("L_bp_cycles"); len(given) < len(out) {
		copy(out[len(out)-len(given):], given)
	} else {
		copy(out, given)
	}
	return out
}
