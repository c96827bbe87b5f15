package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Programs that mix the samples of a batch. A graph has no batch, so what is computed of all samples together stands in it as a
// component of declared shape. Where the size of such a result depends on how many samples there are, the program is read for one
// batch: the one that --input gave, else two. A note says so, and what is raised behind it is certain where every batch raises it.

// defaultBatch is the batch that a program is read for where the inputs do not say one.
const defaultBatch = 2

// samples is the size of the batch that the program is read for. why says what needs it.
func (r *reader) samples(why string) int64 {
	if r.unbatched {
		return 1
	}
	if r.batch < 1 {
		r.batch = defaultBatch
	}
	if !r.fixed {
		r.fixed = true
		r.in.Note("read for a batch of %d: %s", r.batch, why)
	}
	if !r.options.every {
		r.in.Guess("the program is read for a batch of %d", r.batch)
	}
	return r.batch
}

// raiseForBatch raises an exception that depends on how many samples there are: in doubt, unless the program is read for many batches.
func (r *reader) raiseForBatch(class, format string, args ...any) {
	if r.options.every {
		r.in.Raise(class, format, args...)
	}
	r.in.Doubt(class, format, args...)
}

// count is the size for the batch that the program is read for.
func (s sym) count(in *interp.Interp, why string) int64 { return s.times * in.Assume(why) }

// Count is for range(), indices and the like, which take numbers only.
func (s sym) Count(in *interp.Interp) int64 {
	return s.count(in, "a number is needed where the size of the batch stands")
}

// ofAll reports whether a tensor is one for all samples together: computed of them, or, where the program is read for a batch from the
// beginning, of weights and constants alone.
func (t *Tensor) ofAll() bool { return t.batch < 0 && (t.joint || t.r != nil && t.r.pinned) }

// whole makes the batch an axis like any other, of the size that the program is read for.
func (r *reader) whole(t *Tensor, why string) *Tensor {
	if t.batch < 0 {
		return t
	}
	n := r.samples(why)
	shape := append(catalog.Of(), t.shape[:t.batch]...)
	shape = append(append(shape, t.folded()*n), t.shape[t.batch+t.pre+t.post:]...)
	if t.constant() {
		return &Tensor{r: r, node: -1, shape: shape, batch: -1, isInt: t.isInt}
	}
	return r.together("all samples", shape, t)
}

// together is a result of all samples, without a batch.
func (r *reader) together(name string, shape catalog.Shape, inputs ...*Tensor) *Tensor {
	isInt := inputs[0].isInt
	out := r.custom(name, shape, 0, inputs...)
	out.batch, out.pre, out.post, out.joint, out.isInt = -1, 0, 0, true, isInt
	return out
}

// rebatch makes an axis that holds as many entries as there are samples, or a multiple, the batch again.
func (r *reader) rebatch(t *Tensor, axis int) *Tensor {
	k := t.shape[axis] / r.batch
	shape := append(catalog.Of(), t.shape[:axis]...)
	post := 0
	if k > 1 {
		shape, post = append(shape, k), 1
	}
	isInt := t.isInt
	r.place(t)
	out := r.custom("each sample", append(shape, t.shape[axis+1:]...), 0, t)
	out.batch, out.pre, out.post, out.isInt = axis, 0, post, isInt
	return out
}

// fits reports whether an axis of a tensor without a batch can stand for it.
func (r *reader) fits(t *Tensor, axis int) bool {
	return r.fixed && t.batch < 0 && axis < len(t.shape) && t.shape[axis] > 0 && t.shape[axis]%r.batch == 0
}

// batched gives a tensor of all samples its batch back at an axis, where that fits.
func (r *reader) batched(t *Tensor, axis int) *Tensor {
	if t.ofAll() && r.fits(t, axis) && t.shape[axis] == r.batch {
		return r.rebatch(t, axis)
	}
	return t
}

// likeBatch gives a tensor without a batch the batch axis of another, with what is folded into it; nil where it does not fit.
func (r *reader) likeBatch(t, lead *Tensor, axis int) *Tensor {
	if !r.fits(t, axis) || t.shape[axis] != lead.folded()*r.batch {
		return nil
	}
	folds := lead.shape[lead.batch : lead.batch+lead.pre+lead.post]
	isInt := t.isInt
	r.place(t)
	out := r.custom("each sample", slices.Concat(t.shape[:axis], folds, t.shape[axis+1:]), 0, t)
	out.batch, out.pre, out.post, out.isInt = axis, lead.pre, lead.post, isInt
	return out
}

// allJoint reports whether a component runs once for all samples, on what was computed of them.
func allJoint(inputs []*Tensor) bool {
	some := false
	for _, t := range inputs {
		if t.batch >= 0 {
			return false
		}
		some = some || t.ofAll()
	}
	return some
}

func anyJoint(inputs []*Tensor) bool {
	return slices.ContainsFunc(inputs, func(t *Tensor) bool { return t.joint })
}

// share is what one sample has of FLOPs that all of them take together; none where they do not divide.
func (r *reader) share(total int64) []graph.Param {
	if total == 0 {
		return []graph.Param{param("flops", 0)}
	}
	if n := r.samples("FLOPs of a sample are its share of what all take together"); total > 0 && total%n == 0 {
		return []graph.Param{param("flops", total/n)}
	}
	return nil
}

// applyJoint puts a component of declared shape where a component with FLOPs runs once for all samples.
func (r *reader) applyJoint(typ string, res catalog.Result, inputs []*Tensor) *Tensor {
	out := inputs[0].clone()
	out.shape, out.isInt, out.joint = res.Out, res.OutIsInt, true
	params := append([]graph.Param{param("outShape", res.Out), param("code", typ), param("numParams", 0)}, r.share(res.FLOPs)...)
	out.node = r.component("customModule", typ, params, inputs)
	r.customs++
	return out
}

// attachJoint runs a layer on what was computed of all samples: on each entry of its first axis, where the layer takes a batch.
func (r *reader) attachJoint(typ string, spatial int, params []graph.Param, weights []child, inputs []*Tensor) *Tensor {
	t := inputs[0]
	if r.unbatched {
		return r.attachUnbatched(typ, spatial, params, weights, inputs)
	}
	single := spatial == 0 || spatial > 0 && len(t.shape) == spatial+1 // which PyTorch takes without a batch
	if len(t.shape) > 1 && r.fits(t, 0) && t.shape[0] == r.batch && !(single && spatial > 0) {
		return r.attach(typ, spatial, params, weights, append([]*Tensor{r.rebatch(t, 0)}, inputs[1:]...))
	}
	lead, inner := catalog.Of(), t.shape
	if !single && len(t.shape) > 0 {
		lead, inner = t.shape[:1], t.shape[1:]
	}
	res := r.evaluate(typ, params, append([]*Tensor{{shape: inner, isInt: t.isInt}}, inputs[1:]...))
	if res.Err != nil && r.options.every {
		r.in.Raise("RuntimeError", "%s gets %s: %s", typ, r.describe(t), res.Err.Message)
	}
	if res.Err != nil || res.Out == nil {
		r.in.Fault("%s gets %s, which all samples gave together: what comes out is not known", typ, r.describe(t))
	}
	return r.opaqueJoint(typ, slices.Concat(lead, res.Out), res.OutIsInt, res.FLOPs*product(lead), weights, inputs)
}

// attachUnbatched runs a layer on a tensor of a program without a batch. One that takes a batch takes the first axis for it.
func (r *reader) attachUnbatched(typ string, spatial int, params []graph.Param, weights []child, inputs []*Tensor) *Tensor {
	t := *inputs[0]
	if spatial == 0 || spatial > 0 && len(t.shape) == spatial+1 || len(t.shape) == 0 {
		return r.weighted(typ, params, weights, inputs, nil)
	}
	if t.shape[0] == 1 {
		one := r.reshapeGraph(&t, t.shape[1:])
		one.batch = 0
		out := r.weighted(typ, params, weights, append([]*Tensor{one}, inputs[1:]...), nil)
		out.batch, out.joint = -1, true
		return r.unsqueeze(out, 0)
	}
	t.batch, t.pre, t.post = 0, 0, 1
	out := r.attach(typ, spatial, params, weights, append([]*Tensor{&t}, inputs[1:]...))
	out.batch, out.pre, out.post, out.joint = -1, 0, 0, true
	return out
}

// opaqueJoint is a component of declared shape with weights, of which a sample has its share of the FLOPs.
func (r *reader) opaqueJoint(typ string, shape catalog.Shape, isInt bool, total int64, weights []child, inputs []*Tensor) *Tensor {
	count := int64(0)
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted {
			count += w.value.(*Tensor).shape.Size()
		}
	}
	params := append([]graph.Param{param("outShape", shape), param("code", typ), param("numParams", count)}, r.share(total)...)
	out := inputs[0].clone()
	out.node = r.component("customModule", r.leafName(typ), params, inputs)
	out.shape, out.isInt = shape, isInt
	r.customs++
	book(weights, out.node)
	return out
}

// reduceBatch is a reduction over the batch, and over other axes with it: one result of all samples.
func (r *reader) reduceBatch(typ string, t *Tensor, drop map[int]bool, keep bool) *Tensor {
	shape := catalog.Of()
	for i := range t.rank() {
		switch {
		case drop[i] && keep:
			shape = append(shape, 1)
		case !drop[i]:
			shape = append(shape, t.shape[t.axis(i)])
		}
	}
	if t.constant() {
		return &Tensor{r: r, node: -1, shape: shape, batch: -1, isInt: t.isInt && typ == "sum"}
	}
	out := r.together(typ+" over the batch", shape, t)
	out.isInt = t.isInt && typ == "sum"
	return out
}

// acrossBatch is an operation along the batch that keeps the shape, such as a softmax over it.
func (r *reader) acrossBatch(name string, t *Tensor) *Tensor {
	isInt := t.isInt
	out := r.custom(name+" over the batch", t.shape, 0, t)
	out.isInt = isInt
	return out
}

// sample takes one sample, or one entry of a batch axis with others folded in.
func (r *reader) sample(t *Tensor, n int64) *Tensor {
	if n > 1 || n < -2 {
		size := t.folded() * r.samples("a sample is taken out of the batch by its number")
		if n >= size || n < -size {
			r.raiseForBatch("IndexError", "index %d is out of bounds for dimension %d with size %d", n, t.batch, size)
		}
	}
	shape := slices.Concat(t.shape[:t.batch], t.shape[t.batch+t.pre+t.post:])
	if t.constant() {
		return &Tensor{r: r, node: -1, shape: shape, batch: -1, isInt: t.isInt}
	}
	return r.together("one sample", shape, t)
}

// concrete replaces sizes that depend on the batch by numbers.
func (r *reader) concrete(sizes []interp.Value) []interp.Value {
	out := slices.Clone(sizes)
	for i, v := range out {
		if s, ok := v.(sym); ok {
			out[i] = s.count(r.in, "a tensor is shaped with the size of the batch")
		}
	}
	return out
}

// viewWhole is a view that takes the batch apart, or has it twice: of all samples together.
func (r *reader) viewWhole(t *Tensor, want []interp.Value, why string) *Tensor {
	all := r.whole(t, why)
	sizes := r.concrete(want)
	known, free := int64(1), false
	for _, v := range sizes {
		if n, ok := interp.AsInt(v); ok && n != -1 {
			known *= n
		} else {
			free = true
		}
	}
	total := all.shape.Size()
	if known <= 0 || total%known != 0 || !free && total != known {
		r.raiseForBatch("RuntimeError", "shape %s is invalid for a tensor of %s", describeSizes(want), r.describe(t))
	}
	out := r.reshapeGraph(all, r.fillFixed(sizes, total, all))
	out.batch, out.pre, out.post, out.joint = -1, 0, 0, !out.constant()
	return out
}

// repeatBatch copies the whole batch n times, one copy behind the other.
func (r *reader) repeatBatch(t *Tensor, n int64) *Tensor {
	wide := r.reshapeGraph(t, slices.Insert(slices.Clone(t.shape), t.batch, 1))
	goal := slices.Insert(slices.Clone(t.shape), t.batch, n)
	out := r.apply("expand", "repeat", []graph.Param{param("shape", goal)}, wide)
	out.batch, out.pre, out.post = t.batch, t.pre+1, t.post
	return out
}

// interleaveBatch copies every sample n times, the copies of one beside each other.
func (r *reader) interleaveBatch(t *Tensor, n int64) *Tensor {
	at := t.batch + t.pre + t.post
	wide := r.reshapeGraph(t, slices.Insert(slices.Clone(t.shape), at, 1))
	out := r.apply("expand", "repeat_interleave", []graph.Param{param("shape", slices.Insert(slices.Clone(t.shape), at, n))}, wide)
	out.batch, out.pre, out.post = t.batch, t.pre, t.post+1
	return out
}
