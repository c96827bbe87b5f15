package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Gated is how a family writes a gated network. Dropout in front of its last linear layer is a parameter of the component.
type Gated struct {
	Function Function // that activates the gate, where it is no function of PyTorch
	Fused    bool     // one linear layer gives gate and up
	Bounded  bool     // (up + 1) * gate * sigmoid(alpha * gate), of halves that are held between two numbers
}

var (
	_ = usual(Gated{}, "swiglu", "geglu")

	_ = register("LlamaMLP", "a gated network of three projections", Gated{}, "swiglu")
	_ = register("Phi3MLP", "one matrix for gate and up", Gated{Fused: true}, "swiglu")
	_ = register("MiniMaxM3VLDenseMLP", "one matrix for gate and up, a gate written as single operations", Gated{Fused: true, Bounded: true}, "swiglu")
	_ = register("GemmaMLP", "a gated network of three projections", Gated{}, "geglu")
	_ = register("T5DenseGatedActDense", "a GELU written as single operations", Gated{Function: NewGELU}, "geglu")
	_ = register("ModernBertMLP", "one matrix for gate and up", Gated{Fused: true}, "geglu")
	_ = register("ModernBertMLP.gelu_new", "one matrix for gate and up, a GELU written as single operations",
		Gated{Function: NewGELU, Fused: true}, "geglu")
)

// Lower is the forward method of the class.
func (m Gated) Lower(l *catalog.Lowering) op.Value {
	p := l.P
	gate, up := m.halves(l)
	var y op.Value
	if m.Bounded {
		gate, up = op.OfInput(p, gate), op.OfInput(p, up) // clamp
		share := op.OfOutput(p, op.Scale(p, gate))
		y = op.Mul(p, op.Scale(p, up), op.Mul(p, gate, share))
	} else {
		y = op.Mul(p, m.Function.of(p, gate), up)
	}
	if l.InnerDropout() > 0 {
		y = op.Dropout(p, y)
	}
	return l.Map(y, "down_proj")
}

// halves is what is activated and what it is multiplied with. Python evaluates the activation ahead of the second linear layer; nothing
// that is alive at the peak depends on it.
func (m Gated) halves(l *catalog.Lowering) (gate, up op.Value) {
	if !m.Fused {
		return l.Map(l.X[0], "gate_proj"), l.Map(l.X[0], "up_proj")
	}
	both := l.Joined(l.X[0], "gate_proj", "up_proj")
	half := append([]int64{}, l.P.Shape(both)...)
	half[len(half)-1] /= 2
	parts := op.Split(l.P, both, half, half)
	return parts[0], parts[1]
}
