package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Function is an activation of activations.py that is written as single operations.
type Function uint8

// The functions.
const (
	Native      Function = iota // one function of PyTorch
	NewGELU                     // NewGELUActivation, AccurateGELUActivation and GELUTanh in Python
	FastGELU                    // FastGELUActivation
	GELUPython                  // GELUActivation with use_gelu_python
	QuickGELU                   // QuickGELUActivation
	ReLUSquared                 // ReLUSquaredActivation
	Laplace                     // LaplaceActivation
)

// of applies the function; one of PyTorch saves what it reads.
func (f Function) of(p *op.Program, x op.Value) op.Value {
	switch f {
	case NewGELU:
		return newGELU(p, x)
	case FastGELU:
		return fastGELU(p, x)
	case GELUPython:
		return geluPython(p, x)
	case QuickGELU:
		return quickGELU(p, x)
	}
	return op.OfInput(p, x)
}

// Activation is an activation as a component.
type Activation struct {
	Function Function
	Wide     bool // it is taken of a 32-bit copy, and gives 32 bits
}

// activations are the functions, by the types that they compute.
var activations = []struct {
	typ, name, says string
	function        Function
}{
	{"gelu", "NewGELUActivation", "a GELU written as single operations", NewGELU},
	{"gelu", "FastGELUActivation", "a GELU written as products", FastGELU},
	{"gelu", "GELUActivation", "a GELU written around the error function", GELUPython},
	{"quickGelu", "QuickGELUActivation", "written as single operations", QuickGELU},
	{"squaredRelu", "ReLUSquaredActivation", "written as single operations", ReLUSquared},
	{"sigmoid", "LaplaceActivation", "written as single operations", Laplace},
}

var _ = func() bool {
	const gate = "Qwen3NextRMSNormGated"
	for _, a := range activations {
		register(a.name, a.says, Activation{Function: a.function}, a.typ)
		register(gate+"."+a.name, "a gate in fp32, "+a.says, Activation{a.function, true}, a.typ)
	}
	return register(gate, "a gate in fp32", Activation{Wide: true}, "gelu", "quickGelu", "silu", "relu", "squaredRelu", "relu6", "leakyRelu", "tanh",
		"sigmoid", "mish", "hardSwish", "identity")
}()

// Lower is the forward method of the class.
func (m Activation) Lower(l *catalog.Lowering) op.Value {
	if m.Wide {
		widen(l)
	}
	switch m.Function {
	case Native, ReLUSquared, Laplace: // the type's own operations
		return Same{}.Lower(l)
	}
	return m.Function.of(l.P, l.X[0])
}

// newGELU is NewGELUActivation: 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))).
func newGELU(p *op.Program, x op.Value) op.Value {
	half := op.Scale(p, x)
	inner := op.Scale(p, op.Add(p, x, op.Scale(p, op.Pow(p, x))))
	return op.Mul(p, half, op.Scale(p, op.OfOutput(p, inner)))
}

// fastGELU is FastGELUActivation: 0.5 * x * (1 + tanh(x * 0.79788 * (1 + 0.044715 * x * x))).
func fastGELU(p *op.Program, x op.Value) op.Value {
	half, factor := op.Scale(p, x), op.Scale(p, x)
	inner := op.Mul(p, factor, op.Scale(p, op.Mul(p, op.Scale(p, x), x)))
	return op.Mul(p, half, op.Scale(p, op.OfOutput(p, inner)))
}

// geluPython is GELUActivation with use_gelu_python: x * 0.5 * (1 + erf(x / sqrt(2))).
func geluPython(p *op.Program, x op.Value) op.Value {
	half := op.Scale(p, x)
	return op.Mul(p, half, op.Scale(p, op.Erf(p, op.Scale(p, x))))
}

// quickGELU is QuickGELUActivation: x * sigmoid(1.702 * x).
func quickGELU(p *op.Program, x op.Value) op.Value {
	return op.Mul(p, x, op.OfOutput(p, op.Scale(p, x)))
}

// widen takes 32-bit copies of what arrives.
func widen(l *catalog.Lowering) {
	for k, x := range l.X {
		if l.P.Tensors[x].DType.IsFloat() {
			l.X[k] = op.To(l.P, x, 4)
		}
	}
}

// Product is a product of elements.
type Product struct {
	Inside bool // it is a part of the norm before it
	Wide   bool // of 32-bit copies, and gives 32 bits
}

var (
	_ = register("StableLmLayerNormPerHead", "a product inside the norm before it", Product{Inside: true}, "multiply")
	_ = register("CohereLayerNorm", "a product inside the norm before it, in fp32", Product{Inside: true, Wide: true}, "multiply")
	_ = register("HYV4HyperConnection", "a product in fp32", Product{Wide: true}, "multiply")
)

// Lower is torch.mul.
func (m Product) Lower(l *catalog.Lowering) op.Value {
	if m.Wide {
		widen(l)
	}
	return Same{}.Lower(l)
}

// Largest is x.max(dim).values, which saves where they were.
type Largest struct{}

var _ = usual(Largest{}, "max")

// Lower is such a reduction.
func (Largest) Lower(l *catalog.Lowering) op.Value {
	values, _ := op.TopK(l.P, l.X[0], l.Out...)
	return values
}
