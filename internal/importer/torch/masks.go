package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Masks are tensors of truths. An index that is one takes as many entries as it has truths: its values must be known.

// full is torch.full, whose number says what kind of numbers the tensor has.
func (r *reader) full(size, value interp.Value, a *interp.Args) *Tensor {
	t := r.filled(r.in.Iterate(size), false)
	switch v := value.(type) {
	case bool:
		t.mask = true
	case int64:
		t.isInt = true
	case *Tensor:
		t.isInt, t.mask = v.isInt, v.mask
	}
	r.typed(t, a)
	if f, ok := interp.AsFloat(value); ok {
		t.fill(f)
	}
	return t
}

// comparison computes a comparison of constants, nil where the values are not known.
func comparison(op string, t *Tensor, other interp.Value) []float64 {
	if len(t.data) == 0 || !t.constant() {
		return nil
	}
	at := func(int) (float64, bool) { return 0, false }
	switch o := other.(type) {
	case *Tensor:
		switch {
		case !o.constant() || o.batch >= 0:
		case len(o.data) == 1 && o.shape.Size() == 1:
			at = func(int) (float64, bool) { return o.data[0], true }
		case len(o.data) == len(t.data) && o.shape.Equal(t.shape):
			at = func(i int) (float64, bool) { return o.data[i], true }
		}
	default:
		if f, ok := interp.AsFloat(other); ok || op == "~" {
			at = func(int) (float64, bool) { return f, true }
		}
	}
	out := t.r.floats(len(t.data))
	for i, a := range t.data {
		b, ok := at(i)
		if !ok {
			return nil
		}
		if holds(op, a, b) {
			out[i] = 1
		}
	}
	return out
}

func holds(op string, a, b float64) bool {
	switch op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "<=":
		return a <= b
	case ">=":
		return a >= b
	case "&":
		return a != 0 && b != 0
	case "|":
		return a != 0 || b != 0
	case "^":
		return (a != 0) != (b != 0)
	}
	return a == 0 // ~
}

var swappedOps = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// compared is a comparison: a mask with the shape that broadcasting gives. Its values are worked out for constants.
func (r *reader) compared(op string, t *Tensor, other interp.Value, swapped bool) *Tensor {
	if s := swappedOps[op]; swapped && s != "" {
		op = s
	}
	var out *Tensor
	if o, ok := other.(*Tensor); ok {
		out = r.elementwise("compare", t, o)
	} else {
		out = r.custom("compare", t.shape, 0, t)
	}
	if out.constant() && out.batch < 0 {
		if data := comparison(op, t, other); int64(len(data)) == out.shape.Size() {
			out.data = data
		}
	}
	bits := op == "&" || op == "|" || op == "^" || op == "~"
	o, isTensor := other.(*Tensor)
	out.mask = !bits || t.mask && (!isTensor || o.mask)
	out.isInt = bits && !out.mask
	if out.isInt {
		out.data = nil
	}
	return out
}

// triangle is triu and tril, with the values of a small constant.
func triangle(name string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, name, "diagonal")
		out := r.custom(name, t.shape, 0, t)
		out.isInt, out.mask = t.isInt, t.mask
		k, ok := interp.AsInt(interp.Or(b[0], int64(0)))
		if !ok || !t.constant() || t.batch >= 0 || len(t.shape) != 2 || int64(len(t.data)) != t.shape.Size() {
			return out
		}
		out.data = r.copyOf(t.data)
		for i := range out.data {
			row, col := int64(i)/t.shape[1], int64(i)%t.shape[1]
			if name == "triu" && col-row < k || name == "tril" && col-row > k {
				out.data[i] = 0
			}
		}
		return out
	}
}

// counted is how many truths a mask of known values has.
func counted(m *Tensor) int64 {
	n := int64(0)
	for _, v := range m.data {
		if v != 0 {
			n++
		}
	}
	return n
}

// masked indexing: x[…, mask, …] puts one axis in the place of those that the mask has.
func (r *reader) byMask(t *Tensor, axis int, m *Tensor) interp.Value {
	used := m.rank()
	if axis+used > t.rank() {
		r.in.Raise("IndexError", "too many indices for tensor of dimension %d", t.rank())
	}
	for i, d := range m.dims() {
		n, fixed := d.(int64)
		if size, ok := t.size(axis + i).(int64); ok && fixed && size != n {
			r.in.Raise("IndexError", "The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d",
				r.describe(m), i, r.describe(t), axis+i)
		}
	}
	if !m.countable() || t.batch >= axis && t.batch < axis+used {
		return r.dependent("a tensor is indexed with a mask whose values are not known", t, m)
	}
	g := t.axis(axis)
	shape := slices.Concat(t.shape[:g], catalog.Of(counted(m)), t.shape[g+used:])
	out := r.custom("index", shape, 0, t)
	out.isInt, out.mask = t.isInt, t.mask
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	if t.batch >= axis+used {
		out.batch += 1 - used
	}
	return out
}

// gatherOp is gather. Indices that are constant are not in the graph: only their shape matters, and that they are within the axis.
func gatherOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "gather", "dim", "index", "sparse_grad")
	i := r.tensor("gather", b[1])
	if !i.constant() {
		return r.apply("gather", "gather", []graph.Param{param("dim", r.sampleAxis(t, b[0], "gather"))}, t, i)
	}
	if !i.isInt {
		r.in.Doubt("RuntimeError", "gather(): Expected dtype int64 for index")
	}
	at := r.dim(b[0], t.rank())
	if i.rank() != t.rank() {
		r.in.Raise("RuntimeError", "Index tensor must have the same number of dimensions as input tensor")
	}
	r.sampleAxis(t, b[0], "gather")
	if i.batch != t.batch || i.pre != t.pre || i.post != t.post || t.batch >= 0 && !foldsLike(i, t) {
		r.in.Fault("gather takes entries by indices that have no batch")
	}
	for k := range t.rank() {
		n, fixed := i.size(k).(int64)
		if size, ok := t.size(k).(int64); ok && fixed && k != at && n > size {
			r.in.Raise("RuntimeError", "Size does not match at dimension %d expected index %s to be no larger than self %s apart from dimension %d",
				k, r.describe(i), r.describe(t), at)
		}
	}
	r.within(i, t.size(at))
	out := r.custom("gather", i.shape, 0, t)
	out.isInt = t.isInt
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	return out
}

// within raises where a constant index is beyond an axis.
func (r *reader) within(i *Tensor, size interp.Value) {
	n, ok := size.(int64)
	if !ok {
		return
	}
	r.in.Work(len(i.data))
	for _, v := range i.data {
		if v >= float64(n) || v < float64(-n) {
			r.in.Raise("IndexError", "index %d is out of bounds for an axis with size %d", int64(v), n)
		}
	}
}

// maskOf reads a list of truths that stands as an index.
func (r *reader) maskOf(l *interp.List) (*Tensor, bool) {
	r.in.Work(len(l.Items))
	if len(l.Items) == 0 || !allBool(l.Items) {
		return nil, false
	}
	t, ok := r.literalTensor(&interp.Args{Pos: []interp.Value{l}}).(*Tensor)
	return t, ok && t.mask
}

func allBool(items []interp.Value) bool {
	return !slices.ContainsFunc(items, func(v interp.Value) bool { _, ok := v.(bool); return !ok })
}

// dtypes are the types of numbers by their names in torch, each with the name that it goes by.
var dtypes = map[string]string{"float": "float32", "float32": "float32", "float16": "float16", "half": "float16", "bfloat16": "bfloat16", "double": "float64",
	"float64": "float64", "long": "int64", "int64": "int64", "int": "int32", "int32": "int32", "short": "int16", "int16": "int16", "int8": "int8", "uint8": "uint8", "bool": "bool",
	"complex64": "complex64", "complex128": "complex128", "cfloat": "complex64", "cdouble": "complex128"}

// eye is torch.eye.
func (r *reader) eye(a *interp.Args) interp.Value {
	n, ok := a.Get("n", 0)
	if !ok {
		r.in.Raise("TypeError", "eye() missing 1 required positional arguments: \"n\"")
	}
	m, ok := a.Get("m", 1)
	if !ok {
		m = n
	}
	t := r.filled([]interp.Value{n, m}, false)
	r.typed(t, a)
	if t.fill(0); len(t.data) > 0 && t.batch < 0 {
		for i := range min(t.shape[0], t.shape[1]) {
			t.data[i*t.shape[1]+i] = 1
		}
	}
	return t
}
