package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// recurs reports whether a component is a recurrence over positions of features, with weights. What is named so and has other shapes is not followed.
func recurs(l *catalog.Lowering) bool {
	fits := l.Out.Rank() == 2 && l.W("weight") != op.None
	for _, in := range l.In {
		fits = fits && in.Rank() == 2
	}
	return fits
}

// Zeros is mra2_attention without its kernel: torch.zeros_like(query.float()).requires_grad_(), which autograd holds beside the copy that autocast
// makes of it.
type Zeros struct{}

var _ = register("MraSelfAttention", "zeros that require a gradient, where the kernel is not installed", Zeros{}, "customModule")

// Lower reads nothing.
func (Zeros) Lower(l *catalog.Lowering) op.Value {
	if l.Out == nil || l.OutIsInt {
		return op.None
	}
	return op.Leaf(l.P, op.Float32, l.Out...)
}

// Opaque is a module of which its inputs, its weights and its result are known.
type Opaque struct {
	Linear bool // its backward pass reads nothing
	Wide   bool // it computes of 32-bit copies
}

var (
	_ = usual(Opaque{}, "customModule")

	_ = register("PreTrainedModel", "a part without a type of its own, whose code was followed", Opaque{}, "customModule")
	_ = register("HYV4HyperConnection", "an fp32 copy of the input", Opaque{Wide: true}, "customModule")
	_ = register("FNetBasicFourierTransform", "a module that is linear in its input", Opaque{Linear: true}, "customModule")
)

// Lower is one operation that saves what it reads.
func (m Opaque) Lower(l *catalog.Lowering) op.Value {
	p := l.P
	if l.Out == nil {
		return op.None
	}
	in := append([]op.Value(nil), l.X...)
	w := l.W("weight")
	switch {
	case m.Linear:
		return op.Moved(p, l.Out, in...)
	case w != op.None && l.Int("flops") == 0 && len(l.Out) > len(l.In[0]): // numbers for pairs of positions are looked up in a table of weights
		return op.Index(p, w, l.Out, op.Constant(p, op.Int64, true, l.Out[len(l.Out)-2:]...))
	}
	if m.Wide {
		for k, x := range in {
			if p.Tensors[x].DType.IsFloat() {
				in[k] = op.To(p, x, 4)
			}
		}
	}
	if w != op.None {
		in = append(in, w)
	}
	return op.Opaque(p, l.Out, l.OutIsInt, l.Int("flops") > 0 && !m.Wide, in...)
}

// XIELU is XIELUActivation as it is written in Python.
type XIELU struct{}

var _ = register("XIELUActivation", "xIELU written as single operations", XIELU{}, "customModule")

// Lower is _xielu_python.
func (XIELU) Lower(l *catalog.Lowering) op.Value {
	p, x, all := l.P, l.X[0], l.W("weight")
	if all == op.None || !l.Out.Equal(l.In[0]) {
		return Opaque{}.Lower(l)
	}
	positive := op.WideOfInput(p, op.View(p, all, 1))
	negative := op.Scale(p, op.WideOfInput(p, op.View(p, all, 1)))
	above := op.Flags(p, x, p.Shape(x)...)
	first := op.Add(p, op.Mul(p, op.Mul(p, x, positive), x), op.Scale(p, x))
	low := op.Maximum(p, x, op.ConstantLike(p, x, 1))
	second := op.Mul(p, op.Sub(p, op.WideOfOutput(p, low), x), negative)
	second = op.Add(p, second, op.Scale(p, x))
	return op.Where(p, above, first, second)
}
