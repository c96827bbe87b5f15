package onnx

import "slices"

// centred matches x minus its mean over the last axes, and returns x and the first of those.
func (f *fuser) centred(v *value) (x *value, axis int, ok bool) {
	sub := f.is(v, "Sub")
	if sub == nil || len(sub.in) != 2 || sub.in[0] == nil || sub.in[0].konst {
		return nil, 0, false
	}
	mean := f.is(sub.in[1], "ReduceMean")
	if mean == nil || !f.same(mean.in[0], sub.in[0]) {
		return nil, 0, false
	}
	axis, ok = f.lastAxes(mean)
	return f.source(sub.in[0]), axis, ok
}

// lastAxes returns the first of the axes of a mean that are all to the end and are kept.
func (f *fuser) lastAxes(mean *node) (int, bool) {
	axes, err := f.im.reduced(mean)
	rank := mean.in[0].rank()
	if err != nil || len(axes) == 0 || mean.int("keepdims", 1) == 0 {
		return 0, false
	}
	slices.Sort(axes)
	return axes[0], axes[0] > 0 && axes[0]+len(axes) == rank
}

// meanSquare matches √(mean(x²) + ε) over the last axes.
func (f *fuser) meanSquare(v *value) (x *value, axis int, eps float64, ok bool) {
	root := f.is(v, "Sqrt")
	if root == nil {
		return nil, 0, 0, false
	}
	sum := f.is(root.in[0], "Add")
	if sum == nil {
		return nil, 0, 0, false
	}
	m, c, ok := pair(sum)
	if !ok {
		return nil, 0, 0, false
	}
	eps, ok = f.im.scalar(c)
	mean := f.is(m, "ReduceMean")
	if !ok || mean == nil || eps < 0 || eps > 0.1 {
		return nil, 0, 0, false
	}
	squares, k := f.factors(mean.in[0], 1)
	if len(squares) != 2 || squares[0] != squares[1] || k != 1 {
		return nil, 0, 0, false
	}
	axis, ok = f.lastAxes(mean)
	return squares[0], axis, eps, ok
}

// normed matches y/√(mean(x²) + ε) in the ways it is written, and returns y, x, the axis and ε.
func (f *fuser) normed(n *node) (y, x *value, axis int, eps float64, ok bool) {
	if len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil {
		return nil, nil, 0, 0, false
	}
	switch n.op {
	case "Div":
		x, axis, eps, ok = f.meanSquare(n.in[1])
		return n.in[0], x, axis, eps, ok
	case "Mul":
		for i, v := range n.in {
			inverse := f.def(v)
			if inverse == nil {
				continue
			}
			root := inverse.in[0]
			if inverse.op == "Div" && len(inverse.in) == 2 {
				one, known := f.im.scalar(inverse.in[0])
				if !known || one != 1 {
					continue
				}
				root = inverse.in[1]
			} else if inverse.op != "Reciprocal" {
				continue
			}
			if x, axis, eps, ok = f.meanSquare(root); ok {
				return n.in[1-i], x, axis, eps, true
			}
		}
	}
	return nil, nil, 0, 0, false
}

// following returns the node that alone reads the result of n, seen through changes of precision, if it applies a constant of
// the given size.
func (f *fuser) following(n *node, op string, size int64) (*node, *value) {
	v := n.out[0]
	for f.once(v) {
		next := f.reads[v][0]
		if !next.hasOneResult() {
			break
		}
		if (next.op == "Cast" || next.op == "Identity") && next.out[0].elem.isFloat() {
			v = next.out[0]
			continue
		}
		if next.op != op {
			break
		}
		_, c, ok := pair(next)
		if ok && c.size() == size && c.elem.isFloat() && slices.Equal(next.out[0].shape, n.out[0].shape) {
			return next, c
		}
		break
	}
	return nil, nil
}

func normAttrs(axis int, eps float64) []protoAttr {
	return []protoAttr{{name: "axis", i: int64(axis)}, {name: "epsilon", f: shorten(eps)}}
}

// layerNorm matches a layer normalisation that was taken apart, as operator sets before 17 have it.
func (f *fuser) layerNorm(n *node) bool {
	if n.op != "Div" && n.op != "Mul" {
		return false
	}
	y, squared, axis, eps, ok := f.normed(n)
	if !ok {
		return false
	}
	x, same, ok := f.centred(y)
	if !ok || same != axis {
		return false
	}
	if z, _, ok := f.centred(squared); !ok || z != x {
		return false
	}
	size := product(x.shape[axis:])
	last, scale := n, (*value)(nil)
	if next, c := f.following(last, "Mul", size); next != nil && endsWith(c, x.shape[axis:]) {
		last, scale = next, c
		if next, shift := f.following(last, "Add", size); next != nil && endsWith(shift, x.shape[axis:]) {
			return next.become(fusedLayerNorm, normAttrs(axis, eps), x, scale, shift)
		}
	}
	return last.become(fusedLayerNorm, normAttrs(axis, eps), x, scale)
}

func product(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return n
}

// endsWith reports whether a constant lies along the last axes.
func endsWith(v *value, last []int64) bool {
	return v.rank() >= len(last) && slices.Equal(v.shape[v.rank()-len(last):], last)
}

// rmsNorm matches x/√(mean(x²) + ε) with or without a scale.
func (f *fuser) rmsNorm(n *node) bool {
	if n.op != "Div" && n.op != "Mul" {
		return false
	}
	y, x, axis, eps, ok := f.normed(n)
	if !ok || f.source(y) != x {
		return false
	}
	if next, scale := f.following(n, "Mul", product(x.shape[axis:])); next != nil && endsWith(scale, x.shape[axis:]) {
		return next.become(fusedRMSNorm, normAttrs(axis, eps), x, scale)
	}
	return n.become(fusedRMSNorm, normAttrs(axis, eps), x)
}

// groupNorm matches an instance normalisation of groups of channels, between two changes of shape.
func (f *fuser) groupNorm(n *node) bool {
	if n.op != "Reshape" || n.in[0] == nil {
		return false
	}
	norm := f.is(n.in[0], "InstanceNormalization")
	if norm == nil || len(norm.in) != 3 || !f.im.allEqual(norm.in[1], 1) || !f.im.allEqual(norm.in[2], 0) {
		return false
	}
	grouped := f.is(norm.in[0], "Reshape")
	if grouped == nil {
		return false
	}
	x, shape := grouped.in[0], grouped.out[0].shape
	if !slices.Equal(x.shape, n.out[0].shape) || x.rank() < 2 || len(shape) < 2 || shape[0] != x.shape[0] || x.shape[1]%shape[1] != 0 {
		return false
	}
	attrs := []protoAttr{{name: "num_groups", i: shape[1]}, {name: "epsilon", f: norm.float("epsilon", 1e-5)}}
	channels := func(v *value) bool {
		at := v.rank() - x.rank() + 1
		return at >= 0 && v.shape[at] == x.shape[1]
	}
	last, scale := n, (*value)(nil)
	if next, c := f.following(last, "Mul", x.shape[1]); next != nil && channels(c) {
		last, scale = next, c
		if next, shift := f.following(last, "Add", x.shape[1]); next != nil && channels(shift) {
			return next.become(fusedGroupNorm, attrs, x, scale, shift)
		}
	}
	return last.become(fusedGroupNorm, attrs, x, scale)
}
