package op

import "slices"

// stored is kept by a cache until the next pass.
var stored = &Op{Name: "cache", View: true, Stores: true, Backward: func(*Step, *Gradients) {}, Fits: fitsElems}

// Cached is what a cache of transformers gives for keys or values of (heads, positions, features): those of so many
// positions before, and these (torch.cat of DynamicLayer.update). The old tensor goes behind it, the new one stays.
func Cached(p *Program, x Value, past int64) Value {
	shape, in := slices.Clone(p.Shape(x)), []Value{x}
	axis := max(0, len(shape)-2)
	if past > 0 {
		before := slices.Clone(shape)
		before[axis] = past
		shape[axis] += past
		in = []Value{p.tensor(Tensor{Shape: before, Shared: p.Tensors[x].Shared, DType: floatOf(p.Width(x)), Role: Past}), x}
	}
	all := Concatenate(p, shape, in...)
	p.do(stored, Tensor{Shape: shape, DType: p.Tensors[all].DType}, all)
	return all
}
