package onnx

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

// reductions are the operators that reduce axes, with the type that stands for them and what they compute.
var reductions = map[string]struct {
	typ   string
	start float64
	step  func(a, b float64) float64
}{
	"ReduceMean": {"mean", 0, func(a, b float64) float64 { return a + b }}, "ReduceSum": {"sum", 0, func(a, b float64) float64 { return a + b }},
	"ReduceMax": {"max", math.Inf(-1), func(a, b float64) float64 { return max(a, b) }}, "ReduceMin": {"min", math.Inf(1), func(a, b float64) float64 { return min(a, b) }}, "ReduceProd": {"", 1, func(a, b float64) float64 { return a * b }},
	"ReduceL2": {"norm", 0, nil}, "ReduceL1": {"norm", 0, nil}, "ReduceLogSumExp": {"logSumExp", 0, nil}, "ReduceSumSquare": {"", 0, nil}, "ReduceLogSum": {"", 0, nil},
}

var _ = func() bool {
	for name := range reductions {
		op := operator{shape: reduceShape, emit: emitReduce}
		if reductions[name].step != nil {
			op.fold = foldReduce
		}
		register(name, op)
	}
	return true
}()

var (
	_ = register("ArgMax", operator{shape: argShape, emit: emitArgMax})
	_ = register("ArgMin", operator{shape: argShape})
	_ = register("TopK", operator{shape: topKShape, emit: emitTopK, several: true})
	_ = register("CumSum", operator{shape: sameShape, fold: foldCumSum, emit: emitCumSum})
)

// reduced returns the axes that are reduced; all where none are named.
func (im *reading) reduced(n *node) ([]int, error) {
	if err := n.need(1); err != nil {
		return nil, err
	}
	rank := n.in[0].rank()
	axes, given, err := im.axes(n, rank)
	if err != nil {
		return nil, err
	}
	if given && len(axes) > 0 || n.int("noop_with_empty_axes", 0) != 0 {
		return axes, nil
	}
	for i := range rank {
		axes = append(axes, i)
	}
	return axes, nil
}

func reduceShape(im *reading, n *node) error {
	axes, err := im.reduced(n)
	if err != nil {
		return err
	}
	n.set(0, n.in[0].elem, shrunk(n.in[0].shape, axes, n.int("keepdims", 1) != 0))
	return nil
}

func shrunk(shape []int64, axes []int, keep bool) []int64 {
	out := []int64{}
	for i, size := range shape {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, size)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

func foldReduce(im *reading, n *node) (*numbers, error) {
	axes, err := im.reduced(n)
	if err != nil {
		return nil, err
	}
	r, in := reductions[n.op], n.in[0]
	if err := im.walks(n, int64(in.num.len()*max(in.rank(), 1))); err != nil {
		return nil, err
	}
	kept := strides(shrunk(in.shape, axes, true))
	for _, axis := range axes {
		kept[axis] = 0
	}
	out, at, index := slices.Repeat([]float64{r.start}, int(n.out[0].size())), int64(0), make([]int64, len(in.shape))
	for i := range in.num.len() {
		out[at] = r.step(out[at], in.num.float(i))
		for axis := len(index) - 1; axis >= 0; axis-- { // the next place, without a division
			at += kept[axis]
			if index[axis]++; index[axis] < in.shape[axis] {
				break
			}
			at -= index[axis] * kept[axis]
			index[axis] = 0
		}
	}
	if n.op == "ReduceMean" && len(out) > 0 {
		for i := range out {
			out[i] /= float64(in.num.len() / len(out))
		}
	}
	if in.num.ints != nil {
		return (&numbers{floats: out}).asInts(), nil
	}
	return &numbers{floats: out}, nil
}

func emitReduce(e *emitter, n *node) error {
	r := reductions[n.op]
	if r.typ == "" {
		return refused{"no component type stands for " + n.op}
	}
	axes, err := e.im.reduced(n)
	if err != nil {
		return err
	}
	if len(axes) == 0 {
		return emitPass(e, n)
	}
	in, p := n.in[0], *e.at[n.in[0]]
	if slices.Contains(axes, p.axis) {
		if p, err = e.full(in); err != nil {
			return err
		}
	}
	dims := []int64{}
	for _, a := range axes {
		dim, _ := e.dim(in.shape, p.layout, a)
		dims = append(dims, dim)
	}
	keep := n.int("keepdims", 1) != 0
	params := []graph.Param{list("dim", dims), boolean("keepDim", keep)}
	if r.typ == "norm" {
		params = append(params, number("p", map[string]float64{"ReduceL1": 1, "ReduceL2": 2}[n.op]))
	}
	out, err := e.add(n, r.typ, params, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, behind(p.layout, axes, keep))
}

// behind is the layout once axes are gone.
func behind(l layout, axes []int, keep bool) layout {
	if l.axis < 0 || keep {
		return l
	}
	gone := 0
	for _, a := range axes {
		if a < l.axis {
			gone++
		}
	}
	l.axis -= gone
	return l
}

func argShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	axis, err := n.axis(n.int("axis", 0), n.in[0].rank())
	if err != nil {
		return err
	}
	n.set(0, elemInt64, shrunk(n.in[0].shape, []int{axis}, n.int("keepdims", 1) != 0))
	return nil
}

func emitArgMax(e *emitter, n *node) error {
	axis, err := n.axis(n.int("axis", 0), n.in[0].rank())
	if err != nil {
		return err
	}
	p, dim, err := e.clear(n.in[0], axis)
	if err != nil {
		return err
	}
	keep := n.int("keepdims", 1) != 0
	out, err := e.add(n, "argmax", []graph.Param{whole("dim", dim), boolean("keepDim", keep)}, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, behind(p.layout, []int{axis}, keep))
}

func (im *reading) topK(n *node) (axis int, k int64, err error) {
	if err := n.need(1); err != nil {
		return 0, 0, err
	}
	if axis, err = n.axis(n.int("axis", -1), n.in[0].rank()); err != nil {
		return 0, 0, err
	}
	k = n.int("k", 0)
	if n.input(1) != nil {
		list, err := im.intsOf(n, 1, "number of values")
		if err != nil {
			return 0, 0, err
		}
		if len(list) != 1 {
			return 0, 0, n.errorf("its number of values is %v", list)
		}
		k = list[0]
	}
	if k < 1 || k > n.in[0].shape[axis] {
		return 0, 0, n.errorf("it takes %d of %d values", k, n.in[0].shape[axis])
	}
	return axis, k, nil
}

func topKShape(im *reading, n *node) error {
	axis, k, err := im.topK(n)
	if err != nil {
		return err
	}
	shape := slices.Clone(n.in[0].shape)
	shape[axis] = k
	n.set(0, n.in[0].elem, shape)
	n.set(1, elemInt64, shape)
	return nil
}

func emitTopK(e *emitter, n *node) error {
	axis, k, err := e.im.topK(n)
	if err != nil {
		return err
	}
	p, dim, err := e.clear(n.in[0], axis)
	if err != nil {
		return err
	}
	for i, v := range n.out {
		if v == nil || !e.used[v] {
			continue
		}
		out, err := e.add(n, "topK", []graph.Param{whole("k", k), whole("dim", dim), boolean("largest", n.int("largest", 1) != 0), whole("index", int64(i))}, nil, p)
		if err != nil {
			return err
		}
		if err := e.give(v, out, p.layout); err != nil {
			return err
		}
	}
	return nil
}

// cumAxis is the axis of a running sum, which is an input.
func (im *reading) cumAxis(n *node) (int, bool) {
	v, ok := im.scalar(n.input(1))
	if !ok {
		return 0, false
	}
	axis, err := n.axis(int64(v), n.in[0].rank())
	return axis, err == nil && n.int("exclusive", 0) == 0 && n.int("reverse", 0) == 0
}

func foldCumSum(im *reading, n *node) (*numbers, error) {
	axis, ok := im.cumAxis(n)
	if !ok || n.in[0].num.ints == nil {
		return nil, nil
	}
	out, step := slices.Clone(n.in[0].num.ints), strides(n.in[0].shape)[axis]
	for i := range out {
		if int64(i)/step%n.in[0].shape[axis] > 0 {
			out[i] += out[int64(i)-step]
		}
	}
	return &numbers{ints: out}, nil
}

func emitCumSum(e *emitter, n *node) error {
	axis, ok := e.im.cumAxis(n)
	if !ok {
		return refused{"it sums backwards, without the entry itself, or along an axis chosen when the model runs"}
	}
	return e.alongAxis(n, axis, func(dim int64) (string, []graph.Param) { return "cumsum", []graph.Param{whole("dim", dim)} })
}
