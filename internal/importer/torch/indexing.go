package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// Item is x[index].
func (t *Tensor) Item(in *interp.Interp, index interp.Value) interp.Value {
	r := t.r
	list := []interp.Value{index}
	if tuple, ok := index.(*interp.Tuple); ok {
		list = tuple.Items
	}
	list = expandDots(list, t.rank())
	out, axis := t, 0
	for i, v := range list {
		switch x := v.(type) {
		case nil:
			out = r.unsqueeze(out, axis)
			axis++
		case *interp.Slice:
			out = r.sliced(out, axis, x)
			axis++
		case *Tensor:
			if x.mask && len(list) == i+1 {
				return r.byMask(out, axis, x)
			}
			return r.gathered(out, axis, list[i:])
		case *interp.List:
			if m, ok := r.maskOf(x); ok && len(list) == i+1 {
				return r.byMask(out, axis, m)
			}
			return r.gathered(out, axis, list[i:])
		case *interp.Unknown:
			in.Fault("an index is not known: %s", x.Reason())
		default:
			n, ok := interp.AsInt(v)
			if !ok {
				in.Fault("a tensor is indexed with a %s", interp.TypeName(v))
			}
			out = r.selected(out, axis, n)
		}
	}
	if out == t { // x[:] and x[...]
		return t
	}
	return out
}

// expandDots replaces … by as many full slices as are missing.
func expandDots(list []interp.Value, rank int) []interp.Value {
	used := 0
	for _, v := range list {
		if _, dots := v.(python.Dots); v != nil && !dots {
			used++
		}
	}
	for i, v := range list {
		if _, dots := v.(python.Dots); dots {
			fill := make([]interp.Value, max(rank-used, 0))
			for k := range fill {
				fill[k] = &interp.Slice{}
			}
			return slices.Concat(list[:i], fill, list[i+1:])
		}
	}
	return list
}

// unsqueeze inserts an axis of size 1 in PyTorch's shape.
func (r *reader) unsqueeze(t *Tensor, at int) *Tensor {
	d := slices.Insert(t.dims(), at, interp.Value(int64(1)))
	if t.batch < 0 {
		return r.view(t, d)
	}
	// The batch keeps its own axis; the new one is next to it.
	g, batch := at, t.batch
	if at <= t.batch {
		batch++
	} else {
		g = at - 1 + t.pre + t.post
	}
	out := r.apply("unsqueeze", "unsqueeze", []graph.Param{param("dim", g+1)}, t)
	out.batch, out.pre, out.post = batch, t.pre, t.post
	return out.moved(t, func(sizes, strides []int64) []int64 {
		stride := int64(1)
		if at < len(sizes) {
			stride = sizes[at] * strides[at]
		}
		return slices.Insert(slices.Clone(strides), at, stride)
	})
}

// squeeze drops an axis if it is of size 1.
func (r *reader) squeeze(t *Tensor, at int) *Tensor {
	if n, ok := t.size(at).(int64); !ok || n != 1 {
		return t
	}
	g := t.axis(at)
	if t.batch < 0 {
		return r.reshapeGraph(t, slices.Delete(slices.Clone(t.shape), g, g+1))
	}
	out := r.apply("squeeze", "squeeze", []graph.Param{param("dim", g+1)}, t)
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	if at < t.batch {
		out.batch--
	}
	return out.moved(t, dropped(at))
}

// dropped are strides without one axis.
func dropped(at int) func(_, strides []int64) []int64 {
	return func(_, strides []int64) []int64 { return slices.Delete(slices.Clone(strides), at, at+1) }
}

func (r *reader) sliced(t *Tensor, axis int, s *interp.Slice) *Tensor {
	if axis >= t.rank() {
		r.in.Raise("IndexError", "too many indices for tensor of dimension %d", t.rank())
	}
	if s.Lo == nil && s.Hi == nil && s.Step == nil {
		return t
	}
	n, ok := t.size(axis).(int64)
	if !ok {
		if whole, isSym := s.Hi.(sym); isSym && s.Lo == nil && s.Step == nil && whole == t.size(axis) {
			return t
		}
		return r.sliceFolded(t, s)
	}
	lo, hi, step := r.in.Bounds(s, n)
	if lo == 0 && hi == n && step == 1 {
		return t
	}
	if step < 0 {
		r.in.Raise("ValueError", "step must be greater than zero")
	}
	if hi <= lo {
		return r.without(t, axis)
	}
	params := []graph.Param{param("dim", t.axis(axis)+1)}
	if lo != 0 {
		params = append(params, param("start", lo))
	}
	if hi != n {
		params = append(params, param("end", hi))
	}
	if step != 1 {
		params = append(params, param("step", step))
	}
	out := r.apply("slice", "slice", params, t)
	if t.constant() && len(t.shape) == 1 && int64(len(t.data)) == n && out.constant() {
		out.data = r.floats(int((hi - lo + step - 1) / step))[:0]
		for i := lo; i < hi; i += step {
			out.data = append(out.data, t.data[i])
		}
	}
	out.isInt = t.isInt
	return out.moved(t, func(_, strides []int64) []int64 {
		cut := slices.Clone(strides)
		cut[axis] *= step
		return cut
	})
}

// sliceFolded takes the parts of a batch that tensors were joined along.
func (r *reader) sliceFolded(t *Tensor, s *interp.Slice) *Tensor {
	lo, okLo := s.Lo.(sym)
	hi, okHi := s.Hi.(sym)
	if s.Lo == nil {
		lo, okLo = sym{0}, true
	}
	if s.Hi == nil {
		hi, okHi = sym{t.folded()}, true
	}
	parts := hi.times - lo.times
	if !okLo || !okHi || s.Step != nil || t.pre != 1 || t.post != 0 || parts < 1 || hi.times > t.folded() {
		return r.sliced(r.whole(t, "a slice takes samples out of the batch"), t.batch, s)
	}
	if parts > 1 {
		return r.apply("slice", "slice", []graph.Param{param("dim", t.batch+1), param("start", lo.times), param("end", hi.times)}, t)
	}
	out := r.apply("select", "select", []graph.Param{param("dim", t.batch+1), param("index", lo.times)}, t)
	out.batch, out.pre = t.batch, 0
	return out
}

func (r *reader) selected(t *Tensor, axis int, n int64) *Tensor {
	if axis >= t.rank() {
		r.in.Raise("IndexError", "too many indices for tensor of dimension %d", t.rank())
	}
	size, ok := t.size(axis).(int64)
	if !ok {
		return r.sample(t, n)
	}
	if n >= size || n < -size {
		r.in.Raise("IndexError", "index %d is out of bounds for dimension %d with size %d", n, axis, size)
	}
	out := r.apply("select", "select", []graph.Param{param("dim", t.axis(axis)+1), param("index", n)}, t)
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	if axis < t.batch {
		out.batch--
	}
	out.moved(t, dropped(axis))
	if t.constant() && len(t.shape) == 1 && int64(len(t.data)) == size {
		if n < 0 {
			n += size
		}
		out.data, out.isInt = []float64{t.data[n]}, t.isInt
	}
	return out
}

// gathered is x[indices] where the indices are a tensor or a list: only constant ones are followed, for the shape they give.
func (r *reader) gathered(t *Tensor, axis int, list []interp.Value) interp.Value {
	if out := r.picked(t, axis, list); out != nil {
		return out
	}
	var shape catalog.Shape
	used, behind := 0, false // a slice was there
	for _, v := range list {
		switch x := v.(type) {
		case *Tensor:
			if !x.constant() {
				r.in.Fault("a tensor is indexed with values that are computed")
			}
			if !x.isInt {
				r.in.Fault("a tensor is indexed with numbers that may have a fraction, or with several masks")
			}
			if axis+used < t.rank() {
				r.within(x, t.size(axis+used))
			}
			shape = r.indexShape(shape, x.shape, used, behind)
			used++
		case *interp.List:
			i, ok := r.literalTensor(&interp.Args{Pos: []interp.Value{x}}).(*Tensor)
			if !ok || !i.isInt {
				r.in.Fault("a tensor is indexed with a list of something else than whole numbers")
			}
			if axis+used < t.rank() {
				r.within(i, t.size(axis+used))
			}
			shape = r.indexShape(shape, i.shape, used, behind)
			used++
		case *interp.Slice:
			if x.Lo != nil || x.Hi != nil || x.Step != nil {
				r.in.Fault("a tensor is indexed with a list and a slice")
			}
			behind = true
		default:
			r.in.Fault("a tensor is indexed in a way that is not followed")
		}
	}
	if axis+used > t.rank() || t.batch >= axis && t.batch < axis+used {
		r.in.Fault("samples are taken out of the batch by their indices")
	}
	if axis == 0 && t.batch < 0 && used == 1 && t.param != nil {
		if x, ok := list[0].(*Tensor); ok {
			return r.rows(t, x)
		}
	}
	g := t.axis(axis)
	out := r.custom("index", slices.Concat(t.shape[:g], shape, t.shape[g+used:]), 0, t)
	out.batch, out.pre, out.post = t.batch, t.pre, t.post
	if t.batch >= axis+used {
		out.batch += len(shape) - used
	}
	return out
}

// indexShape is the shape that indices broadcast to. One behind a slice would move them to the front.
func (r *reader) indexShape(shape, with catalog.Shape, used int, behind bool) catalog.Shape {
	if behind {
		r.in.Fault("a tensor is indexed on both sides of a slice")
	}
	if used == 0 {
		return with
	}
	if len(shape) < len(with) {
		shape, with = with, shape
	}
	lead := len(shape) - len(with)
	return slices.Concat(shape[:lead], r.broadcastShapes("an index", shape[lead:], with))
}

// SetItem is x[index] = v: of constants nothing is kept but their shape.
func (t *Tensor) SetItem(in *interp.Interp, index, v interp.Value) {
	if u, ok := v.(*interp.Unknown); ok {
		t.writeSelection(u)
		return
	}
	if t.constant() {
		t.data = nil
		x, ok := v.(*Tensor)
		if !ok || unknownIndex(index) && x.constant() {
			return
		}
		if !x.constant() {
			t.write(in, index, x)
			return
		}
		if part, ok := in.Item(t, index).(*Tensor); ok && part.batch < 0 && x.batch < 0 && !stretches(x.shape, part.shape) {
			in.Raise("RuntimeError", "a tensor of %s does not fit into a part of %s", t.r.describe(x), t.r.describe(part))
		}
		return
	}
	if x, ok := v.(*Tensor); ok && !x.constant() {
		t.write(in, index, x)
	}
}

// write puts a computed tensor into a part of this one, which is computed from then on.
func (t *Tensor) write(in *interp.Interp, index interp.Value, x *Tensor) {
	r := t.r
	if t.param != nil {
		in.Fault("a computed tensor is written into a weight")
	}
	// Where the part lies is worked out on a constant of the same shape, so that nothing of it comes into the graph.
	plain := &Tensor{r: r, node: -1, shape: t.shape, batch: t.batch, pre: t.pre, post: t.post, isInt: t.isInt}
	if !unknownIndex(index) {
		r.mustFit(in.Item(plain, index), x)
	}
	before := *t
	before.node = r.place(t)
	out := r.custom("write", t.shape, 0, &before, x)
	t.node, t.data, t.joint = out.node, nil, t.joint || t.batch < 0 && (x.joint || x.batch >= 0)
}

// mustFit raises where a tensor does not broadcast to the part of another that it is written into.
func (r *reader) mustFit(into interp.Value, x *Tensor) {
	if _, any := into.(*interp.Unknown); any {
		return
	}
	part, ok := into.(*Tensor)
	if !ok {
		r.in.Fault("a tensor is written into a part of another that is not known")
	}
	if want, given := part.dims(), x.dims(); !r.fitsInto(given, want) {
		r.raiseForBatch("RuntimeError", "a tensor of %s does not fit into a part of %s", r.describe(x), r.describe(part))
	}
}

// fitsInto reports whether a shape of PyTorch broadcasts to another.
func (r *reader) fitsInto(from, to []interp.Value) bool {
	for len(from) > len(to) && from[0] == int64(1) {
		from = from[1:]
	}
	if len(from) > len(to) {
		return false
	}
	for i, d := range from {
		want := to[len(to)-len(from)+i]
		if d == int64(1) || d == want {
			continue
		}
		n, okN := r.in.Int(d)
		m, okM := r.in.Int(want)
		if !okN || !okM || n != m && n != 1 {
			return false
		}
	}
	return true
}

// stretches reports whether a shape broadcasts to another.
func stretches(from, to catalog.Shape) bool {
	for len(from) > len(to) && from[0] == 1 {
		from = from[1:]
	}
	if len(from) > len(to) {
		return false
	}
	for i, n := range from {
		if n != 1 && n != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}
