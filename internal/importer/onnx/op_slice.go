package onnx

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// taken is what a slice takes of one axis.
type taken struct {
	axis              int
	start, step, size int64
}

func (im *reading) sliceRanges(n *node) ([]taken, error) {
	starts, ok1, err1 := im.listed(n, 1, "starts")
	ends, ok2, err2 := im.listed(n, 2, "ends")
	axes, named, err3 := im.listed(n, 3, "axes")
	steps, stepped, err4 := im.listed(n, 4, "steps")
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	if !ok1 || !ok2 || len(starts) != len(ends) || named && len(axes) != len(starts) || stepped && len(steps) != len(starts) {
		return nil, n.errorf("its starts, ends, axes and steps do not agree")
	}
	var out []taken
	seen := map[int]bool{}
	for i := range starts {
		axis, step := int64(i), int64(1)
		if named {
			axis = axes[i]
		}
		if stepped {
			step = steps[i]
		}
		at, err := n.axis(axis, n.in[0].rank())
		if err != nil {
			return nil, err
		}
		if step == 0 || step == math.MinInt64 || seen[at] {
			return nil, n.errorf("it slices axis %d twice or in steps of 0", at)
		}
		seen[at] = true
		start, size := sliced(n.in[0].shape[at], starts[i], ends[i], step)
		out = append(out, taken{at, start, step, size})
	}
	return out, nil
}

// sliced clamps the ends of a range as numpy does, and counts what lies between them.
func sliced(n, start, end, step int64) (from, size int64) {
	clamp := func(v, lo, hi int64) int64 {
		if v < 0 {
			v += n
		}
		return min(max(v, lo), hi)
	}
	if step > 0 {
		start, end = clamp(start, 0, n), clamp(end, 0, n)
		return start, max((end-start+step-1)/step, 0)
	}
	start = clamp(start, 0, n-1)
	if end < -n { // an end this far down takes the first element, too
		end = -1
	} else {
		end = clamp(end, -1, n-1)
	}
	return start, max((start-end-step-1)/-step, 0)
}

func sliceShape(im *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	ranges, err := im.sliceRanges(n)
	if err != nil {
		return err
	}
	out := slices.Clone(n.in[0].shape)
	for _, r := range ranges {
		out[r.axis] = r.size
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

func foldSlice(im *reading, n *node) (*numbers, error) {
	ranges, err := im.sliceRanges(n)
	if err != nil {
		return nil, err
	}
	if n.out[0].size() == 0 {
		return emptyNumbers(n.in[0].elem), nil
	}
	steps, offset := strides(n.in[0].shape), int64(0)
	for _, r := range ranges {
		offset += r.start * steps[r.axis]
		steps[r.axis] *= r.step
	}
	return n.in[0].num.pick(n.out[0].shape, steps, offset), nil
}

func emitSlice(e *emitter, n *node) error {
	ranges, err := e.im.sliceRanges(n)
	if err != nil {
		return err
	}
	in := n.in[0]
	p := *e.at[in]
	for _, r := range ranges {
		if r.axis == p.axis && r.size != in.shape[r.axis] {
			if p, err = e.full(in); err != nil {
				return err
			}
		}
	}
	for _, r := range ranges {
		if r.size == in.shape[r.axis] && r.step == 1 {
			continue
		}
		dim, _ := e.dim(in.shape, p.layout, r.axis)
		lay := p.layout
		if r.step < 0 {
			if r.step != -1 || r.size != in.shape[r.axis] {
				return refused{"it takes a part of an axis backwards"}
			}
			p, err = e.add(n, "flip", []graph.Param{list("dims", []int64{dim})}, nil, p)
		} else {
			p, err = e.add(n, "slice", []graph.Param{whole("dim", dim), whole("start", r.start), whole("end", min(r.start+(r.size-1)*r.step+1, in.shape[r.axis])), whole("step", r.step)}, nil, p)
		}
		if err != nil {
			return err
		}
		p.layout = lay
	}
	return e.give(n.out[0], p, p.layout)
}
