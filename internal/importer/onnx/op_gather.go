package onnx

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// emitGather: a lookup in a stored table is an embedding; one entry of an axis a select, a run of them a slice.
func emitGather(e *emitter, n *node) error {
	data, index := n.in[0], n.in[1]
	axis, err := n.axis(n.int("axis", 0), data.rank())
	if err != nil {
		return err
	}
	if data.konst {
		return e.lookup(n, axis)
	}
	if !index.konst {
		return refused{"it takes entries that are chosen when the model runs"}
	}
	num, err := e.im.numbers(index)
	if err != nil || num == nil || num.ints == nil {
		return refused{"its indices are not known"}
	}
	p, dim, err := e.clear(data, axis)
	if err != nil {
		return err
	}
	if index.rank() == 0 && len(num.ints) == 1 {
		out, err := e.add(n, "select", []graph.Param{whole("dim", dim), whole("index", num.ints[0])}, nil, p)
		if err != nil {
			return err
		}
		if p.axis > axis {
			p.axis--
		}
		return e.give(n.out[0], out, p.layout)
	}
	if err := e.im.walks(n, int64(len(num.ints))); err != nil {
		return err
	}
	if index.rank() != 1 || !isRun(num.ints, data.shape[axis]) {
		return refused{"it takes entries that do not follow each other"}
	}
	start := num.ints[0]
	if start < 0 {
		start += data.shape[axis]
	}
	out, err := e.add(n, "slice", []graph.Param{whole("dim", dim), whole("start", start), whole("end", start+int64(len(num.ints)))}, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}

// isRun reports whether indices follow each other.
func isRun(list []int64, size int64) bool {
	for i := range list {
		if list[i] < -size || list[i] >= size || i > 0 && list[i] != list[i-1]+1 || i > 0 && list[i] == 0 {
			return false
		}
	}
	return len(list) > 0
}

// lookup emits an embedding. The result has the axes of the ids and one more, so that the batch stays where it is.
func (e *emitter) lookup(n *node, axis int) error {
	table, ids := n.in[0], n.in[1]
	if axis != 0 || table.rank() != 2 || !table.elem.isFloat() && len(table.parts) == 0 {
		return refused{"it looks up entries in a stored tensor of shape " + shapeText(table.shape)}
	}
	p := *e.at[ids]
	uses := e.weights(n, table)
	if e.im.batch == 1 && len(uses) == 1 && !e.isTrained(table) && e.isSinusoid(uses[0].t) {
		e.pending = []use{}
		return refused{"it looks up fixed sinusoids"}
	}
	e.pending = uses
	out, err := e.add(n, "embedding", []graph.Param{whole("numEmbeddings", table.shape[0]), whole("embeddingDim", table.shape[1])}, uses, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}

func shapeText(shape []int64) string { return graph.IntsValue(shape...).String() }

var (
	_ = register("Expand", operator{shape: expandShape, fold: foldExpand, emit: emitExpand})
	_ = register("Tile", operator{shape: tileShape, fold: foldTile, emit: emitTile})
)

func expandShape(im *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	to, err := im.intsOf(n, 1, "sizes")
	if err != nil {
		return err
	}
	if len(to) > maxRank || slices.ContainsFunc(to, func(s int64) bool { return s < 0 }) {
		return n.errorf("its shape is %v", to)
	}
	out, err := broadcast(n, n.in[0].shape, to)
	n.set(0, n.in[0].elem, out)
	return err
}

func foldExpand(_ *reading, n *node) (*numbers, error) {
	return n.in[0].num.stretch(n.in[0].shape, n.out[0].shape), nil
}

func emitExpand(e *emitter, n *node) error {
	in, out := n.in[0], n.out[0]
	p := *e.at[in]
	lay := p.layout
	if lay.axis >= 0 {
		lay.axis += out.rank() - in.rank()
		if out.shape[lay.axis] != in.shape[p.axis] {
			var err error
			if p, err = e.full(in); err != nil {
				return err
			}
			lay = noBatch
		}
	}
	target := e.sample(out.shape, lay)
	wide := append(slices.Repeat([]int64{1}, len(target)-len(p.shape)), p.shape...)
	q, err := e.reshaped(n, n.name, p, wide)
	if err == nil && !slices.Equal(wide, target) {
		q, err = e.add(n, "expand", []graph.Param{list("shape", target)}, nil, q)
	}
	if err != nil {
		return err
	}
	return e.give(out, q, lay)
}

func tileShape(im *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	times, err := im.intsOf(n, 1, "repeats")
	if err != nil {
		return err
	}
	if len(times) != n.in[0].rank() {
		return n.errorf("it repeats %v %v times", n.in[0].shape, times)
	}
	out := slices.Clone(n.in[0].shape)
	for i, t := range times {
		if t < 0 || t > 1<<31 {
			return n.errorf("it repeats %v %v times", n.in[0].shape, times)
		}
		if out[i] > 1<<31 {
			return n.errorf("its result is too large")
		}
		out[i] *= t
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

func foldTile(_ *reading, n *node) (*numbers, error) {
	// Every axis is read as (repeat, size), of which the first stands still.
	var shape, steps []int64
	own := strides(n.in[0].shape)
	for i, size := range n.in[0].shape {
		shape = append(shape, n.in[1].num.ints[i], size)
		steps = append(steps, 0, own[i])
	}
	return n.in[0].num.pick(shape, steps, 0), nil
}

func emitTile(e *emitter, n *node) error {
	times, err := e.im.intsOf(n, 1, "repeats")
	if err != nil {
		return err
	}
	in, p := n.in[0], *e.at[n.in[0]]
	if p.axis >= 0 && times[p.axis] != 1 {
		if p, err = e.full(in); err != nil {
			return err
		}
	}
	repeats := []int64{}
	for i, t := range times {
		if i != p.axis || !e.dropped(in.shape, p.layout) {
			repeats = append(repeats, t)
		}
	}
	if !slices.ContainsFunc(repeats, func(t int64) bool { return t != 1 }) {
		return e.give(n.out[0], p, p.layout)
	}
	out, err := e.add(n, "repeat", []graph.Param{list("repeats", repeats)}, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}
