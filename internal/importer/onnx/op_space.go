package onnx

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

var (
	_ = register("Pad", operator{shape: padShape, emit: emitPad})
	_ = register("Resize", operator{shape: resizeShape, emit: emitResize})
	_ = register("Upsample", operator{shape: resizeShape, emit: emitResize})
	_ = register("DepthToSpace", operator{shape: depthToSpaceShape, emit: func(e *emitter, n *node) error {
		if n.str("mode", "DCR") != "CRD" {
			return refused{"it takes the channels in another order than torch.nn.PixelShuffle"}
		}
		return e.batchedLayer(n, "pixelShuffle", []graph.Param{whole("upscaleFactor", n.int("blocksize", 1))}, nil)
	}})
	_ = register("SpaceToDepth", operator{shape: spaceToDepthShape})
	_ = register("GridSample", operator{shape: gridShape, emit: emitGrid})
)

// pads returns what is added before and behind every axis.
func (im *reading) pads(n *node) (before, behind []int64, err error) {
	if err := n.need(1); err != nil {
		return nil, nil, err
	}
	pads, given, err := im.listed(n, 1, "pads")
	if err != nil {
		return nil, nil, err
	}
	rank := n.in[0].rank()
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	if n.input(3) != nil {
		list, err := im.intsOf(n, 3, "axes")
		if err != nil {
			return nil, nil, err
		}
		axes = axes[:0]
		for _, a := range list {
			i, err := n.axis(a, rank)
			if err != nil {
				return nil, nil, err
			}
			axes = append(axes, i)
		}
	}
	if !given || len(pads) != 2*len(axes) {
		return nil, nil, n.errorf("its pads are %v for %d axes", pads, len(axes))
	}
	before, behind = make([]int64, rank), make([]int64, rank)
	for i, a := range axes {
		before[a], behind[a] = pads[i], pads[i+len(axes)]
	}
	return before, behind, nil
}

func padShape(im *reading, n *node) error {
	before, behind, err := im.pads(n)
	if err != nil {
		return err
	}
	out := slices.Clone(n.in[0].shape)
	for i := range out {
		if b, a := before[i], behind[i]; max(b, a) > math.MaxInt32 || min(b, a) < -math.MaxInt32 || out[i]+b+a < 1 {
			return n.errorf("it pads %v by %v and %v", n.in[0].shape, before, behind)
		}
		out[i] += before[i] + behind[i]
	}
	n.set(0, n.in[0].elem, out)
	return nil
}

func emitPad(e *emitter, n *node) error {
	before, behind, err := e.im.pads(n)
	if err != nil {
		return err
	}
	in := n.in[0]
	p := *e.at[in]
	if p.axis >= 0 && (before[p.axis] != 0 || behind[p.axis] != 0) {
		if p, err = e.full(in); err != nil {
			return err
		}
	}
	var pads []int64
	last := 0
	for i := in.rank() - 1; i >= 0; i-- {
		if i == p.axis && e.dropped(in.shape, p.layout) {
			continue
		}
		pads = append(pads, before[i], behind[i])
		if before[i] != 0 || behind[i] != 0 {
			last = len(pads)
		}
	}
	if last == 0 {
		return e.give(n.out[0], p, p.layout)
	}
	mode := map[string]string{"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}[n.str("mode", "constant")]
	if mode != "constant" { // torch pads all axes behind the channels then
		last = max(last, 2*(len(p.shape)-1))
	}
	params := []graph.Param{list("padding", pads[:last]), word("mode", mode)}
	if v, ok := e.im.scalar(n.input(2)); ok && mode == "constant" && !math.IsInf(v, 0) && !math.IsNaN(v) && v != 0 {
		params = append(params, number("value", shorten(v)))
	}
	out, err := e.add(n, "pad", params, nil, p)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, p.layout)
}

// resized returns the sizes of the result of a Resize or Upsample, and the factors where they were given.
func (im *reading) resized(n *node) (sizes []int64, factors []float64, err error) {
	if err := n.need(1); err != nil {
		return nil, nil, err
	}
	scales, target := n.input(1), (*value)(nil)
	if n.op == "Resize" && n.opset >= 11 {
		scales, target = n.input(2), n.input(3)
	}
	in := n.in[0]
	if a := n.attr("scales"); a != nil {
		factors = a.floats
	}
	if scales != nil && scales.size() > 0 {
		num, err := im.numbers(scales)
		if err != nil {
			return nil, nil, err
		}
		if num == nil || num.floats == nil {
			return nil, nil, unknownShape{"its factors are computed when the model runs"}
		}
		factors = num.floats
	}
	axes := n.intList("axes")
	if target != nil && target.size() > 0 {
		sizes, err := im.intsOf(n, 3, "sizes")
		if err != nil {
			return nil, nil, err
		}
		if axes != nil || len(sizes) != in.rank() || n.str("keep_aspect_ratio_policy", "stretch") != "stretch" || slices.ContainsFunc(sizes, func(s int64) bool { return s < 1 }) {
			return nil, nil, unknownShape{"it gives sizes for some axes only"}
		}
		return sizes, nil, nil
	}
	if axes != nil || len(factors) != in.rank() {
		return nil, nil, unknownShape{"its factors are not given for every axis"}
	}
	for i, f := range factors {
		size := math.Floor(float64(in.shape[i]) * f)
		if !(size >= 1 && size < math.MaxInt32) {
			return nil, nil, n.errorf("it scales %v by %v", in.shape, factors)
		}
		sizes = append(sizes, int64(size))
	}
	return sizes, factors, nil
}

func resizeShape(im *reading, n *node) error {
	sizes, _, err := im.resized(n)
	if err == nil {
		n.set(0, n.in[0].elem, sizes)
	}
	return err
}

func emitResize(e *emitter, n *node) error {
	sizes, factors, err := e.im.resized(n)
	if err != nil {
		return err
	}
	in := n.in[0]
	axes := in.rank() - 2
	if axes < 1 || axes > 3 || sizes[0] != in.shape[0] || sizes[1] != in.shape[1] {
		return refused{"it resizes other axes than those behind the channels"}
	}
	mode := map[string]string{"nearest": "nearest", "linear": []string{"linear", "bilinear", "trilinear"}[axes-1], "cubic": "bicubic"}[n.str("mode", "nearest")]
	params := []graph.Param{word("mode", mode)}
	if n.str("coordinate_transformation_mode", "half_pixel") == "align_corners" && mode != "nearest" {
		params = append(params, boolean("alignCorners", true))
	}
	size := graph.Param{Name: "size", Value: graph.IntsValue(sizes[2:]...)}
	if factors != nil {
		size = graph.Param{Name: "scaleFactor", Value: factorValue(factors[2:])}
	}
	return e.batchedLayer(n, "upsample", append([]graph.Param{size}, params...), nil)
}

// factorValue is one number where the factors are equal.
func factorValue(factors []float64) graph.Value {
	var values []graph.Value
	alike := true
	for _, f := range factors {
		values = append(values, floatValue(shorten(f)))
		alike = alike && f == factors[0]
	}
	if alike {
		return values[0]
	}
	return graph.ListValue(values...)
}

func depthToSpaceShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in, b := n.in[0].shape, n.int("blocksize", 0)
	if len(in) != 4 || b < 1 || b > 1<<15 || in[1]%(b*b) != 0 || max(in[2], in[3]) > math.MaxInt32 {
		return n.errorf("it spreads the channels of %v over blocks of %d", in, b)
	}
	n.set(0, n.in[0].elem, []int64{in[0], in[1] / (b * b), in[2] * b, in[3] * b})
	return nil
}

func spaceToDepthShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in, b := n.in[0].shape, n.int("blocksize", 0)
	if len(in) != 4 || b < 1 || b > 1<<15 || in[2]%b != 0 || in[3]%b != 0 || in[1] > math.MaxInt32 {
		return n.errorf("it gathers blocks of %d from %v", b, in)
	}
	n.set(0, n.in[0].elem, []int64{in[0], in[1] * b * b, in[2] / b, in[3] / b})
	return nil
}

func gridShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	in, grid := n.in[0].shape, n.in[1].shape
	if len(in) != 4 || len(grid) != 4 {
		return unknownShape{"it reads other than images"}
	}
	n.set(0, n.in[0].elem, []int64{in[0], in[1], grid[1], grid[2]})
	return nil
}

func emitGrid(e *emitter, n *node) error {
	if n.in[0].konst || n.in[1].konst {
		return refused{"its image or its grid is a constant"}
	}
	a, err := e.placed(n.in[0], 0)
	if err != nil {
		return err
	}
	b, err := e.placed(n.in[1], 0)
	if err != nil {
		return err
	}
	mode := map[string]string{"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest", "bicubic": "bicubic", "cubic": "bicubic"}[n.str("mode", "bilinear")]
	p, err := e.add(n, "gridSample", []graph.Param{word("mode", mode), word("paddingMode", n.str("padding_mode", "zeros")), boolean("alignCorners", n.int("align_corners", 0) != 0)}, nil, a, b)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, layout{0, 1})
}
