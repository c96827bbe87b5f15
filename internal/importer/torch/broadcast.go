package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// align brings tensors to one rank and one layout, as PyTorch's broadcasting does: axes are aligned from the end, and those that
// are missing are of size 1. Each gets graph axes of size 1 where another has an axis, so that the catalogue's merges, which take
// equal ranks, fit. last axes at the end are left as they are (2 for a matrix product).
func (r *reader) align(what string, last int, tensors ...*Tensor) []*Tensor {
	rank := 0
	for _, t := range tensors {
		rank = max(rank, t.rank())
	}
	// Where the batch is, counted from the end, and what is folded into it.
	var lead *Tensor
	at := -1
	for _, t := range tensors {
		if here := t.batch + rank - t.rank(); t.batch >= 0 && (lead == nil || here < at) {
			lead, at = t, here
		}
	}
	if at >= rank-last && last > 0 && lead != nil {
		lead, at = nil, -1
		tensors = r.wholeAll(what+" works on the batch axis", tensors)
	}
	for i, t := range tensors {
		if t.batch < 0 || lead == nil || t.batch+rank-t.rank() == at && foldsLike(t, lead) {
			continue
		}
		tensors = slices.Clone(tensors)
		tensors[i] = r.whole(t, what+" puts the batch beside another axis")
	}
	out := make([]*Tensor, len(tensors))
	for i, t := range tensors {
		out[i] = r.alignOne(what, t, lead, rank, at)
	}
	return out
}

func foldsLike(a, b *Tensor) bool {
	return a.pre == b.pre && a.post == b.post && slices.Equal(a.shape[a.batch:a.batch+a.pre+a.post], b.shape[b.batch:b.batch+b.pre+b.post])
}

func (r *reader) alignOne(what string, t, lead *Tensor, rank, at int) *Tensor {
	missing := rank - t.rank()
	shape := append(catalog.Shape(slices.Repeat([]int64{1}, missing)), t.shape...)
	if lead == nil {
		res := r.reshapeGraph(t, shape)
		res.batch = -1
		return res
	}
	if t.batch < 0 {
		// Its axis under the batch is 1 or missing: it becomes the batch, with axes of size 1 for what is folded in.
		if like := r.likeBatch(r.padded(t, shape), lead, at); like != nil && shape[at] != 1 {
			return like
		}
		if shape[at] != 1 {
			r.besideBatch(what, lead, shape[at])
		}
		folds := slices.Repeat([]int64{1}, lead.pre+lead.post)
		shape = slices.Concat(shape[:at], folds, shape[at+1:])
	}
	res := r.reshapeGraph(t, shape)
	res.batch, res.pre, res.post = at, lead.pre, lead.post
	return res
}

// besideBatch raises where a tensor has a number of entries that are neither one nor known to be as many as there are samples.
func (r *reader) besideBatch(what string, lead *Tensor, entries int64) {
	const message = "The size of tensor a must match the size of tensor b: %s has %d entries where the batch is"
	if n := lead.folded() * r.samples(what+" has numbers where the batch is"); n == 1 || n == entries {
		r.in.Doubt("RuntimeError", message, what, entries)
	}
	r.raiseForBatch("RuntimeError", message, what, entries)
}

// padded gives a tensor without a batch axes of size 1 in front.
func (r *reader) padded(t *Tensor, shape catalog.Shape) *Tensor {
	if len(shape) == len(t.shape) {
		return t
	}
	return r.reshapeGraph(t, shape)
}

func (r *reader) wholeAll(why string, tensors []*Tensor) []*Tensor {
	out := make([]*Tensor, len(tensors))
	for i, t := range tensors {
		out[i] = r.whole(t, why)
	}
	return out
}

// merge is element-wise arithmetic of tensors.
func (r *reader) merge(typ string, tensors ...*Tensor) *Tensor {
	aligned := r.align(typ, 0, tensors...)
	if len(r.inputs) == 0 { // in the constructor, where no component can say it
		shape := aligned[0].shape
		for _, t := range aligned[1:] {
			shape = r.broadcastShapes(typ, shape, t.shape)
		}
	}
	if t := r.shifted(typ, aligned); t != nil {
		return t
	}
	out := r.apply(typ, typ, nil, aligned...)
	r.layoutOf(out, aligned)
	out.width = promoted(tensors)
	if out.constant() {
		out.data = foldData(typ, tensors)
	}
	return out
}

// shifted is arithmetic of token ids with constant integers, such as offsets into one table: it changes values only.
func (r *reader) shifted(typ string, t []*Tensor) *Tensor {
	if len(t) != 2 || typ == "divide" || !t[0].isInt || !t[1].isInt || t[0].constant() == t[1].constant() {
		return nil
	}
	if t[0].constant() {
		t[0], t[1] = t[1], t[0]
	}
	if !r.broadcastShapes(typ, t[0].shape, t[1].shape).Equal(t[0].shape) {
		return nil
	}
	return t[0]
}

func (r *reader) layoutOf(out *Tensor, from []*Tensor) {
	out.batch, out.pre, out.post = from[0].batch, from[0].pre, from[0].post
}

// foldData computes small constants, which models read back as numbers.
func foldData(typ string, t []*Tensor) []float64 {
	if len(t) != 2 || len(t[0].data) == 0 || len(t[0].data) != len(t[1].data) || !t[0].shape.Equal(t[1].shape) {
		return nil
	}
	out := t[0].r.floats(len(t[0].data))
	for i := range out {
		a, b := t[0].data[i], t[1].data[i]
		switch typ {
		case "add":
			out[i] = a + b
		case "subtract":
			out[i] = a - b
		case "multiply":
			out[i] = a * b
		default:
			return nil
		}
	}
	return out
}

// matmul is a @ b.
func (r *reader) matmul(a, b *Tensor) *Tensor {
	if a.rank() == 0 || b.rank() == 0 {
		r.in.Raise("RuntimeError", "both arguments to matmul need to be at least 1D")
	}
	dropA, dropB := a.rank() == 1, b.rank() == 1
	if dropB && a.size(a.rank()-1) == b.size(0) { // mv and dot, for which PyTorch counts no FLOPs
		r.sameWidth("matmul", a, b)
		return r.declared("matmul", a.dims()[:a.rank()-1], 0, a, b)
	}
	if dropA {
		a = r.view(a, append([]interp.Value{int64(1)}, a.dims()...))
	}
	if dropB {
		b = r.view(b, append(b.dims(), int64(1)))
	}
	r.sameWidth("matmul", a, b)
	out := r.product(a, b)
	if a.rank() != b.rank() || a.rank() > 2 && a.batch < 0 { // which may be folded into one product, and turned
		out.contiguous = false
	}
	if dropB {
		out = r.view(out, out.dims()[:out.rank()-1])
	}
	if dropA {
		d := out.dims()
		at := len(d) - 2
		if dropB {
			at = len(d) - 1
		}
		out = r.view(out, slices.Delete(d, at, at+1))
	}
	return out
}

// product is a @ b of tensors that have two axes or more.
func (r *reader) product(a, b *Tensor) *Tensor {
	rows, columns := a.batch >= 0 && a.batch == a.rank()-2, b.batch >= 0 && b.batch == b.rank()-1
	switch {
	case a.rank() == 2 && rows && b.rank() == 2:
		// (batch, k) @ (k, n): for each sample a matrix of one row.
		b = r.whole(b, "a product of the samples of a batch with each other")
		one := r.view(a, []interp.Value{a.size(0), int64(1), a.size(1)})
		res := r.matmul(one, b)
		return r.view(res, []interp.Value{res.size(0), res.size(2)})
	case rows && b.rank() == 2 && b.batch < 0 && a.rank() > 2:
		// The batch is among the rows, each of which is multiplied by itself.
		front := append([]int{a.batch}, without(a.rank(), a.batch)...)
		res := r.product(r.permute(a, front), b)
		return r.permute(res, inverse(front))
	case columns && b.rank() == 2 && a.rank() == 2 && a.batch < 0:
		return r.swap(r.product(r.swap(b, 0, 1), r.swap(a, 0, 1)), 0, 1)
	}
	ab := r.align("matmul", 2, a, b)
	out := r.apply("matmul", "matmul", nil, ab...)
	r.layoutOf(out, ab)
	return out
}

// without are the axes but one.
func without(rank, axis int) []int {
	var out []int
	for i := range rank {
		if i != axis {
			out = append(out, i)
		}
	}
	return out
}

// inverse is the order that undoes another.
func inverse(order []int) []int {
	out := make([]int, len(order))
	for i, o := range order {
		out[o] = i
	}
	return out
}

// concat is torch.cat.
func (r *reader) concat(tensors []*Tensor, dim interp.Value) *Tensor {
	if len(tensors) == 0 {
		r.in.Raise("RuntimeError", "torch.cat(): expected a non-empty list of Tensors")
	}
	tensors = r.solid(tensors, dim)
	if len(tensors) == 1 {
		return tensors[0]
	}
	first := tensors[0]
	for _, t := range tensors {
		if t.batch >= 0 {
			first = t
		}
	}
	aligned := make([]*Tensor, len(tensors))
	for i, t := range tensors {
		if t.rank() != first.rank() {
			r.in.Raise("RuntimeError", "Tensors must have same number of dimensions: got %d and %d", first.rank(), t.rank())
		}
		aligned[i] = t
	}
	if axis := r.dim(dim, first.rank()); slices.ContainsFunc(tensors, func(t *Tensor) bool { return t.batch == axis }) {
		return r.concatBatch(tensors, first)
	}
	if first.batch >= 0 {
		aligned = r.align("cat", 0, tensors...)
	}
	out := r.apply("concatenate", "cat", []graph.Param{param("dim", r.sampleAxis(aligned[0], dim, "cat"))}, aligned...)
	r.layoutOf(out, aligned)
	return out
}

// concatBatch joins tensors along the batch, as siamese and contrastive networks do: a new folded axis in front of the batch.
func (r *reader) concatBatch(tensors []*Tensor, first *Tensor) *Tensor {
	equal := true
	for _, t := range tensors {
		equal = equal && t.batch == first.batch && t.pre+t.post == 0 && t.shape.Equal(first.shape)
	}
	if !equal {
		return r.concatFolded(tensors, first)
	}
	out := r.apply("stack", "cat", []graph.Param{param("dim", first.batch+1)}, tensors...)
	out.batch, out.pre, out.post = first.batch, 1, 0
	return out
}

// concatFolded joins tensors along the batch of which some have it several times, or not at all.
func (r *reader) concatFolded(tensors []*Tensor, first *Tensor) *Tensor {
	parts := make([]*Tensor, len(tensors))
	for i, t := range tensors {
		if t.batch != first.batch || t.post > 0 {
			all := r.wholeAll("tensors of different sizes are joined along the batch", tensors)
			return r.concat(all, int64(first.batch))
		}
		folds := t.folded()
		shape := slices.Concat(t.shape[:t.batch], catalog.Of(folds), t.shape[t.batch+t.pre:])
		parts[i] = r.reshapeGraph(t, shape)
		parts[i].batch, parts[i].pre, parts[i].post = t.batch, 1, 0
	}
	out := r.apply("concatenate", "cat", []graph.Param{param("dim", first.batch+1)}, parts...)
	out.batch, out.pre, out.post = first.batch, 1, 0
	return out
}

// stack is torch.stack.
func (r *reader) stack(tensors []*Tensor, dim interp.Value) *Tensor {
	if len(tensors) == 0 {
		r.in.Raise("RuntimeError", "stack expects a non-empty TensorList")
	}
	aligned := r.align("stack", 0, tensors...)
	t := aligned[0]
	at := r.dim(dim, t.rank()+1)
	g, batch := at, t.batch
	switch {
	case t.batch < 0:
	case at <= t.batch:
		batch++
	default:
		g = at - 1 + t.pre + t.post
	}
	out := r.apply("stack", "stack", []graph.Param{param("dim", g+1)}, aligned...)
	out.batch, out.pre, out.post = batch, t.pre, t.post
	return out
}

// split is torch.split and torch.chunk: one component for each piece.
func (r *reader) pieces(t *Tensor, typ string, params []graph.Param, dim interp.Value, n int64) interp.Value {
	axis := r.sampleAxis(t, dim, typ)
	out := interp.NewTuple()
	from := int64(0)
	for i := range n {
		all := append(slices.Clone(params), param("dim", axis), param("index", i))
		piece := r.apply(typ, typ, all, t)
		if len(t.shape) == 1 && int64(len(t.data)) == t.shape[0] && piece.constant() { // numbers that models read back
			piece.data, piece.isInt = t.data[from:from+piece.shape[0]], t.isInt
			from += piece.shape[0]
		}
		out.Items = append(out.Items, piece.moved(t, func(_, strides []int64) []int64 { return slices.Clone(strides) }))
	}
	return out
}
