package onnx

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

var (
	_ = register("Concat", operator{shape: concatShape, fold: foldConcat, emit: emitConcat, constant: true})
	_ = register("Split", operator{shape: splitShape, fold: foldView, emit: emitSplit, several: true})
	_ = register("Slice", operator{shape: sliceShape, fold: foldSlice, emit: emitSlice})
	_ = register("Gather", operator{shape: gatherShape, fold: foldGather, emit: emitGather, constant: true})
	_ = register("GatherElements", operator{shape: func(_ *reading, n *node) error {
		if err := n.need(2); err != nil {
			return err
		}
		n.set(0, n.in[0].elem, n.in[1].shape)
		return nil
	}, fold: foldGatherElements})
	_ = register("GatherND", operator{shape: gatherNDShape})
)

func concatShape(_ *reading, n *node) error {
	if err := n.need(max(len(n.in), 1)); err != nil {
		return err
	}
	axis, err := n.axis(n.int("axis", 0), n.in[0].rank())
	if err != nil {
		return err
	}
	out := slices.Clone(n.in[0].shape)
	for _, v := range n.in[1:] {
		if v.rank() != len(out) {
			return n.errorf("it joins shapes %v and %v", out, v.shape)
		}
		for i := range out {
			if i == axis {
				out[i] += v.shape[i]
			} else if out[i] != v.shape[i] {
				return n.errorf("it joins shapes %v and %v along axis %d", out, v.shape, axis)
			}
		}
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

func foldConcat(im *reading, n *node) (*numbers, error) {
	axis, err := n.axis(n.int("axis", 0), n.in[0].rank())
	if err != nil {
		return nil, err
	}
	if n.out[0].size() == 0 { // of any number of rows
		return emptyNumbers(n.in[0].elem), nil
	}
	out := &numbers{}
	outer := int64(1)
	for _, size := range n.out[0].shape[:axis] {
		outer *= size
	}
	if err := im.walks(n, outer*int64(len(n.in))); err != nil {
		return nil, err
	}
	for row := range outer {
		for _, v := range n.in {
			width := v.size() / max(outer, 1)
			switch at := row * width; {
			case (v.num.floats == nil) != (n.in[0].num.floats == nil):
				return nil, nil
			case v.num.floats != nil:
				out.floats = append(out.floats, v.num.floats[at:at+width]...)
			default:
				out.ints = append(out.ints, v.num.ints[at:at+width]...)
			}
		}
	}
	return out, nil
}

func emitConcat(e *emitter, n *node) error {
	axis, err := n.axis(n.int("axis", 0), n.in[0].rank())
	if err != nil {
		return err
	}
	lay := noBatch
	for _, v := range n.in {
		if !v.konst && e.at[v].axis >= 0 {
			lay = e.at[v].layout
			break
		}
	}
	for _, v := range n.in {
		alike := lay.axis >= 0 && lay.axis != axis && lay.axis < v.rank() && (v.konst && v.shape[lay.axis] == 1 || !v.konst && e.fits(v, lay.axis-v.rank(), &port{layout: lay}))
		if alike {
			continue
		}
		if e.im.batch != 1 {
			return refused{"its inputs have the batch in different places"}
		}
		lay = noBatch
		break
	}
	var in []port
	for _, v := range n.in {
		shape := e.sample(v.shape, lay)
		var p port
		if v.konst {
			p, err = e.tensor(n, v, shape)
		} else {
			p, err = e.reshaped(n, n.name, *e.at[v], shape)
		}
		if err != nil {
			return err
		}
		in = append(in, p)
	}
	dim, ok := e.dim(n.out[0].shape, lay, axis)
	if !ok {
		return refused{"it joins along the batch"}
	}
	p, err := e.add(n, "concatenate", []graph.Param{whole("dim", dim)}, nil, in...)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, lay)
}

// splitSizes are the sizes of the pieces: given, or equal ones of which the last may be smaller.
func (im *reading) splitSizes(n *node) (int, []int64, error) {
	if err := n.need(1); err != nil {
		return 0, nil, err
	}
	in := n.in[0]
	axis, err := n.axis(n.int("axis", 0), in.rank())
	if err != nil {
		return 0, nil, err
	}
	sizes, given, err := im.listed(n, 1, "split")
	if err != nil {
		return 0, nil, err
	}
	if !given {
		count := int64(len(n.out))
		if a := n.attr("num_outputs"); a != nil {
			count = a.i
		}
		if count < 1 || count > int64(len(n.out)) {
			return 0, nil, n.errorf("it has %d results", len(n.out))
		}
		each := (in.shape[axis] + count - 1) / count
		for left := in.shape[axis]; left > 0 && each > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	total := int64(0)
	for _, s := range sizes {
		if s < 0 || s > in.shape[axis] {
			return 0, nil, n.errorf("it splits %d entries into %v", in.shape[axis], sizes)
		}
		total += s
	}
	if total != in.shape[axis] || len(sizes) < len(n.out) {
		return 0, nil, n.errorf("it splits %d entries into %v for %d results", in.shape[axis], sizes, len(n.out))
	}
	return axis, sizes, nil
}

func splitShape(im *reading, n *node) error {
	axis, sizes, err := im.splitSizes(n)
	if err != nil {
		return err
	}
	for i := range n.out {
		shape := slices.Clone(n.in[0].shape)
		shape[axis] = sizes[i]
		n.set(i, n.in[0].elem, shape)
	}
	return nil
}

// foldSplit computes every piece; fold is there only to say that it can be.
func (im *reading) foldSplit(n *node) error {
	axis, sizes, err := im.splitSizes(n)
	if err != nil || !im.budget(n.in[0].size()) {
		return err
	}
	own, start := strides(n.in[0].shape), int64(0)
	for i, v := range n.out {
		if v != nil && sizes[i] > 0 {
			v.num = n.in[0].num.pick(v.shape, own, start*own[axis])
		}
		start += sizes[i]
	}
	return nil
}

func emitSplit(e *emitter, n *node) error {
	axis, sizes, err := e.im.splitSizes(n)
	if err != nil {
		return err
	}
	p, dim, err := e.clear(n.in[0], axis)
	if err != nil {
		return err
	}
	splitSize := list("splitSize", sizes) // of all of them
	for i, v := range n.out {
		if v == nil || !e.used[v] {
			continue
		}
		out, err := e.add(n, "split", []graph.Param{splitSize, whole("dim", dim), whole("index", int64(i))}, nil, p)
		if err != nil {
			return err
		}
		if err := e.give(v, out, p.layout); err != nil {
			return err
		}
	}
	return nil
}

func gatherShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	in := n.in[0]
	axis, err := n.axis(n.int("axis", 0), in.rank())
	if err != nil {
		return err
	}
	n.set(0, in.elem, slices.Concat(in.shape[:axis], n.in[1].shape, in.shape[axis+1:]))
	return nil
}

func foldGather(_ *reading, n *node) (*numbers, error) {
	in, index := n.in[0], n.in[1].num
	axis, err := n.axis(n.int("axis", 0), in.rank())
	if err != nil || index.ints == nil {
		return nil, err
	}
	inner := int64(1)
	for _, size := range in.shape[axis+1:] {
		inner *= size
	}
	out := emptyNumbers(in.elem)
	if n.out[0].size() == 0 { // of any number of rows
		return out, nil
	}
	block := inner * in.shape[axis]
	for row := int64(0); row < int64(in.num.len()); row += max(block, 1) {
		for _, i := range index.ints {
			if i < 0 {
				i += in.shape[axis]
			}
			if i < 0 || i >= in.shape[axis] {
				return nil, n.errorf("it takes entry %d of %d", i, in.shape[axis])
			}
			at := row + i*inner
			if in.num.floats != nil {
				out.floats = append(out.floats, in.num.floats[at:at+inner]...)
			} else {
				out.ints = append(out.ints, in.num.ints[at:at+inner]...)
			}
		}
	}
	return out, nil
}

// foldGatherElements takes, at every place, the entry that the index there names along one axis.
func foldGatherElements(im *reading, n *node) (*numbers, error) {
	in, index := n.in[0], n.in[1]
	axis, err := n.axis(n.int("axis", 0), in.rank())
	if err != nil || index.num.ints == nil || index.rank() != in.rank() {
		return nil, err
	}
	if err := im.walks(n, int64(index.num.len()*max(in.rank(), 1))); err != nil {
		return nil, err
	}
	own, theirs := strides(in.shape), strides(index.shape)
	out := emptyNumbers(in.elem)
	for i, entry := range index.num.ints {
		if entry < 0 {
			entry += in.shape[axis]
		}
		at, rest := int64(0), int64(i)
		for a := range own {
			place := rest / theirs[a]
			rest %= theirs[a]
			if a == axis {
				place = entry
			}
			if place < 0 || place >= in.shape[a] {
				return nil, n.errorf("it takes entry %d of %d", place, in.shape[a])
			}
			at += place * own[a]
		}
		if in.num.floats != nil {
			out.floats = append(out.floats, in.num.floats[at])
		} else {
			out.ints = append(out.ints, in.num.ints[at])
		}
	}
	return out, nil
}

func gatherNDShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	in, index, b := n.in[0], n.in[1], n.int("batch_dims", 0)
	if index.rank() == 0 || b < 0 {
		return n.errorf("its indices have shape %v", index.shape)
	}
	depth := b + index.shape[index.rank()-1]
	if depth > int64(in.rank()) {
		return n.errorf("it takes entries of %v by indices of %v", in.shape, index.shape)
	}
	n.set(0, in.elem, slices.Concat(index.shape[:index.rank()-1], in.shape[depth:]))
	return nil
}
