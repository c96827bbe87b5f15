package onnx

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// emitMerge emits a merge of the catalogue: inputs are brought to one number of axes, so that the batch of each meets that of
// the others. Constants become parameter components, unless the pair is known as something else.
func emitMerge(typ string) func(*emitter, *node) error {
	return func(e *emitter, n *node) error {
		if done, err := e.withConstant(n, typ); done || err != nil {
			return err
		}
		lay, err := e.meeting(n)
		if err != nil {
			return err
		}
		var in []port
		for _, v := range n.in {
			if v == nil {
				continue
			}
			p, err := e.operand(n, v, lay)
			if err != nil {
				return err
			}
			in = append(in, p)
		}
		p, err := e.add(n, typ, nil, nil, in...)
		if err != nil {
			return err
		}
		return e.give(n.out[0], p, lay)
	}
}

// meeting is the layout of the result of a merge: the batch of the first input that has one, if the others can have it there.
func (e *emitter) meeting(n *node) (layout, error) {
	out := n.out[0].shape
	for _, v := range n.in {
		if v == nil || v.konst || e.at[v].axis < 0 {
			continue
		}
		p := e.at[v]
		lay := layout{p.axis + len(out) - len(v.shape), p.pre}
		for _, w := range n.in {
			if w != nil && !e.fits(w, lay.axis-len(out), p) {
				if e.im.batch == 1 {
					return noBatch, nil
				}
				return lay, refused{"its inputs have the batch in different places"}
			}
		}
		if out[lay.axis] != v.shape[p.axis] {
			if e.im.batch == 1 {
				return noBatch, nil
			}
			return lay, refused{"it stretches the axis of the batch"}
		}
		return lay, nil
	}
	return noBatch, nil
}

// fits reports whether the batch of a value is, or can be, at an axis that is counted from the end.
func (e *emitter) fits(v *value, fromEnd int, like *port) bool {
	i := len(v.shape) + fromEnd
	switch {
	case v.konst: // one that has the batch's size there has the same for every sample
		return i < 0 || v.shape[i] == 1 || v.shape[i] == e.im.batch
	case e.at[v].axis >= 0 && e.at[v].axis == i:
		return e.at[v].pre == like.pre
	case e.im.batch != 1:
		return false
	}
	return i < 0 || v.shape[i] == 1
}

// operand is an input of a merge with the number of axes of the result.
func (e *emitter) operand(n *node, v *value, lay layout) (port, error) {
	out := n.out[0].shape
	wide := append(slices.Repeat([]int64{1}, len(out)-len(v.shape)), v.shape...)
	shape := wide
	if lay.axis >= 0 && e.dropped(out, lay) {
		shape = slices.Delete(slices.Clone(wide), lay.axis, lay.axis+1)
	} else if lay.axis >= 0 {
		shape = slices.Clone(wide)
		shape[lay.axis] = max(shape[lay.axis]/e.im.batch, 1)
	}
	if v.konst {
		return e.tensor(n, v, shape)
	}
	return e.reshaped(n, n.name, *e.at[v], shape)
}

// tensor is a constant as a component: a parameter of the model, or a fixed tensor. What was computed from parameters when the
// file was made is a customModule behind them.
func (e *emitter) tensor(n *node, v *value, shape []int64) (port, error) {
	if !e.isTrained(v) {
		return e.add(n, "parameter", []graph.Param{list("shape", shape), boolean("trainable", false)}, nil, e.origin())
	}
	uses := e.whole(n, v)
	if e.over != nil {
		return port{}, e.over
	}
	if len(uses) == 1 && (v.cut != nil || uses[0].size == v.size()) {
		stored := shape
		if v.cut != nil {
			stored = v.cut.t.dims
		}
		p, ok, err := e.stored(n, uses[0], stored)
		if ok || err != nil {
			if err != nil {
				return p, err
			}
			return e.cutTo(n, v, p, shape)
		}
	}
	var in []port
	for _, u := range uses {
		p, ok, err := e.stored(n, u, u.t.dims)
		if err != nil {
			return p, err
		}
		if ok {
			in = append(in, p)
		}
	}
	if len(in) == 0 {
		in = append(in, e.origin())
	}
	e.im.note(n, "it reads what is computed from %s: that is a customModule with its shape", uses[0].t.name)
	return e.add(n, "customModule", []graph.Param{list("outShape", shape)}, nil, in...)
}

// stored is a tensor of the file as a parameter component, made once; not ok where the tensor belongs to another component.
func (e *emitter) stored(n *node, u use, shape []int64) (port, bool, error) {
	if p, ok := e.tensors[u.t]; ok {
		return p, true, nil
	}
	if _, ok := e.claimed[u.key]; ok {
		return port{}, false, nil
	}
	if len(shape) == 0 && u.size != 1 {
		return port{}, false, nil
	}
	u.perUse = false // one component, however often it is read
	p, err := e.add(n, "parameter", []graph.Param{list("shape", shape)}, []use{u}, e.origin())
	if err == nil {
		e.tensors[u.t] = p
		e.undo = append(e.undo, func() { delete(e.tensors, u.t) })
	}
	return p, true, err
}

// cutTo takes the range of a parameter that a constant is, and gives it a shape.
func (e *emitter) cutTo(n *node, v *value, p port, shape []int64) (port, error) {
	if v.cut != nil {
		var err error
		p, err = e.add(n, "slice", []graph.Param{whole("dim", int64(v.cut.axis)+1), whole("start", v.cut.start), whole("end", v.cut.end)}, nil, p)
		if err != nil {
			return p, err
		}
	}
	return e.reshaped(n, n.name, p, shape)
}

// whole are the uses of a constant that is added or multiplied: of a piece, the whole tensor, since the model has all of it.
func (e *emitter) whole(n *node, v *value) []use {
	var out []use
	if !e.reads(n, v) {
		return nil
	}
	for _, p := range v.parts {
		if !p.t.literal && p.t.elem.isFloat() && !exporterMade(p.t.name) {
			out = append(out, use{p.t, p.t.name, p.t.size, len(p.t.dims) < 2})
		}
	}
	return out
}

// withConstant emits a merge with a constant that is a layer of its own: positions, a scale, or nothing at all.
func (e *emitter) withConstant(n *node, typ string) (bool, error) {
	if len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil || n.in[0].konst == n.in[1].konst {
		return false, nil
	}
	x, c, first := n.in[0], n.in[1], true
	if x.konst {
		x, c, first = c, x, false
	}
	if !slices.Equal(x.shape, n.out[0].shape) {
		return false, nil
	}
	p := *e.at[x]
	if k, ok := e.im.scalar(c); ok && (k == 0 && typ == "add" || k == 0 && first && typ == "subtract" || k == 1 && typ == "multiply" || k == 1 && first && typ == "divide") {
		e.at[n.out[0]] = &p
		return true, nil
	}
	if p.isInt && !c.elem.isFloat() {
		e.im.note(n, "it computes with integers and a constant, which no component shows")
		e.at[n.out[0]] = &p
		return true, nil
	}
	switch typ {
	case "add":
		if done, err := e.segments(n, c, p); done || err != nil {
			return done, err
		}
		return e.positions(n, c, p)
	case "multiply":
		return e.scale(n, x, c, p)
	}
	return false, nil
}

// positions emits an addition of one vector for each position: trained, or sines.
func (e *emitter) positions(n *node, c *value, p port) (bool, error) {
	if len(p.shape) != 2 || len(c.parts) != 1 || !e.dropped(n.out[0].shape, p.layout) || p.axis != 0 {
		return false, nil
	}
	t, length, width := c.parts[0].t, p.shape[0], p.shape[1]
	if c.size() != length*width && c.size() != length*width*e.im.batch || len(t.dims) < 2 || t.dims[len(t.dims)-1] != width || t.size%width != 0 || c.rank() < 2 || c.shape[c.rank()-1] != width {
		return false, nil
	}
	if c.cut == nil && t.size != c.size() || c.cut != nil && (t.dims[c.cut.axis]*width != t.size || c.cut.start != 0) {
		return false, nil
	}
	params := []graph.Param{whole("maxLen", t.size/width), whole("embedDim", width)}
	typ, uses := "learnedPositionalEmbedding", e.whole(n, c)
	if !e.isTrained(c) {
		if !e.isSinusoid(t) {
			return false, nil
		}
		typ, uses = "positionalEncoding", nil
	}
	if _, shared := e.owed(uses); len(shared) > 0 {
		return false, nil
	}
	out, err := e.add(n, typ, params, uses, p)
	if err != nil {
		return false, err
	}
	return true, e.give(n.out[0], out, p.layout)
}

// segments emits an addition of one row of a small trained table to every position.
func (e *emitter) segments(n *node, c *value, p port) (bool, error) {
	if len(p.shape) != 2 || c.row == nil || len(c.row.dims) != 2 || !e.isTrained(c) || c.rank() < 2 || c.shape[c.rank()-1] != p.shape[1] {
		return false, nil
	}
	uses := e.whole(n, c)
	if _, shared := e.owed(uses); len(uses) != 1 || len(shared) > 0 || uses[0].t != c.row {
		return false, nil
	}
	out, err := e.add(n, "segmentEmbedding", []graph.Param{whole("embedDim", p.shape[1]), whole("numSegments", c.row.dims[0])}, uses, p)
	if err != nil {
		return false, nil //nolint:nilerr // it is then an addition like any other
	}
	return true, e.give(n.out[0], out, p.layout)
}

// scale emits a product with one trained factor for each feature.
func (e *emitter) scale(n *node, x, c *value, p port) (bool, error) {
	if len(p.shape) == 0 || c.size() != p.shape[len(p.shape)-1] || c.rank() == 0 || c.shape[c.rank()-1] != c.size() || c.size() == 1 || !e.isTrained(c) {
		return false, nil
	}
	uses := e.whole(n, c)
	if len(uses) != 1 || uses[0].size != c.size() || p.axis == len(x.shape)-1 {
		return false, nil
	}
	if _, shared := e.owed(uses); len(shared) > 0 {
		return false, nil
	}
	out, err := e.add(n, "layerScale", []graph.Param{whole("dim", c.size())}, uses, p)
	if err != nil {
		return false, err
	}
	return true, e.give(n.out[0], out, p.layout)
}
