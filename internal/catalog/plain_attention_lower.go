package catalog

import "github.com/modelverifier/verifier/internal/op"

// heads is (positions, features) as so many heads of it, in a copy where they do not lie so already.
func (l *Lowering) heads(x op.Value, positions, count, features int64) op.Value {
	if positions > 1 && count > 1 {
		return op.Contiguous(l.P, x, count, positions, features)
	}
	return op.View(l.P, x, count, positions, features)
}

// joinHeads is the way back.
func (l *Lowering) joinHeads(x op.Value, positions, count, features int64) op.Value {
	if positions > 1 && count > 1 {
		return op.Contiguous(l.P, x, positions, count*features)
	}
	return op.View(l.P, x, positions, count*features)
}

// attendByProducts is attention of heads by torch.bmm, a softmax and torch.bmm.
func (l *Lowering) attendByProducts(q, k, v op.Value) op.Value {
	keys := l.P.Shape(k)
	scores := op.MatMul(l.P, q, op.View(l.P, k, keys[0], keys[2], keys[1]))
	return op.MatMul(l.P, op.Softmax(l.P, op.Scale(l.P, scores)), v)
}

// rootMeanSquare is a norm by single operations: x * rsqrt(mean(x²) + eps) * weight.
func (l *Lowering) rootMeanSquare(x op.Value, weight string) op.Value {
	p, shape := l.P, Shape(l.P.Shape(x))
	norm := op.WideOfOutput(p, op.Scale(p, op.Mean(p, op.Pow(p, x), shape.With(-1, 1)...)))
	return op.Mul(p, op.Mul(p, x, norm), l.W(weight))
}
