package onnx

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// Components see one sample, the file sees the batch. A layout says where in the axes of the file the batch is.
//
// Files are mostly exported with a batch of 1, or with one that is only named and then taken as 1. An axis of size 1 that is
// the batch is dropped; where the batch has been merged into another axis, as (batch·heads), nothing has to be dropped, since
// the elements of one sample are all there are: the layout then has no axis. With a larger batch its axis is always known,
// and what is merged with it stays in its place.

// layout is the place of the batch: the axis that is or holds it, -1 for none, and the size that lies before it in there.
type layout struct {
	axis int
	pre  int64
}

var noBatch = layout{axis: -1, pre: 1}

// sample is the shape of one sample.
func (e *emitter) sample(shape []int64, l layout) []int64 {
	if l.axis < 0 {
		return slices.Clone(shape)
	}
	if shape[l.axis] == e.im.batch {
		return slices.Delete(slices.Clone(shape), l.axis, l.axis+1)
	}
	out := slices.Clone(shape)
	out[l.axis] /= e.im.batch
	return out
}

// dropped reports whether the axis of the batch is the batch alone, which components do not see.
func (e *emitter) dropped(shape []int64, l layout) bool {
	return l.axis >= 0 && shape[l.axis] == e.im.batch
}

// dim is how a parameter of a component names an axis of the file; not ok for the batch.
func (e *emitter) dim(shape []int64, l layout, axis int) (int64, bool) {
	switch {
	case axis == l.axis:
		return 0, false
	case e.dropped(shape, l) && axis > l.axis:
		return int64(axis), true
	}
	return int64(axis) + 1, true
}

// guess is the layout of a result of which only the shape is known: the batch comes first.
func (e *emitter) guess(shape []int64) (layout, bool) {
	switch {
	case len(shape) > 0 && shape[0] == e.im.batch:
		return layout{0, 1}, true
	case e.im.batch == 1:
		return noBatch, true
	case len(shape) > 0 && shape[0]%e.im.batch == 0:
		return layout{0, 1}, true
	}
	return noBatch, false
}

// full returns a value with every axis of the file, which only a batch of 1 allows.
func (e *emitter) full(v *value) (port, error) {
	p := *e.at[v]
	if p.axis < 0 {
		return p, nil
	}
	if e.im.batch != 1 {
		return p, refused{fmt.Sprintf("it works along the batch of %d", e.im.batch)}
	}
	out, err := e.reshaped(v.def, v.name, p, v.shape)
	out.layout = noBatch
	return out, err
}

// placed returns a value whose batch is an axis by itself.
func (e *emitter) placed(v *value, axis int) (port, error) {
	p := *e.at[v]
	if p.axis == axis && e.dropped(v.shape, p.layout) {
		return p, nil
	}
	if e.im.batch != 1 || axis < 0 || axis >= len(v.shape) || v.shape[axis] != 1 {
		return p, refused{fmt.Sprintf("axis %d of %v is not the batch", axis, v.shape)}
	}
	l := layout{axis, 1}
	out, err := e.reshaped(v.def, v.name, p, e.sample(v.shape, l))
	out.layout = l
	return out, err
}

// clear returns a value one of whose axes is a component's to work along.
func (e *emitter) clear(v *value, axis int) (port, int64, error) {
	p := *e.at[v]
	dim, ok := e.dim(v.shape, p.layout, axis)
	if ok {
		return p, dim, nil
	}
	p, err := e.full(v)
	return p, int64(axis) + 1, err
}

// reshaped gives a port another shape. A view of a view is a view of what was there first.
func (e *emitter) reshaped(n *node, name string, p port, shape []int64) (port, error) {
	from := p
	if first, ok := e.views[p.comp]; ok {
		from = first
	}
	if slices.Equal(from.shape, shape) {
		from.layout = p.layout
		return from, nil
	}
	if slices.Equal(p.shape, shape) {
		return p, nil
	}
	if n == nil {
		n = &node{name: name}
	}
	typ, params := "reshape", []graph.Param{list("shape", shape)}
	if len(shape) == 1 && len(from.shape) > 1 {
		typ, params = "flatten", nil
	}
	out, err := e.add(n, typ, params, nil, from)
	if err == nil {
		e.views[out.comp] = from
	}
	out.layout = p.layout
	return out, err
}

// give says what a result of a node is.
func (e *emitter) give(v *value, p port, l layout) error {
	p.layout = l
	want := e.sample(v.shape, l)
	if !slices.Equal(p.shape, want) {
		return refused{fmt.Sprintf("the component gives %v, the operator %v", p.shape, want)}
	}
	e.at[v] = &p
	return nil
}

// same emits a type that keeps shape and layout of the first input.
func (e *emitter) same(n *node, typ string, params ...graph.Param) error {
	return e.layer(n, typ, params, nil)
}

// layer is same with weights.
func (e *emitter) layer(n *node, typ string, params []graph.Param, uses []use) error {
	e.pending = uses
	if n.in[0].konst {
		return refused{"its input is a constant"}
	}
	in := *e.at[n.in[0]]
	p, err := e.add(n, typ, params, uses, in)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, in.layout)
}

func emitSame(typ string) func(*emitter, *node) error {
	return func(e *emitter, n *node) error { return e.same(n, typ) }
}

// emitPass emits nothing: the result is the input.
func emitPass(e *emitter, n *node) error {
	e.at[n.out[0]] = e.at[n.in[0]]
	return nil
}

// alongAxis emits a type that works along one axis and keeps the shape.
func (e *emitter) alongAxis(n *node, axis int, what func(dim int64) (string, []graph.Param)) error {
	p, dim, err := e.clear(n.in[0], axis)
	if err != nil {
		return err
	}
	typ, params := what(dim)
	out, err := e.add(n, typ, params, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}

// batched returns the first input with the batch as axis 0, as layers take it.
func (e *emitter) batched(n *node) (port, error) {
	if n.in[0].konst {
		return port{}, refused{"its input is a constant"}
	}
	return e.placed(n.in[0], 0)
}

// batchedLayer emits a type for which the batch must be axis 0, before and behind it.
func (e *emitter) batchedLayer(n *node, typ string, params []graph.Param, uses []use) error {
	e.pending = uses
	in, err := e.batched(n)
	if err != nil {
		return err
	}
	p, err := e.add(n, typ, params, uses, in)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, layout{0, 1})
}
