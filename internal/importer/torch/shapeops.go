package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() {
	register(map[string]operation{
		"view": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			out := viewOp(r, t, a).(*Tensor)
			return r.mustView(t, out)
		},
		"reshape": viewOp,
		"view_as": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.mustView(t, r.view(t, r.tensor("view_as", a.Pos[0]).dims()))
		},
		"reshape_as": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return r.view(t, r.tensor("reshape_as", a.Pos[0]).dims())
		},
		"fliplr": flipAt(1), "flipud": flipAt(0), "rot90": same("rot90"),
		"flatten": flattenOp, "ravel": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.view(t, []interp.Value{int64(-1)}) },
		"unflatten": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "unflatten", "dim", "sizes")
			at := r.dim(b[0], t.rank())
			d := t.dims()
			return r.view(t, slices.Concat(d[:at], r.inferOne(r.in.Iterate(b[1]), t.size(at)), d[at+1:]))
		},
		"permute": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			list := r.sizes(a, "dims")
			if len(list) != t.rank() {
				r.in.Raise("RuntimeError", "permute: %d dims for a tensor of %d", len(list), t.rank())
			}
			order := make([]int, len(list))
			for i, v := range list {
				order[i] = r.dim(v, t.rank())
				if slices.Contains(order[:i], order[i]) {
					r.in.Raise("RuntimeError", "permute(): duplicate dims are not allowed")
				}
			}
			return r.permute(t, order)
		},
		"transpose": transposeOp, "swapaxes": transposeOp, "swapdims": transposeOp,
		"t": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			if t.rank() < 2 {
				return t
			}
			return r.swap(t, 0, 1)
		},
		"movedim": movedim, "moveaxis": movedim,
		"unsqueeze": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "unsqueeze", "dim")
			return r.unsqueeze(t, r.dim(b[0], t.rank()+1))
		},
		"squeeze": squeezeOp,
		"expand":  expandOp, "broadcast_to": expandOp,
		"expand_as": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			return expandOp(r, t, &interp.Args{Pos: r.tensor("expand_as", a.Pos[0]).dims()})
		},
		"repeat": repeatOp, "tile": repeatOp,
		"repeat_interleave": repeatInterleave,
	})
}

// tensor reads an argument that must be a tensor.
func (r *reader) tensor(what string, v interp.Value) *Tensor {
	switch x := v.(type) {
	case *Tensor:
		return x
	case *later:
		return r.tensor(what, x.make())
	case *state:
		return x.tensor()
	}
	r.notTensor(what, v)
	return nil
}

// tensors reads a list of tensors.
func (r *reader) tensors(what string, v interp.Value) []*Tensor {
	var out []*Tensor
	for _, x := range r.in.Iterate(v) {
		out = append(out, r.tensor(what, x))
	}
	return out
}

func viewOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	list := r.sizes(a, "shape", "size")
	if len(list) == 1 {
		if s, ok := list[0].(interp.Symbol); ok && isFloatType(s) {
			return t
		}
	}
	return r.view(t, list)
}

// inferOne replaces the -1 of sizes that split an axis.
func (r *reader) inferOne(sizes []interp.Value, whole interp.Value) []interp.Value {
	rest, free := whole, -1
	for i, v := range sizes {
		if n, ok := interp.AsInt(v); ok && n == -1 {
			free = i
			continue
		}
		rest = r.in.Binary("//", rest, v)
	}
	out := slices.Clone(sizes)
	if free >= 0 {
		out[free] = rest
	}
	return out
}

func flattenOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "flatten", "start_dim", "end_dim")
	if t.rank() == 0 {
		return r.view(t, []interp.Value{int64(1)})
	}
	lo, hi := r.dim(interp.Or(b[0], int64(0)), t.rank()), r.dim(interp.Or(b[1], int64(-1)), t.rank())
	return r.flatten(t, lo, hi)
}

func (r *reader) flatten(t *Tensor, lo, hi int) *Tensor {
	if lo >= hi {
		return t
	}
	if t.plain() && lo >= 1 {
		params := []graph.Param{}
		if lo != 1 {
			params = append(params, param("startDim", lo))
		}
		if hi != t.rank()-1 {
			params = append(params, param("endDim", hi))
		}
		return r.apply("flatten", "flatten", params, t).reshaped(t)
	}
	d := t.dims()
	n := interp.Value(int64(1))
	for _, s := range d[lo : hi+1] {
		n = r.in.Binary("*", n, s)
	}
	return r.view(t, slices.Concat(d[:lo], []interp.Value{n}, d[hi+1:]))
}

func transposeOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "transpose", "dim0", "dim1")
	return r.swap(t, r.dim(b[0], t.rank()), r.dim(b[1], t.rank()))
}

func movedim(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "movedim", "source", "destination")
	from, okFrom := interp.AsInt(b[0])
	to, okTo := interp.AsInt(b[1])
	if !okFrom || !okTo {
		r.in.Fault("movedim of several axes is not followed")
	}
	src, dst := r.dim(from, t.rank()), r.dim(to, t.rank())
	var order []int
	for i := range t.rank() {
		if i != src {
			order = append(order, i)
		}
	}
	return r.permute(t, slices.Insert(order, dst, src))
}

func squeezeOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "squeeze", "dim")
	d := interp.Or(b[0], nil)
	var axes []int
	switch x := d.(type) {
	case nil:
		for i := range t.rank() {
			axes = append(axes, i)
		}
	case *interp.Tuple, *interp.List:
		for _, v := range r.in.Iterate(x) {
			axes = append(axes, r.dim(v, t.rank()))
		}
	default:
		axes = []int{r.dim(d, t.rank())}
	}
	slices.Sort(axes)
	out := t
	for _, at := range slices.Backward(axes) {
		out = r.squeeze(out, at)
	}
	return out
}

// expandOp repeats axes of size 1. A tensor without a batch that is expanded to one has it from then on.
func expandOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	want := r.sizes(a, "size", "sizes")
	missing := len(want) - t.rank()
	if missing < 0 {
		r.in.Raise("RuntimeError", "expand: the number of sizes must be at least the number of axes")
	}
	shape := append(catalog.Shape(slices.Repeat([]int64{1}, missing)), t.shape...)
	out := t
	for range missing {
		if t.batch < 0 {
			out = r.reshapeGraph(t, shape)
			break
		}
		out = r.unsqueeze(out, 0)
	}
	batchAt := out.batch
	goal := slices.Clone(out.shape)
	for i, v := range want {
		if s, isSym := v.(sym); isSym {
			switch {
			case out.batch == i:
				continue
			case out.batch >= 0 || batchAt >= 0 || s.times != 1 || out.shape[i] != 1:
				v = s.count(r.in, "expand repeats the batch")
			default:
				batchAt = i
				continue
			}
		}
		n, ok := interp.AsInt(v)
		if !ok {
			r.in.Fault("expand to a size that is not known")
		}
		g := out.axis(i)
		if n == -1 || g < 0 {
			continue
		}
		if goal[g] != n && goal[g] != 1 {
			r.in.Raise("RuntimeError", "The expanded size of the tensor (%d) must match the existing size (%d)", n, goal[g])
		}
		goal[g] = n
	}
	if out.batch < 0 && batchAt >= 0 { // its axis of size 1 becomes the batch
		goal = slices.Delete(goal, batchAt, batchAt+1)
		out = r.reshapeGraph(out, slices.Delete(slices.Clone(out.shape), batchAt, batchAt+1))
		if out.node < 0 {
			out.node = r.place(out)
		}
		out.batch = batchAt
	}
	if !slices.Equal(goal, out.shape) {
		layout := *out
		out = r.apply("expand", "expand", []graph.Param{param("shape", goal)}, out)
		out.batch, out.pre, out.post = layout.batch, layout.pre, layout.post
	}
	return out.expanded(t)
}

func repeatOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	want := r.sizes(a, "repeats", "sizes", "dims")
	for len(want) > t.rank() {
		t = r.unsqueeze(t, 0)
	}
	for i, v := range want {
		// x.repeat(B, 1, 1): the copies become the batch, with the entries of the axis folded in where there are several.
		if s, ok := v.(sym); ok && t.batch < 0 {
			wide := r.unsqueeze(t, i)
			d := wide.dims()
			d[i] = sym{1}
			if s.times > 1 {
				wide = r.unsqueeze(wide, i)
				d = slices.Insert(d, i+1, interp.Value(s.times))
			}
			wide = expandOp(r, wide, &interp.Args{Pos: d}).(*Tensor)
			t = r.view(wide, slices.Concat(wide.dims()[:i], []interp.Value{sym{s.times * t.shape[i]}}, t.dims()[i+1:]))
			want = slices.Clone(want)
			want[i] = int64(1)
		} else if n, isInt := interp.AsInt(v); isInt && t.batch == i && n > 1 {
			t = r.repeatBatch(t, n)
			want = slices.Clone(want)
			want[i] = int64(1)
		}
	}
	repeats := slices.Repeat([]int64{1}, len(t.shape))
	all := true
	for i, v := range want {
		n, ok := r.in.Int(v)
		g := t.axis(i)
		if !ok || g < 0 && n != 1 {
			r.in.Fault("repeat copies the samples of a batch")
		}
		if g >= 0 {
			repeats[g] = n
		}
		all = all && n == 1
	}
	if all {
		return t
	}
	return r.apply("repeat", "repeat", []graph.Param{param("repeats", repeats)}, t)
}

func repeatInterleave(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "repeat_interleave", "repeats", "dim", "output_size")
	d := interp.Or(b[1], nil)
	s, isSym := b[0].(sym)
	n, ok := interp.AsInt(b[0])
	if !ok && !isSym || d == nil {
		r.in.Fault("repeat_interleave of this kind is not followed")
	}
	at := r.dim(d, t.rank())
	switch {
	case n == 1:
		return t
	case t.axis(at) < 0 && n > 1:
		return r.interleaveBatch(t, n)
	}
	wide := r.unsqueeze(t, at+1)
	dims := wide.dims()
	dims[at+1] = n
	if isSym {
		dims[at+1] = s
	}
	wide = expandOp(r, wide, &interp.Args{Pos: dims}).(*Tensor)
	return r.flatten(wide, at, at+1)
}

// flipAt is torch.fliplr and torch.flipud: torch.flip along one axis.
func flipAt(axis int64) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		return operations["flip"](r, t, &interp.Args{Pos: []interp.Value{axis}})
	}
}
