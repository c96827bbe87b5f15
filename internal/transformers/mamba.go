package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Mamba is the mixer of Mamba as it runs where no kernel is installed: MambaMixer.forward.
type Mamba struct{}

var (
	_ = register("MambaMixer", "a recurrence position by position", Mamba{}, "mamba")
	_ = register("MambaMixer", "a recurrence position by position", SelectiveScan{}, "customModule")
)

// Lower is the maps and the convolution around the recurrence.
func (Mamba) Lower(l *catalog.Lowering) op.Value {
	p, s, n, r := l.P, l.In[0][0], l.Int("stateDim"), l.Int("dtRank")
	d := p.Shape(l.W("A_log"))[0]
	parts := op.Split(p, l.Map(l.X[0], "in_proj"), []int64{s, d}, []int64{s, d})
	a := op.Scale(p, op.WideOfOutput(p, op.To(p, l.W("A_log"), 4)))
	x := convolved(l, op.View(p, parts[0], d, s))
	dbc := op.Split(p, l.Map(op.Transposed(p, x, s, d), "x_proj"), []int64{s, r}, []int64{s, n}, []int64{s, n})
	dt := op.Transposed(p, op.Linear(p, dbc[0], l.W("dt_proj.weight"), op.None), d, s)
	dt = op.Add(p, dt, op.View(p, op.To(p, l.W("dt_proj.bias"), p.Width(dt)), d, 1))
	y := selectiveScan{features: d, state: n, length: s}.lower(p, x, op.WideOfInput(p, dt), a, dbc[1], dbc[2], l.W("D"))
	y = op.Mul(p, y, op.OfInput(p, op.View(p, parts[1], d, s)))
	return l.Map(op.Transposed(p, op.To(p, y, p.Width(l.X[0])), s, d), "out_proj")
}

// convolved is causal_conv1d_fn of (features, positions) with SiLU. The convolution reads what arrives in the width of its weight.
func convolved(l *catalog.Lowering, x op.Value) op.Value {
	p, d, s := l.P, l.P.Shape(x)[0], l.P.Shape(x)[1]
	weight := l.W("conv1d.weight")
	padded := s + l.Int("convKernel") - 1
	y := op.Convolution(p, op.To(p, x, p.Width(weight)), weight, l.W("conv1d.bias"), op.Geometry{Groups: d}, padded)
	return op.To(p, op.OfInput(p, op.View(p, y, d, s)), p.Width(x))
}

// SelectiveScan is the recurrence of Mamba alone.
type SelectiveScan struct{}

// Lower is mamba_selective_scan of what was convolved, the steps and the matrices of the state, of (positions, features) each. Where one tensor has the
// steps and the matrices of all heads, stateSize says how large a state is.
func (SelectiveScan) Lower(l *catalog.Lowering) op.Value {
	if !recurs(l) {
		return op.None
	}
	p, scan := l.P, selectiveScan{features: l.Out[1], state: l.Int("stateSize"), length: l.Out[0]}
	var b, c op.Value
	switch {
	case scan.state > 0 && len(l.X) == 3:
		b, c = op.View(p, l.X[2], scan.length, scan.state), op.View(p, l.X[2], scan.length, scan.state)
	case len(l.X) == 4:
		b, c, scan.state = l.X[2], l.X[3], l.In[2].At(-1)
	default:
		return op.None
	}
	all := l.W("weight")
	a := op.Scale(p, op.WideOfOutput(p, op.To(p, op.View(p, all, scan.features, scan.state), 4)))
	x, dt := op.View(p, l.X[0], scan.features, scan.length), op.View(p, l.X[1], scan.features, scan.length)
	return op.View(p, scan.lower(p, x, dt, a, b, c, op.View(p, all, scan.features)), l.Out...)
}

// selectiveScan is the sizes of the recurrence.
type selectiveScan struct{ features, state, length int64 }

// lower takes the positions one after the other: each state is kept, and a copy as wide as products are.
func (r selectiveScan) lower(p *op.Program, x, dt, a, b, c, direct op.Value) op.Value {
	d, n, s := r.features, r.state, r.length
	steps := op.View(p, dt, d, s, 1)
	decay := op.WideOfOutput(p, op.Mul(p, op.View(p, a, d, 1, n), steps))
	in := op.Mul(p, steps, op.To(p, b, 4))
	added := op.Mul(p, in, op.View(p, op.To(p, x, 4), d, s, 1))
	keeps := []op.Kept{{Elems: s * d * n, DType: op.Float32}}
	dtype := op.Float32
	if p.Precision.Autocast || p.Width(x) == 2 {
		dtype = op.Float16
		keeps = append(keeps, op.Kept{Elems: s * d * n, DType: op.Float16})
	}
	y := op.Loop(p, []int64{d, s}, dtype, []op.Value{decay, c}, []op.Value{added}, keeps...)
	op.Loops(p, s, 5) // the product with the state before, the sum, a cast, and the product with C
	y = op.Add(p, y, op.Mul(p, x, op.View(p, op.To(p, direct, 4), d, 1)))
	named(p, decay)
	named(p, added)
	named(p, in)
	return y
}
