package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Operations whose result has a size that depends on values. They are followed for constants of known values.

func init() {
	register(map[string]operation{
		"unique": uniqueOp("unique", true), "unique_consecutive": uniqueOp("unique_consecutive", false),
		"nonzero": ofKnown("nonzero", nonzeroOp), "argwhere": ofKnown("argwhere", nonzeroOp), "bincount": ofKnown("bincount", bincountOp),
	})
}

// ofKnown is an operation on the values of a constant, in row-major order. What it gives of others is not known.
func ofKnown(name string, op func(r *reader, t *Tensor, data []float64, a *interp.Args) interp.Value) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		if !t.countable() {
			return r.dependent("the size of what "+name+" gives depends on values", t)
		}
		r.in.Spend(int64(len(t.data)))
		return op(r, t, t.data, a)
	}
}

// row makes a constant of one axis.
func (r *reader) row(data []float64, isInt bool) *Tensor {
	return &Tensor{r: r, node: -1, shape: catalog.Of(int64(len(data))), batch: -1, isInt: isInt, data: data}
}

// uniqueOp is torch.unique, sorted, and torch.unique_consecutive, both of all elements.
func uniqueOp(name string, sorted bool) operation {
	return ofKnown(name, func(r *reader, t *Tensor, data []float64, a *interp.Args) interp.Value {
		names := []string{"return_inverse", "return_counts", "dim"}
		if sorted {
			names = append([]string{"sorted"}, names...)
		}
		b := a.Bind(r.in, name, names...)
		b = b[len(b)-3:]
		if interp.Or(b[2], nil) != nil && t.rank() != 1 {
			r.in.Fault("%s along an axis is not followed", name)
		}
		values := slices.Clone(data)
		if sorted {
			slices.Sort(values)
		}
		values = slices.Compact(values)
		inverse, counts := make([]float64, len(data)), make([]float64, len(values))
		at := 0
		for i, v := range data {
			if sorted {
				at, _ = slices.BinarySearch(values, v)
			} else if i > 0 && v != data[i-1] {
				at++
			}
			inverse[i] = float64(at)
			counts[at]++
		}
		out := interp.NewTuple(r.row(values, t.isInt))
		if r.in.Truth(interp.Or(b[0], false)) {
			back := r.row(inverse, true)
			back.shape = t.shape
			out.Items = append(out.Items, back)
		}
		if r.in.Truth(interp.Or(b[1], false)) {
			out.Items = append(out.Items, r.row(counts, true))
		}
		if len(out.Items) == 1 {
			return out.Items[0]
		}
		return out
	})
}

// nonzeroOp is torch.nonzero: a row of indices for each element that is not zero, or a tensor for each axis.
func nonzeroOp(r *reader, t *Tensor, data []float64, a *interp.Args) interp.Value {
	apart, _ := a.Get("as_tuple", -1)
	var rows [][]float64
	for i, v := range data {
		if v == 0 {
			continue
		}
		at, left := make([]float64, len(t.shape)), int64(i)
		for k := len(t.shape) - 1; k >= 0; k-- {
			at[k] = float64(left % t.shape[k])
			left /= t.shape[k]
		}
		rows = append(rows, at)
	}
	if apart != nil && r.in.Truth(apart) {
		out := interp.NewTuple()
		for k := range t.shape {
			column := make([]float64, len(rows))
			for i, at := range rows {
				column[i] = at[k]
			}
			out.Items = append(out.Items, r.row(column, true))
		}
		return out
	}
	out := r.row(slices.Concat(rows...), true)
	out.shape = catalog.Of(int64(len(rows)), int64(len(t.shape)))
	return out
}

// bincountOp is torch.bincount: how often each whole number occurs.
func bincountOp(r *reader, t *Tensor, data []float64, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "bincount", "weights", "minlength")
	n, _ := interp.AsInt(interp.Or(b[1], int64(0)))
	for _, v := range data {
		if v < 0 {
			r.in.Raise("RuntimeError", "bincount only supports 1-d non-negative integral inputs.")
		}
		n = max(n, int64(v)+1)
	}
	if n > maxData {
		return r.constantOfShape(interp.Or(b[0], nil) == nil, n)
	}
	out := r.row(make([]float64, n), interp.Or(b[0], nil) == nil)
	for _, v := range data {
		out.data[int64(v)]++
	}
	if !out.isInt {
		out.data = nil
	}
	return out
}

// sumsOf is the cumulative sum of a constant of one axis.
func (r *reader) sumsOf(t *Tensor) *Tensor {
	data, sum := r.floats(len(t.data)), 0.0
	for i, v := range t.data {
		sum += v
		data[i] = sum
	}
	return r.row(data, t.isInt || t.mask)
}

// productOf is the product of all elements of a constant.
func (r *reader) productOf(t *Tensor) *Tensor {
	product := 1.0
	for _, v := range t.data {
		product *= v
	}
	out := r.row([]float64{product}, t.isInt || t.mask)
	out.shape = catalog.Of()
	return out
}
