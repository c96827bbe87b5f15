package catalog

import "github.com/modelverifier/verifier/internal/op"

// lowerView is the same storage in another shape.
func lowerView(l *Lowering) op.Value { return op.View(l.P, l.X[0], l.Out...) }

// lowerReshape is torch.reshape.
func lowerReshape(l *Lowering) op.Value { return op.Reshape(l.P, l.X[0], l.Out...) }

// lowerTransposed is a view with axes in another order, unless the axes that have changed places have one entry.
func lowerTransposed(l *Lowering) op.Value {
	if l.Out.Equal(l.In[0]) || wide(l.In[0]) < 2 {
		return op.View(l.P, l.X[0], l.Out...)
	}
	return op.Transposed(l.P, l.X[0], l.Out...)
}

// wide is the number of axes with more than one entry.
func wide(s Shape) (n int) {
	for _, size := range s {
		if size > 1 {
			n++
		}
	}
	return n
}

// lowerPiece is one of the parts that torch.split gives.
func lowerPiece(l *Lowering) op.Value { return op.Piece(l.P, l.X[0], l.Out...) }

// lowerCopy is the elements in another order, or several times.
func lowerCopy(l *Lowering) op.Value { return op.Copied(l.P, l.X[0], l.Out...) }

// fold takes one input after the other into what there is so far; one input alone comes out as it is.
func (l *Lowering) fold(merge func(*op.Program, op.Value, op.Value) op.Value) op.Value {
	x := l.X[0]
	for _, y := range l.X[1:] {
		x = merge(l.P, x, y)
	}
	return x
}
