package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/arena"
	"github.com/modelverifier/verifier/internal/op"
)

// Lowering is a component that is being lowered to the operations that PyTorch runs for it.
type Lowering struct {
	Call
	P *op.Program

	Weights   []Weight   // as the type declared them
	Tied      *Weight    // the weight of another component that this one uses
	X         []op.Value // what arrives
	Eager     bool       // attention is asked to have its scores in memory
	Masks     bool       // rows are packed of samples that a mask keeps from one another
	Undropped bool       // dropout inside of it has a probability of 0, whatever it declares
	Rank      int64      // of the adapters beside linear layers; 0 for none
	Adapted   uint64     // the weights that have them, as bits by their numbers
	Adapters  Adapters   // what those are like
	Stored    op.Stored  // how the weights lie in memory that are quantised,
	Quantised uint64     // and which those are, as bits by their numbers
	Parts     int64      // how many parts of the component are followed one by one, as experts: more are computed together
	Parted    bool       // a component was asked for that has such parts: what came of it depends on Parts

	Caches bool  // keys and values go into a cache, from token to token
	Past   int64 // positions that are in it

	values arena.Of[op.Value]

	places map[string]int // of the weights by path, made where they are many
	placed bool           // whether it is that of this component
}

// Begin prepares it for a component, whose weights the walk has declared.
func (l *Lowering) Begin(t *Type, call Call, weights []Weight) {
	l.Call, l.Weights, l.Tied, l.X, l.placed = call, weights, nil, l.X[:0], false
	l.Call.Type = t
	l.P.Reset()
	l.values.Clear()
	l.P.IntsToFloat = !call.OutIsInt && (t.Ints != IntsKept || len(call.In) == 1) // of several, integers meet integers before they meet floats
	l.P.Reserve(len(call.In))
	for k, shape := range call.In {
		dtype := op.Float
		if k < len(call.InIsInt) && call.InIsInt[k] {
			dtype = op.Int64
		}
		l.X = append(l.X, l.P.Input(shape, dtype))
	}
}

// Lower writes the operations of the component: those of a library's module, or else PyTorch's own. It returns op.None where there are none. Who writes
// a graph can name a module and leave out the weights or the inputs that its code reads, and a module that a component calls may not be there: such a
// component has no operations.
func (l *Lowering) Lower(m Module) (out op.Value) {
	defer func() {
		if recover() != nil {
			out = op.None
		}
	}()
	switch {
	case m != nil:
		return m.Lower(l)
	case l.Type.Lower == nil:
		return op.None
	}
	return l.Type.Lower(l)
}

// W is the weight with a path, or op.None where the component has none.
func (l *Lowering) W(path string) op.Value { return l.WeightOf(path, 0) }

// WeightOf is one of the weights that a path names, as those of experts.
func (l *Lowering) WeightOf(path string, nth int64) op.Value { return l.weightIn("", path, nth) }

// weightIn is one of the weights with a name in a module inside.
func (l *Lowering) weightIn(module, name string, nth int64) op.Value {
	if k := l.place(module, name); k >= 0 {
		return l.at(k, nth)
	}
	if l.Tied != nil && l.Tied.is(module, name) {
		return l.P.Tied(l.Tied.Shape...)
	}
	return op.None
}

// fewWeights is how many are searched one by one, which is quicker than a table.
const fewWeights = 32

// place is the position of the first weight with a name in a module inside, -1 where there is none.
func (l *Lowering) place(module, name string) int {
	if len(l.Weights) <= fewWeights {
		for k := range l.Weights {
			if l.Weights[k].is(module, name) {
				return k
			}
		}
		return -1
	}
	if !l.placed {
		l.placed, l.places = true, make(map[string]int, len(l.Weights))
		for k := range slices.Backward(l.Weights) {
			l.places[l.Weights[k].Path()] = k
		}
	}
	if k, ok := l.places[join(module, name)]; ok {
		return k
	}
	return -1
}

// Affine is a weight and a bias of a module inside, as many as there are.
func (l *Lowering) Affine(module string) []op.Value { return l.affineOf(module, 0) }

func (l *Lowering) affineOf(module string, nth int64) []op.Value {
	for _, name := range [...]string{"weight", "bias"} {
		if v := l.weightIn(module, name, nth); v != op.None {
			l.values.Push(v)
		}
	}
	return l.values.Take()
}

// Map is torch.nn.Linear with a name, and the two thin maps of an adapter beside it.
func (l *Lowering) Map(x op.Value, module string) op.Value { return l.mapOf(x, module, 0) }

// mapOf is one of the maps that a name stands for.
func (l *Lowering) mapOf(x op.Value, module string, nth int64) op.Value {
	if nth == together {
		return l.mapTogether(x, module)
	}
	return l.LinearOf(x, l.weightIn(module, "weight", nth), l.weightIn(module, "bias", nth))
}

// Joined is one torch.nn.Linear in the place of several, as where a library has one matrix for gate and up.
func (l *Lowering) Joined(x op.Value, modules ...string) op.Value {
	return l.LinearOf(x, l.joined("weight", modules), l.joined("bias", modules))
}

// joined is a weight with the rows of those of several modules, in the place of the first; op.None where they have none.
func (l *Lowering) joined(name string, modules []string) op.Value {
	first, rows, shape := -1, int64(0), Shape(nil)
	for k := range l.Weights {
		if w := &l.Weights[k]; w.Name == name && slices.Contains(modules, w.Module) {
			if first < 0 {
				first, shape = k, slices.Clone(w.Shape)
			}
			rows += w.Shape[0]
		}
	}
	if first < 0 {
		return op.None
	}
	shape[0] = rows
	return l.P.Weight(first, shape...)
}

// activate is the activation with a name.
func (l *Lowering) activate(name string, x op.Value) op.Value {
	if slopeOfResult(name) {
		return op.OfOutput(l.P, x)
	}
	return op.OfInput(l.P, x)
}

// drops reports whether the inner dropout does anything.
func (l *Lowering) drops() bool { return !l.Undropped && l.Call.drops() }

// InnerDropout is the probability of the dropout inside of the component, 0 where it has none.
func (l *Lowering) InnerDropout() float64 {
	if !l.drops() {
		return 0
	}
	return l.Float("dropout")
}

// capped is scores or logits that go through a hyperbolic tangent, where the component asks for it.
func (l *Lowering) capped(x op.Value) op.Value {
	if !l.caps() {
		return x
	}
	return op.Scale(l.P, op.OfOutput(l.P, op.Scale(l.P, x)))
}

// dropout drops, where the component is asked to.
func (l *Lowering) dropout(x op.Value) op.Value {
	switch {
	case !l.drops():
		return x
	case l.Float("dropout") == 1: // a product with zero
		return op.Mul(l.P, x, op.ConstantLike(l.P, x, 1))
	}
	return op.Dropout(l.P, x)
}
