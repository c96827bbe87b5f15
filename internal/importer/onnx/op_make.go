package onnx

import (
	"math"
	"slices"
)

var (
	_ = register("ConstantOfShape", operator{shape: func(im *reading, n *node) error {
		if err := n.need(1); err != nil {
			return err
		}
		shape, err := im.intsOf(n, 0, "sizes")
		if err != nil {
			return err
		}
		if len(shape) > maxRank || slices.ContainsFunc(shape, func(s int64) bool { return s < 0 }) {
			return n.errorf("its shape is %v", shape)
		}
		elem := elemFloat
		if a := n.attr("value"); a != nil && a.t != nil {
			elem = a.t.elem
		}
		n.set(0, elem, shape)
		return nil
	}, fold: func(im *reading, n *node) (*numbers, error) {
		fill := &numbers{floats: []float64{0}}
		if a := n.attr("value"); a != nil && a.t != nil {
			num, err := im.load(a.t, 1)
			if err != nil || num == nil || num.len() != 1 {
				return nil, err
			}
			fill = num
		}
		return fill.stretch(nil, n.out[0].shape), nil
	}})
	_ = register("ConstantFill", operator{shape: func(im *reading, n *node) error { // experimental, before operator set 9
		if err := n.need(1); err != nil {
			return err
		}
		shape := n.in[0].shape
		if n.int("input_as_shape", 0) != 0 {
			var err error
			if shape, err = im.intsOf(n, 0, "sizes"); err != nil {
				return err
			}
		}
		if shape = slices.Concat(shape, n.intList("extra_shape")); len(shape) > maxRank || slices.ContainsFunc(shape, func(s int64) bool { return s < 0 }) {
			return n.errorf("its shape is %v", shape)
		}
		n.set(0, elemFloat, shape)
		return nil
	}, fold: func(_ *reading, n *node) (*numbers, error) {
		return (&numbers{floats: []float64{n.float("value", 0)}}).stretch(nil, n.out[0].shape), nil
	}})
	_ = register("Range", operator{shape: func(im *reading, n *node) error {
		r, err := im.rangeOf(n)
		if err == nil {
			n.set(0, n.in[0].elem, []int64{r.count})
		}
		return err
	}, fold: foldRange})
	_ = register("Trilu", operator{shape: sameShape, fold: foldTrilu})
	_ = register("NonZero", operator{shape: func(im *reading, n *node) error {
		if err := n.need(1); err != nil {
			return err
		}
		num, err := im.numbers(n.in[0])
		if err != nil {
			return err
		}
		if num == nil {
			return unknownShape{"the number of its results is known only when the model runs"}
		}
		if err := im.walks(n, int64(num.len())); err != nil {
			return err
		}
		count := int64(0)
		for i := range num.len() {
			count += truth(num.float(i) != 0)
		}
		n.set(0, elemInt64, []int64{int64(n.in[0].rank()), count})
		return nil
	}, fold: foldNonZero})
	_ = register("OneHot", operator{shape: func(im *reading, n *node) error {
		if err := n.need(3); err != nil {
			return err
		}
		depth, ok := im.scalar(n.in[1])
		if !ok || depth < 1 || depth > math.MaxInt32 {
			return unknownShape{"its depth is known only when the model runs"}
		}
		axis, err := n.axis(n.int("axis", -1), n.in[0].rank()+1)
		if err != nil {
			return err
		}
		n.set(0, n.in[2].elem, slices.Insert(slices.Clone(n.in[0].shape), axis, int64(depth)))
		return nil
	}})
	_ = register("DequantizeLinear", operator{shape: func(_ *reading, n *node) error {
		if err := n.need(2); err != nil {
			return err
		}
		n.set(0, n.in[1].elem, n.in[0].shape)
		return nil
	}, emit: emitPass})
	_ = register("QuantizeLinear", operator{shape: sameShape, emit: emitPass})
)

// ranged is what a Range counts: so many numbers from a start on.
type ranged struct {
	start, delta float64
	count        int64
}

// rangeOf says what is counted from a start to a limit.
func (im *reading) rangeOf(n *node) (ranged, error) {
	if err := n.need(3); err != nil {
		return ranged{}, err
	}
	start, ok1 := im.scalar(n.in[0])
	limit, ok2 := im.scalar(n.in[1])
	delta, ok3 := im.scalar(n.in[2])
	if !ok1 || !ok2 || !ok3 {
		return ranged{}, unknownShape{"its length is known only when the model runs"}
	}
	count := math.Ceil((limit - start) / delta)
	if !(count <= maxConstant) || delta == 0 {
		return ranged{}, n.errorf("it counts from %g to %g in steps of %g", start, limit, delta)
	}
	return ranged{start, delta, int64(max(count, 0))}, nil
}

func foldRange(im *reading, n *node) (*numbers, error) {
	r, err := im.rangeOf(n)
	if err != nil {
		return nil, err
	}
	at := func(i int) float64 { return r.start + float64(float64(i)*r.delta) }
	if n.in[0].elem.isFloat() {
		out := &numbers{floats: make([]float64, r.count)}
		for i := range out.floats {
			out.floats[i] = at(i)
		}
		return out, nil
	}
	out := &numbers{ints: make([]int64, r.count)}
	for i := range out.ints {
		out.ints[i] = saturate(at(i))
	}
	return out, nil
}

// foldTrilu keeps one triangle of the last two axes.
func foldTrilu(im *reading, n *node) (*numbers, error) {
	shape := n.in[0].shape
	if len(shape) < 2 {
		return nil, n.errorf("it takes a triangle of %v", shape)
	}
	k := 0.0
	if n.input(1) != nil {
		var ok bool
		if k, ok = im.scalar(n.in[1]); !ok {
			return nil, nil
		}
	}
	rows, columns := shape[len(shape)-2], shape[len(shape)-1]
	in := n.in[0].num
	out := &numbers{ints: slices.Clone(in.ints), floats: slices.Clone(in.floats)}
	upper := n.int("upper", 1) != 0
	for i := range in.len() {
		row, column := int64(i)/columns%rows, int64(i)%columns
		if far := float64(column - row); upper && far >= k || !upper && far <= k {
			continue
		}
		if out.floats != nil {
			out.floats[i] = 0
		} else {
			out.ints[i] = 0
		}
	}
	return out, nil
}

func foldNonZero(im *reading, n *node) (*numbers, error) {
	in := n.in[0]
	if err := im.walks(n, int64(in.num.len()*in.rank())); err != nil {
		return nil, err
	}
	own := strides(in.shape)
	out := &numbers{ints: make([]int64, 0, n.out[0].size())}
	for axis := range in.shape {
		for i := range in.num.len() {
			if in.num.float(i) != 0 {
				out.ints = append(out.ints, int64(i)/own[axis]%in.shape[axis])
			}
		}
	}
	return out, nil
}
