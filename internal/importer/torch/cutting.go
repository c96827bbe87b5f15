package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Operations that take parts of a tensor.

func init() {
	register(map[string]operation{
		"chunk": chunkOp, "split": splitOp, "split_with_sizes": splitOp, "tensor_split": tensorSplit, "unbind": unbindOp,
		"select": selectOp, "narrow": narrowOp, "flip": flipOp, "roll": rollOp, "unfold": unfoldOp, "diff": diff,
	})
}

// chunkOp is Tensor.chunk(chunks, dim).
func chunkOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "chunk", "chunks", "dim")
	return r.chunk(t, b[0], interp.Or(b[1], int64(0)))
}

// unbindOp is Tensor.unbind(dim).
func unbindOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "unbind", "dim")
	at := r.dim(interp.Or(b[0], int64(0)), t.rank())
	n, ok := t.size(at).(int64)
	if !ok {
		n = t.size(at).(sym).count(r.in, "the batch is taken apart")
	}
	if n > 4096 {
		r.in.Fault("a tensor is taken apart into %d", n)
	}
	out := interp.NewTuple()
	for i := range n {
		out.Items = append(out.Items, r.selected(t, at, i))
	}
	return out
}

// selectOp is Tensor.select(dim, index).
func selectOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "select", "dim", "index")
	n, _ := r.in.Int(b[1])
	return r.selected(t, r.dim(b[0], t.rank()), n)
}

// narrowOp is Tensor.narrow(dim, start, length).
func narrowOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "narrow", "dim", "start", "length")
	return r.sliced(t, r.dim(b[0], t.rank()), &interp.Slice{Lo: b[1], Hi: r.in.Binary("+", b[1], b[2])})
}

// flipOp is Tensor.flip(dims).
func flipOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	var dims []int64
	for _, d := range r.sizes(a, "dims") {
		if t.axis(r.dim(d, t.rank())) < 0 {
			t = r.acrossBatch("flip", t)
			continue
		}
		dims = append(dims, int64(r.sampleAxis(t, d, "flip")))
	}
	if len(dims) == 0 {
		return t
	}
	return r.apply("flip", "flip", []graph.Param{param("dims", dims)}, t)
}

// rollOp is Tensor.roll(shifts, dims).
func rollOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "roll", "shifts", "dims")
	var dims []int64
	d := interp.Or(b[1], nil)
	if n, ok := interp.AsInt(d); ok {
		d = interp.NewTuple(n)
	}
	if _, ok := b[0].(*interp.Unknown); ok { // by how much does not matter to the shape
		return r.acrossBatch("roll", t)
	}
	shifts := r.intList("shifts", b[0])
	if d == nil { // over all of it, whatever lies where
		return r.acrossBatch("roll", t)
	}
	for i, v := range r.in.Iterate(d) {
		if t.axis(r.dim(v, t.rank())) < 0 {
			t = r.acrossBatch("roll", t)
			if i < len(shifts) {
				shifts = slices.Delete(shifts, i, i+1)
			}
			continue
		}
		dims = append(dims, int64(r.sampleAxis(t, v, "roll")))
	}
	if len(dims) == 0 {
		return t
	}
	return r.apply("roll", "roll", []graph.Param{param("shifts", shifts), param("dims", dims)}, t)
}

// chunk cuts an axis into pieces of one size, the last of which may be smaller.
func (r *reader) chunk(t *Tensor, chunks, dim interp.Value) interp.Value {
	n, ok := interp.AsInt(chunks)
	if !ok || n < 1 {
		r.in.Fault("the number of chunks is not known")
	}
	at := r.dim(dim, t.rank())
	size, ok := t.size(at).(int64)
	if !ok {
		return r.chunkBatch(t, n)
	}
	piece := (size + n - 1) / n
	count := (size + piece - 1) / piece
	if count > 4096 {
		r.in.Fault("a tensor is cut into %d pieces", count)
	}
	return r.pieces(t, "chunk", []graph.Param{param("chunks", n)}, dim, count)
}

// chunkBatch takes apart what was joined along the batch.
func (r *reader) chunkBatch(t *Tensor, n int64) interp.Value {
	if t.pre != 1 || t.post != 0 || t.folded() != n {
		return r.chunk(r.whole(t, "the batch is cut into pieces"), n, int64(t.batch))
	}
	out := interp.NewTuple()
	for i := range n {
		out.Items = append(out.Items, r.sliceFolded(t, &interp.Slice{Lo: sym{i}, Hi: sym{i + 1}}))
	}
	return out
}

// tensorSplit cuts an axis at positions, or into pieces that are as equal as can be.
func tensorSplit(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "tensor_split", "indices_or_sections", "dim", "indices", "sections")
	where := interp.Or(b[0], interp.Or(b[2], interp.Or(b[3], nil)))
	at := r.dim(interp.Or(b[1], int64(0)), t.rank())
	size, ok := t.size(at).(int64)
	if !ok {
		t = r.whole(t, "the batch is cut into pieces")
		size = t.shape[at]
	}
	var ends []int64
	if n, isInt := interp.AsInt(where); isInt {
		if n < 1 || n > 4096 {
			r.in.Raise("RuntimeError", "number of sections must be larger than 0, got %d", n)
		}
		for i := range n {
			ends = append(ends, (i+1)*(size/n)+min(i+1, size%n))
		}
	} else {
		ends = append(r.intList("indices", where), size)
	}
	out, from := interp.NewTuple(), int64(0)
	for _, end := range ends {
		out.Items = append(out.Items, r.sliced(t, at, &interp.Slice{Lo: from, Hi: end}))
		from = end
	}
	return out
}

// splitOp is Tensor.split and Tensor.split_with_sizes.
func splitOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "split", "split_size", "dim", "split_sizes", "split_size_or_sections")
	size := interp.Or(b[0], interp.Or(b[2], interp.Or(b[3], nil)))
	dim := interp.Or(b[1], int64(0))
	at := r.dim(dim, t.rank())
	whole, ok := t.size(at).(int64)
	if !ok {
		if s, isSym := size.(sym); isSym && s.times == 1 {
			return r.chunkBatch(t, t.folded())
		}
		t = r.whole(t, "the batch is cut into pieces")
		whole = t.shape[at]
	}
	if n, ok := r.in.Int(size); ok {
		if n < 1 {
			r.in.Raise("RuntimeError", "split expects split_size be positive")
		}
		count := (whole + n - 1) / n
		if count > 4096 {
			r.in.Fault("a tensor is cut into %d pieces", count)
		}
		return r.pieces(t, "split", []graph.Param{param("splitSize", n)}, dim, count)
	}
	list := r.intList("split sizes", size)
	return r.pieces(t, "split", []graph.Param{param("splitSize", list)}, dim, int64(len(list)))
}

// unfoldOp is Tensor.unfold(dimension, size, step) or F.unfold(x, kernel_size, …).
func unfoldOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	if v, ok := a.Get("dimension", 0); ok && len(a.Pos)+len(a.Kw) == 3 {
		if _, isInt := interp.AsInt(v); isInt {
			b := a.Bind(r.in, "unfold", "dimension", "size", "step")
			at := r.dim(b[0], t.rank())
			n, ok := t.size(at).(int64)
			size, ok2 := interp.AsInt(b[1])
			step, ok3 := interp.AsInt(b[2])
			if !ok || !ok2 || !ok3 || step < 1 || size > n {
				r.in.Fault("unfold of this kind is not followed")
			}
			shape := slices.Clone(t.shape)
			shape[t.axis(at)] = (n-size)/step + 1
			return r.custom("unfold", append(shape, size), 0, t)
		}
	}
	return r.functionalLayer("Unfold", t, a)
}

// diff is the differences of neighbours, of a small constant.
func diff(r *reader, t *Tensor, a *interp.Args) interp.Value {
	if !t.constant() || len(t.shape) != 1 || int64(len(t.data)) != t.shape[0] || len(a.Pos)+len(a.Kw) > 0 || t.shape[0] < 1 {
		r.in.Fault("diff of this kind is not followed")
	}
	out := &Tensor{r: r, node: -1, shape: catalog.Of(t.shape[0] - 1), batch: -1, isInt: t.isInt}
	for i := 1; i < len(t.data); i++ {
		out.data = append(out.data, t.data[i]-t.data[i-1])
	}
	return out
}
