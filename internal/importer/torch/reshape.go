package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/quantity"
)

// reshapeGraph gives a tensor another graph shape with the same elements; its layout is for the caller to set.
func (r *reader) reshapeGraph(t *Tensor, shape catalog.Shape) *Tensor {
	r.measure(shape)
	if t.shape.Equal(shape) {
		c := t.clone()
		c.contiguous, c.mem = t.contiguous, t.mem
		switch {
		case t.constant():
			c.data = t.data
		case t.param != nil:
			c.node = r.place(t)
		}
		return c
	}
	out := r.apply("reshape", "reshape", []graph.Param{param("shape", shape)}, t)
	out.contiguous, _ = t.isContiguous()
	if t.constant() {
		out.data, out.isInt = t.data, t.isInt
	}
	return out
}

// view is x.view(…) and x.reshape(…): the batch may move into, or out of, an axis with others.
func (r *reader) view(t *Tensor, want []interp.Value) *Tensor {
	total, ok := quantity.Mul(t.shape...)
	if !ok {
		r.in.Fault("a tensor is too large")
	}
	if t.batch < 0 {
		return r.reshapeGraph(t, r.fillFixed(want, total, t))
	}
	if why := r.apart(want, total, t); why != "" {
		return r.viewWhole(t, want, why)
	}
	sizes, batchAt, times := r.fill(want, total, t)
	// Elements stay in their order, so what lies before the batch must be split in the same way.
	before := t.shape[:t.batch+t.pre]
	p := product(before)
	p1 := product(sizes[:batchAt])
	if p1 == 0 || p%p1 != 0 || times%(p/p1) != 0 {
		return r.viewWhole(t, want, "a reshape takes the batch apart")
	}
	pre, post := p/p1, times/(p/p1)
	shape := append(catalog.Of(), sizes[:batchAt]...)
	out := Tensor{}
	if pre > 1 {
		shape = append(shape, pre)
		out.pre = 1
	}
	if post > 1 {
		shape = append(shape, post)
		out.post = 1
	}
	shape = append(shape, sizes[batchAt:]...)
	res := r.reshapeGraph(t, shape)
	res.batch, res.pre, res.post = batchAt, out.pre, out.post
	return res.reshaped(t)
}

// apart says why a view cannot keep the batch on one axis, "" where it may.
func (r *reader) apart(want []interp.Value, total int64, t *Tensor) string {
	known, batches, free := int64(1), 0, false
	for _, v := range want {
		if s, ok := v.(sym); ok {
			batches++
			known *= s.times
		} else if n, ok := interp.AsInt(v); ok && n >= 0 {
			known *= n
		} else {
			free = true
		}
	}
	switch {
	case batches > 1:
		return "a reshape has the batch in it twice"
	case batches == 0 && known > 0 && (!free || total%known != 0):
		return "a reshape gives the batch another size"
	}
	return ""
}

// many reports whether a tensor has more than one element whatever the batch is, so that it is no number.
func (t *Tensor) many() bool { return t.shape.Size() > 1 }

// fill resolves the sizes of a view of a tensor with a batch: the sizes without the batch axis, where that axis is, and how many
// times the batch it is.
func (r *reader) fill(want []interp.Value, total int64, t *Tensor) (sizes []int64, batchAt int, times int64) {
	batchAt = -1
	free := -1
	known := int64(1)
	for i, v := range want {
		switch s := v.(type) {
		case sym:
			if batchAt >= 0 {
				r.in.Doubt("RuntimeError", "shape '%s' is invalid: the batch is in it twice", interp.Repr(interp.NewTuple(want...)))
			}
			batchAt, times = i, s.times
			known *= s.times
			continue
		case *interp.Unknown:
			r.in.Fault("a size of a reshape is not known: %s", s.Reason())
		}
		n, ok := interp.AsInt(v)
		if !ok {
			if x, isTensor := v.(*Tensor); isTensor && len(x.data) == 1 {
				n, ok = int64(x.data[0]), true
			}
		}
		if !ok {
			if x, isTensor := v.(*Tensor); isTensor && x.many() {
				r.in.Raise("TypeError", "a size of a reshape is a tensor of %s", r.describe(x))
			}
			r.in.RaiseFor(v, "TypeError", "a size of a reshape is a %s", interp.TypeName(v))
		}
		if n == -1 {
			if free >= 0 {
				r.in.Raise("RuntimeError", "only one dimension can be inferred")
			}
			free = i
			sizes = append(sizes, -1)
			continue
		}
		known *= n
		sizes = append(sizes, n)
	}
	if known <= 0 || total%known != 0 || free < 0 && (batchAt < 0 || total != known) {
		if batchAt < 0 && known > 0 || known == 0 && total == 0 { // some number of samples may fit
			r.in.Doubt("RuntimeError", "shape %s is invalid for a tensor of %s", describeSizes(want), r.describe(t))
		}
		r.cannotShape(want, t)
	}
	switch {
	case free >= 0 && batchAt < 0: // the free axis takes the batch
		batchAt, times = free, total/known
		sizes = slices.Delete(sizes, free, free+1)
	case free >= 0:
		for i := range sizes {
			if sizes[i] == -1 {
				sizes[i] = total / known
			}
		}
	}
	return sizes, batchAt, times
}

func (r *reader) cannotShape(want []interp.Value, t *Tensor) {
	r.in.Raise("RuntimeError", "shape %s is invalid for a tensor of %s", describeSizes(want), r.describe(t))
}

// fillFixed resolves the sizes of a view of a tensor without a batch.
func (r *reader) fillFixed(want []interp.Value, total int64, t *Tensor) catalog.Shape {
	sizes, free, known := catalog.Of(), -1, int64(1)
	for i, v := range want {
		n, ok := r.in.Int(v)
		if !ok {
			if u, unknown := v.(*interp.Unknown); unknown {
				r.in.Fault("a size of a reshape is not known: %s", u.Reason())
			}
			r.in.Fault("a tensor without a batch is shaped with a %s", interp.TypeName(v))
		}
		if n == -1 {
			free = i
		} else {
			known *= n
		}
		sizes = append(sizes, n)
	}
	if free >= 0 && known > 0 && total%known == 0 {
		sizes[free] = total / known
		known = total
	}
	if known != total {
		r.cannotShape(want, t)
	}
	return sizes
}

func product(sizes []int64) int64 {
	n := int64(1)
	for _, s := range sizes {
		n *= s
	}
	return n
}

func (r *reader) describe(t *Tensor) string { return describeSizes(t.dims()) }

func describeSizes(dims []interp.Value) string {
	s := "("
	for i, d := range dims {
		if i > 0 {
			s += ", "
		}
		s += describeSize(d)
	}
	return s + ")"
}

// describeSize writes a size; B is the batch.
func describeSize(d interp.Value) string {
	b, ok := d.(sym)
	switch {
	case !ok:
		return interp.Repr(d)
	case b.times == 1:
		return "B"
	}
	return "B*" + index(int(b.times))
}

// permute orders the axes of PyTorch's shape anew.
func (r *reader) permute(t *Tensor, order []int) *Tensor {
	var axes []int64 // of the graph, in their new order
	out := Tensor{batch: -1}
	for i, o := range order {
		if t.batch >= 0 && o == t.batch {
			out.batch = i
			for k := range t.pre + t.post {
				axes = append(axes, int64(t.batch+k))
			}
			continue
		}
		axes = append(axes, int64(t.axis(o)))
	}
	var res *Tensor
	if !slices.IsSorted(axes) {
		dims := []int64{0}
		for _, a := range axes {
			dims = append(dims, a+1)
		}
		res = r.apply("permute", "permute", []graph.Param{param("dims", dims)}, t)
	} else {
		res = r.reshapeGraph(t, t.shape)
	}
	res.batch, res.pre, res.post = out.batch, t.pre, t.post
	return res.moved(t, func(_, strides []int64) []int64 {
		moved := make([]int64, len(order))
		for i, o := range order {
			moved[i] = strides[o]
		}
		return moved
	})
}

// dim resolves an axis of PyTorch's shape.
func (r *reader) dim(v interp.Value, rank int) int {
	n, ok := interp.AsInt(v)
	if !ok {
		if u, unknown := v.(*interp.Unknown); unknown {
			r.in.Fault("an axis is not known: %s", u.Reason())
		}
		r.in.Doubt("TypeError", "an axis is a %s", interp.TypeName(v))
	}
	if n < int64(-rank) || n >= int64(rank) {
		r.in.Raise("IndexError", "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -rank, rank-1, n)
	}
	if n < 0 {
		n += int64(rank)
	}
	return int(n)
}

// sampleAxis resolves an axis that must not be the batch, as the catalogue counts it: the batch is axis 0.
func (r *reader) sampleAxis(t *Tensor, v interp.Value, what string) int {
	g := t.axis(r.dim(v, t.rank()))
	if g < 0 {
		r.in.Fault("%s works across the samples of a batch", what)
	}
	return g + 1
}
