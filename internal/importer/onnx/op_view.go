package onnx

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

var (
	_ = register("Shape", operator{shape: shapeShape, fold: foldShape})
	_ = register("Size", operator{shape: func(_ *reading, n *node) error {
		n.set(0, elemInt64, []int64{})
		return n.need(1)
	}, fold: func(_ *reading, n *node) (*numbers, error) { return &numbers{ints: []int64{n.in[0].size()}}, nil }})
	_ = register("Reshape", operator{shape: reshapeShape, fold: foldView, emit: emitView})
	_ = register("Flatten", operator{shape: flattenShape, fold: foldView, emit: emitView})
	_ = register("Squeeze", operator{shape: squeezeShape, fold: foldView, emit: emitSqueeze})
	_ = register("Unsqueeze", operator{shape: unsqueezeShape, fold: foldView, emit: emitUnsqueeze})
	_ = register("Transpose", operator{shape: transposeShape, fold: foldTranspose, emit: emitTranspose})
)

func shapeShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	from, to := shapeRange(n)
	n.set(0, elemInt64, []int64{int64(to - from)})
	return nil
}

// shapeRange is the part of the shape that is asked for; both ends are clamped.
func shapeRange(n *node) (from, to int) {
	rank := int64(n.in[0].rank())
	clamp := func(v int64) int {
		if v < 0 {
			v += rank
		}
		return int(min(max(v, 0), rank))
	}
	from, to = clamp(n.int("start", 0)), clamp(n.int("end", rank))
	return from, max(from, to)
}

func foldShape(_ *reading, n *node) (*numbers, error) {
	from, to := shapeRange(n)
	return &numbers{ints: append([]int64{}, n.in[0].shape[from:to]...)}, nil
}

func reshapeShape(im *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	target, given, err := im.listed(n, 1, "shape")
	if err != nil {
		return err
	}
	if !given {
		return n.errorf("it has no shape")
	}
	if len(target) > maxRank {
		return n.errorf("its shape has %d axes", len(target))
	}
	in, out := n.in[0], slices.Clone(target)
	open := -1
	for i, size := range out {
		switch {
		case size == 0 && n.int("allowzero", 0) == 0 && i < in.rank():
			out[i] = in.shape[i]
		case size == -1 && open < 0:
			open, out[i] = i, 1
		case size < 1:
			return n.errorf("its shape %v is not one that %v can have", target, in.shape)
		}
	}
	size, ok := quantity.Mul(out...)
	if ok && open >= 0 && size > 0 {
		out[open] = in.size() / size
		size *= out[open]
	}
	if !ok || size != in.size() {
		return n.errorf("its shape is %v but the input has shape %v", target, in.shape)
	}
	n.set(0, in.elem, out)
	return nil
}

func flattenShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in := n.in[0]
	axis := n.int("axis", 1)
	if axis < 0 {
		axis += int64(in.rank())
	}
	if axis < 0 || axis > int64(in.rank()) {
		return n.errorf("axis %d is out of range for %v", axis, in.shape)
	}
	rows, _ := quantity.Mul(in.shape[:axis]...)
	columns, _ := quantity.Mul(in.shape[axis:]...)
	n.set(0, in.elem, []int64{rows, columns})
	return nil
}

// axes returns the axes of Squeeze and Unsqueeze, sorted, among those of a rank.
func (im *reading) axes(n *node, rank int) ([]int, bool, error) {
	list, given, err := im.listed(n, 1, "axes")
	if err != nil {
		return nil, false, err
	}
	var out []int
	for _, a := range list {
		i, err := n.axis(a, rank)
		if err != nil {
			return nil, false, err
		}
		if slices.Contains(out, i) {
			return nil, false, n.errorf("it names axis %d twice", i)
		}
		out = append(out, i)
	}
	slices.Sort(out)
	return out, given, nil
}

func squeezeShape(im *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in := n.in[0]
	axes, given, err := im.axes(n, in.rank())
	if err != nil {
		return err
	}
	out := []int64{}
	for i, size := range in.shape {
		named := slices.Contains(axes, i)
		if named && size != 1 {
			return n.errorf("axis %d of %v is not 1", i, in.shape)
		}
		if !named && (given || size != 1) {
			out = append(out, size)
		}
	}
	n.set(0, in.elem, out)
	return nil
}

func unsqueezeShape(im *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in := n.in[0]
	list, _, err := im.listed(n, 1, "axes")
	if err != nil {
		return err
	}
	rank := in.rank() + len(list)
	if rank > maxRank {
		return n.errorf("its result has %d axes", rank)
	}
	axes, _, err := im.axes(n, rank)
	if err != nil {
		return err
	}
	out, rest := make([]int64, 0, rank), in.shape
	for i := range rank {
		if slices.Contains(axes, i) {
			out = append(out, 1)
		} else {
			out, rest = append(out, rest[0]), rest[1:]
		}
	}
	n.set(0, in.elem, out)
	return nil
}

// regrouped finds the batch after the axes were grouped anew: it lies behind the same number of elements as before.
func (e *emitter) regrouped(in []int64, l layout, out []int64) (layout, error) {
	batch := e.im.batch
	if l.axis < 0 {
		if batch != 1 {
			return l, refused{"the place of the batch is not known"}
		}
		return soleAxis(out), nil
	}
	before := l.pre
	for _, size := range in[:l.axis] {
		before *= size
	}
	passed := int64(1)
	for i, size := range out {
		if batch == 1 {
			if size == 1 && passed == before {
				return layout{i, 1}, nil
			}
		} else if before%passed == 0 && size%(before/passed*batch) == 0 {
			return layout{i, before / passed}, nil
		}
		passed *= size
	}
	if batch == 1 {
		return noBatch, nil
	}
	return l, refused{fmt.Sprintf("the batch of %d is torn apart between %v and %v", batch, in, out)}
}

// soleAxis takes the only axis of size 1 for the batch, or the first if it is one.
func soleAxis(shape []int64) layout {
	found := -1
	for i, size := range shape {
		if size == 1 {
			if found >= 0 {
				found = -2
				break
			}
			found = i
		}
	}
	switch {
	case found >= 0:
		return layout{found, 1}
	case len(shape) > 0 && shape[0] == 1:
		return layout{0, 1}
	}
	return noBatch
}

// emitView emits what keeps the elements in their order.
func emitView(e *emitter, n *node) error {
	p := *e.at[n.in[0]]
	lay, err := e.regrouped(n.in[0].shape, p.layout, n.out[0].shape)
	if err != nil {
		return err
	}
	return e.view(n, p, lay)
}

func (e *emitter) view(n *node, p port, lay layout) error {
	out, err := e.reshaped(n, n.name, p, e.sample(n.out[0].shape, lay))
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, lay)
}

// emitSqueeze follows the axis of the batch through those that vanish.
func emitSqueeze(e *emitter, n *node) error {
	in, p := n.in[0], *e.at[n.in[0]]
	if p.axis < 0 {
		return emitView(e, n)
	}
	axes, given, err := e.im.axes(n, in.rank())
	if err != nil {
		return err
	}
	lay := layout{0, p.pre}
	for i, size := range in.shape {
		gone := slices.Contains(axes, i) || !given && size == 1
		if i == p.axis {
			if gone {
				lay = noBatch
			}
			break
		}
		if !gone {
			lay.axis++
		}
	}
	return e.view(n, p, lay)
}

func emitUnsqueeze(e *emitter, n *node) error {
	p := *e.at[n.in[0]]
	if p.axis < 0 {
		return emitView(e, n)
	}
	axes, _, err := e.im.axes(n, n.out[0].rank())
	if err != nil {
		return err
	}
	lay, old := layout{-1, p.pre}, 0
	for i := range n.out[0].shape {
		if slices.Contains(axes, i) {
			continue
		}
		if old == p.axis {
			lay.axis = i
			break
		}
		old++
	}
	return e.view(n, p, lay)
}

func perm(n *node) []int64 {
	if p := n.intList("perm"); p != nil {
		return p
	}
	out := make([]int64, n.in[0].rank())
	for i := range out {
		out[i] = int64(len(out) - 1 - i)
	}
	return out
}

func transposeShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in, order := n.in[0], perm(n)
	seen := make([]bool, in.rank())
	out := make([]int64, 0, in.rank())
	for _, i := range order {
		if i < 0 || i >= int64(in.rank()) || seen[i] {
			return n.errorf("its order %v is none of the axes of %v", order, in.shape)
		}
		seen[i] = true
		out = append(out, in.shape[i])
	}
	if len(out) != in.rank() {
		return n.errorf("its order %v is none of the axes of %v", order, in.shape)
	}
	n.set(0, in.elem, out)
	return nil
}

func foldTranspose(_ *reading, n *node) (*numbers, error) {
	own := strides(n.in[0].shape)
	steps := make([]int64, len(own))
	for i, from := range perm(n) {
		steps[i] = own[from]
	}
	return n.in[0].num.pick(n.out[0].shape, steps, 0), nil
}

func emitTranspose(e *emitter, n *node) error {
	in, p := n.in[0], *e.at[n.in[0]]
	lay, order := noBatch, []int64{}
	gone := e.dropped(in.shape, p.layout)
	for i, from := range perm(n) {
		if int(from) == p.axis {
			lay = layout{i, p.pre}
			if gone {
				continue
			}
		}
		if gone && int(from) > p.axis {
			from--
		}
		order = append(order, from)
	}
	out, err := e.permuted(n, p, order)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, lay)
}

// permuted exchanges axes of a sample. A permutation of a permutation is one.
func (e *emitter) permuted(n *node, p port, order []int64) (port, error) {
	from := p
	if c := e.comps[p.comp]; c.typ == "permute" {
		before := c.params[0].Value.List()
		joined := make([]int64, len(order))
		shape := make([]int64, len(order))
		for i, j := range order {
			joined[i] = before[j+1].Int() - 1
			shape[joined[i]] = p.shape[j]
		}
		from, order = port{comp: c.in[0], shape: shape, isInt: p.isInt, layout: p.layout}, joined
	}
	identity := true
	dims := []int64{0}
	for i, j := range order {
		identity = identity && int64(i) == j
		dims = append(dims, j+1)
	}
	if identity {
		return from, nil
	}
	return e.add(n, "permute", []graph.Param{list("dims", dims)}, nil, from)
}
