package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Products of vectors, matrices and tensors.
func init() {
	register(map[string]operation{
		"matmul": matmulOp("matmul"), "bmm": matmulOp("bmm"), "mm": matmulOp("mm"), "mv": matmulOp("mv"),
		"dot": matmulOp("dot"), "inner": matmulOp("dot"), "vdot": matmulOp("dot"),
		"addmm": addProduct("addmm"), "baddbmm": addProduct("baddbmm"), "addmv": addProduct("addmv"),
		"outer": outerOp, "ger": outerOp, "tensordot": tensordotOp, "kron": kronOp,
		"cross": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.elementwise("cross", t, r.tensor("cross", a.Pos[0]))
		},
	})
}

// matmulOp is a product of matrices or vectors by one of its names.
func matmulOp(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.matmul(t, r.tensor(name, a.Pos[0])) }
}

// addProduct is torch.addmm and the like: a tensor plus the product of two others.
func addProduct(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		return r.merge("add", r.matmul(r.tensor(name, a.Pos[0]), r.tensor(name, a.Pos[1])), t)
	}
}

// outerOp is torch.outer.
func outerOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	v, _ := a.Get("vec2", 0)
	o := r.tensor("outer", v)
	if t.rank() != 1 || o.rank() != 1 {
		r.in.Raise("RuntimeError", "outer: Expected 1-D arguments")
	}
	out := r.declared("outer", []interp.Value{t.size(0), o.size(0)}, 0, t, o)
	if out.constant() && len(t.data) > 0 && len(o.data) > 0 && len(t.data)*len(o.data) <= maxData {
		out.data = r.floats(len(t.data) * len(o.data))[:0]
		for _, x := range t.data {
			for _, y := range o.data {
				out.data = append(out.data, float64(float32(x*y)))
			}
		}
	}
	return out
}

// tensordotOp contracts axes of two tensors.
func tensordotOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "tensordot", "b", "dims")
	o := r.tensor("tensordot", b[0])
	dims := interp.Or(b[1], int64(2))
	var left, right []int
	if n, ok := interp.AsInt(dims); ok {
		for i := range int(n) {
			left, right = append(left, t.rank()-int(n)+i), append(right, i)
		}
	} else {
		pair := r.in.Iterate(dims)
		for _, v := range r.intList("dims", pair[0]) {
			left = append(left, r.dim(v, t.rank()))
		}
		for _, v := range r.intList("dims", pair[1]) {
			right = append(right, r.dim(v, o.rank()))
		}
	}
	flops := int64(2)
	if len(left) != len(right) {
		r.in.Raise("RuntimeError", "both dimension lists should have same length")
	}
	for i := range left {
		if t.size(left[i]) != o.size(right[i]) {
			r.in.Raise("RuntimeError", "contracted dimensions need to match, but first has size %s and second %s", describeSize(t.size(left[i])), describeSize(o.size(right[i])))
		}
	}
	var out []interp.Value
	for i, d := range t.dims() {
		if n, ok := d.(int64); ok {
			flops *= n
		}
		if !slices.Contains(left, i) {
			out = append(out, d)
		}
	}
	for i, d := range o.dims() {
		if !slices.Contains(right, i) {
			if n, ok := d.(int64); ok {
				flops *= n
			}
			out = append(out, d)
		}
	}
	return r.declared("tensordot", out, flops, t, o)
}

// kronOp is torch.kron.
func kronOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	o := r.tensor("kron", a.Pos[0])
	if o.rank() != t.rank() {
		r.in.Fault("kron of this kind is not followed")
	}
	d := t.dims()
	for i := range d {
		d[i] = r.in.Binary("*", d[i], o.size(i))
	}
	return r.declared("kron", d, 0, t, o)
}
