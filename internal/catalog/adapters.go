package catalog

import "github.com/modelverifier/verifier/internal/op"

// Adapters is what stands beside linear layers that are not trained, as peft's LoRA has it.
type Adapters struct {
	Width int64 // bytes of an element of theirs; 0 for that of the weights
	Drops bool  // what they read goes through a dropout
}

// LinearOf is torch.nn.Linear by a weight, quantised where that is asked for, and an adapter beside it where there is one.
func (l *Lowering) LinearOf(x, weight, bias op.Value) op.Value {
	if q := l.storedAs(weight); q != op.InFloats {
		return l.beside(x, op.LinearStored(l.P, x, weight, bias, q), weight)
	}
	return l.beside(x, op.Linear(l.P, x, weight, bias), weight)
}

// storedAs is how a weight lies in memory.
func (l *Lowering) storedAs(weight op.Value) op.Stored {
	if index := l.P.Tensors[weight].Index; index < 0 || l.Quantised&(1<<min(index, 63)) == 0 {
		return op.InFloats
	}
	return l.Stored
}

// beside adds to y, which is a linear layer of x, what the adapter beside its weight gives, where there is one (peft's lora/layer.py, Linear.forward:
// x is cast to the adapter's type, and the sum back to that of the layer). Beside a quantised weight (lora/bnb.py) what the adapter gives is cast
// before the sum, and beside one of 4 bits y is copied first; under autocast nothing is cast by hand.
func (l *Lowering) beside(x, y, weight op.Value) op.Value {
	if !l.HasAdapter(weight) {
		return y
	}
	p, shape, own := l.P, l.P.Shape(weight), l.P.Width(y)
	down, up := p.Adapter(l.Adapters.Width, l.Rank, shape[1]), p.Adapter(l.Adapters.Width, shape[0], l.Rank)
	how := l.storedAs(weight)
	stored := how != op.InFloats
	if stored && how != op.Int8 {
		y = op.Copied(p, y, p.Shape(y)...)
	}
	if !stored || !p.Precision.Autocast {
		x = op.To(p, x, p.Width(down))
	}
	if l.Adapters.Drops {
		x = op.Dropout(p, x)
	}
	beside := op.Scale(p, op.Linear(p, op.Linear(p, x, down, op.None), up, op.None))
	if stored && !p.Precision.Autocast {
		beside = op.To(p, beside, own)
	}
	return op.To(p, op.Add(p, y, beside), own)
}

// HasAdapter reports whether an adapter stands beside a weight. One that belongs to another component has that of none.
func (l *Lowering) HasAdapter(weight op.Value) bool {
	if l.Rank == 0 || weight == op.None {
		return false
	}
	index := l.P.Tensors[weight].Index
	return index >= 0 && l.Adapted&(1<<min(index, 63)) != 0
}
