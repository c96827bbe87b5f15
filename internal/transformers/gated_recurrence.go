package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// GatedRecurrence is RecurrentGemmaRglru: a recurrence with two gates for each feature, position by position.
type GatedRecurrence struct{}

var _ = register("RecurrentGemmaRglru", "a recurrence position by position", GatedRecurrence{}, "customModule")

// Lower is its forward. All weights are one tensor here: three numbers for each feature, and two matrices for each head.
func (GatedRecurrence) Lower(l *catalog.Lowering) op.Value {
	if !recurs(l) || len(l.X) != 1 {
		return op.None
	}
	p, x, s, w := l.P, l.X[0], l.Out[0], l.Out[1]
	part := (l.Int("numParams") - 3*w) / max(1, 2*w)
	if part < 1 || w%part != 0 {
		return op.None
	}
	heads, all := w/part, l.W("weight")
	gate := func() op.Value { // torch.baddbmm, laid out by position again
		y := op.MatMul(p, op.View(p, x, heads, s, part), op.View(p, all, heads, part, part))
		return op.OfOutput(p, op.Contiguous(p, op.AddInPlace(p, y, op.View(p, all, heads, 1, part)), s, w))
	}
	in, forget := gate(), gate()
	log := op.Mul(p, op.Scale(p, forget), op.WideOfInput(p, op.View(p, all, w)))
	decay := op.WideOfOutput(p, log)
	square := op.WideOfOutput(p, op.Scale(p, log))
	gated := op.Mul(p, x, in)
	first := op.Constant(p, op.Byte, false, s, 1)
	factor := op.OfInput(p, op.Scale(p, square))
	factor = op.Add(p, op.Mul(p, factor, first), first)
	fed := op.Mul(p, gated, op.To(p, factor, p.Width(x)))
	decay = op.Mul(p, decay, first)
	dtype, keeps := op.Float32, []op.Kept{{Elems: s * w, DType: op.Float32}}
	if p.Width(fed) == 2 {
		dtype = op.Float16
	}
	if p.Width(decay) == 2 {
		keeps = append(keeps, keeps[0])
	}
	y := op.Loop(p, []int64{s, w}, dtype, []op.Value{decay}, []op.Value{fed}, keeps...)
	op.Loops(p, s, 5) // the product with the state before, the sum, and casts
	for _, v := range []op.Value{in, log, square, gated, factor} {
		named(p, v)
	}
	return y
}
