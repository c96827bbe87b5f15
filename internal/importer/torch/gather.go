package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// declared is a result of which the shape in PyTorch is known, with the batch in it, and nothing else: a component of declared shape.
// Of several axes of the size of the batch the first is the batch, and the others are as long as the one that the program is read for.
func (r *reader) declared(name string, dims []interp.Value, flops int64, inputs ...*Tensor) *Tensor {
	shape, batch, post := catalog.Of(), -1, 0
	for i, d := range dims {
		s, isSym := d.(sym)
		switch {
		case isSym && batch < 0:
			if batch = i; s.times != 1 {
				shape, post = append(shape, s.times), 1
			}
		case isSym:
			shape = append(shape, s.count(r.in, "a result has the batch in its shape twice"))
		default:
			shape = append(shape, d.(int64))
		}
	}
	out := r.custom(name, shape, flops, inputs...)
	out.batch, out.pre, out.post = batch, 0, post
	if batch < 0 {
		for _, t := range inputs {
			out.joint = out.joint || t.batch >= 0
		}
	}
	return out
}

// broadcastDims is the shape that shapes of PyTorch broadcast to.
func (r *reader) broadcastDims(what string, a, b []interp.Value) []interp.Value {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]interp.Value(nil), a...)
	for i, d := range b {
		k := len(a) - len(b) + i
		switch {
		case out[k] == int64(1):
			out[k] = d
		case d == int64(1) || d == out[k]:
		default:
			n, okN := r.in.Int(out[k])
			m, okM := r.in.Int(d)
			if !okN || !okM || n == 1 || m == 1 {
				r.in.Doubt("IndexError", "%s: shapes %s and %s do not broadcast", what, describeSizes(a), describeSizes(b))
			}
			if n != m {
				r.raiseForBatch("IndexError", "%s: shapes %s and %s do not broadcast", what, describeSizes(a), describeSizes(b))
			}
			if _, isSym := d.(sym); isSym {
				out[k] = d
			}
		}
	}
	return out
}

// picked is x[…] with whole numbers in tensors, of which some are computed or have the batch, as x[torch.arange(B), lengths]: only the
// shape is worked out. It gives nil for what it does not know.
func (r *reader) picked(t *Tensor, axis int, list []interp.Value) *Tensor {
	inputs := []*Tensor{t}
	var at []int // axes that are indexed
	var shape []interp.Value
	needed := t.batch >= axis && t.batch < axis+len(list)
	for i, v := range list {
		switch x := v.(type) {
		case *Tensor:
			if !x.isInt {
				return nil
			}
			if needed = needed || !x.constant() || x.batch >= 0; !x.constant() {
				inputs = append(inputs, x)
			}
			shape = r.broadcastDims("an index", shape, x.dims())
		case *interp.Slice:
			t = r.sliced(t, axis+i, x)
			inputs[0] = t
			continue
		default:
			if _, isInt := r.in.Int(v); !isInt {
				return nil
			}
		}
		at = append(at, axis+i)
	}
	if !needed || len(at) == 0 || at[len(at)-1] >= t.rank() {
		return nil
	}
	first := at[0]
	if at[len(at)-1]-first+1 != len(at) { // apart from each other: what they give comes first
		first = 0
	}
	var dims []interp.Value
	put := false
	for i, d := range t.dims() {
		if i == first && !put {
			dims, put = append(dims, shape...), true
		}
		if !slices.Contains(at, i) {
			dims = append(dims, d)
		}
	}
	isInt := t.isInt
	out := r.declared("index", dims, 0, inputs...)
	out.isInt = isInt
	return out
}

func init() {
	register(map[string]operation{
		"cdist": cdist, "gather": gatherOp, "index_select": indexSelect,
		"take_along_dim": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "take_along_dim", "indices", "dim")
			return r.declared("take_along_dim", r.tensor("take_along_dim", b[0]).dims(), 0, t)
		},
		"take": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.declared("take", r.tensor("take", a.Pos[0]).dims(), 0, t)
		},
	})
}

// cdist is the distance of each row of one matrix to each of another. PyTorch takes a matrix product where either has more than 25
// rows, whose FLOPs are not worked out here.
func cdist(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "cdist", "x2", "p", "compute_mode")
	o := r.tensor("cdist", b[0])
	if t.rank() < 2 || o.rank() < 2 {
		r.in.Raise("RuntimeError", "cdist only supports at least 2D tensors, got %dD and %dD", t.rank(), o.rank())
	}
	p, q := t.dims(), o.dims()
	if m, n := p[len(p)-1], q[len(q)-1]; m != n {
		says := r.in.Doubt // a size of the batch may be the same
		_, fixed := m.(int64)
		if _, both := n.(int64); fixed && both {
			says = r.in.Raise
		}
		says("RuntimeError", "X1 and X2 must have the same number of columns. X1: %s X2: %s", describeSize(m), describeSize(n))
	}
	rows, columns := p[len(p)-2], q[len(q)-2]
	dims := append(r.broadcastDims("cdist", p[:len(p)-2], q[:len(q)-2]), rows, columns)
	for _, n := range []interp.Value{rows, columns} {
		if k, _ := r.in.Int(n); k > 25 {
			r.in.Fault("cdist of more than 25 rows is not followed: PyTorch multiplies matrices then")
		}
	}
	return r.declared("cdist", dims, 0, t, o)
}

// indexSelect is torch.index_select.
func indexSelect(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "index_select", "dim", "index")
	at, index := r.dim(b[0], t.rank()), r.tensor("index_select", b[1])
	if index.rank() > 1 {
		r.in.Raise("IndexError", "index_select(): Index is supposed to be a vector")
	}
	if at == 0 && t.batch < 0 && t.param != nil && index.constant() {
		return r.rows(t, index)
	}
	r.within(index, t.size(at))
	d := t.dims()
	d[at] = int64(1)
	if index.rank() == 1 {
		d[at] = index.size(0)
	}
	inputs := []*Tensor{t}
	if !index.constant() {
		inputs = append(inputs, index)
	}
	out := r.declared("index_select", d, 0, inputs...)
	if t.isInt {
		r.integers(out)
	}
	return out
}
