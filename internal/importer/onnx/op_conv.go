package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

var (
	_ = register("Conv", operator{shape: convShape, emit: emitConv})
	_ = register("ConvTranspose", operator{shape: convTransposeShape, emit: emitConvTranspose})
	_ = register("MaxPool", operator{shape: poolShape, emit: emitPool})
	_ = register("AveragePool", operator{shape: poolShape, emit: emitPool})
	_ = register("LpPool", operator{shape: poolShape, emit: emitPool})
	_ = register("GlobalAveragePool", operator{shape: globalShape, emit: emitGlobalPool("adaptiveAvgPool")})
	_ = register("GlobalMaxPool", operator{shape: globalShape, emit: emitGlobalPool("adaptiveMaxPool")})
	_ = register("GlobalLpPool", operator{shape: globalShape})
)

// windows are how a kernel moves over the spatial axes of an input.
type windows struct {
	kernel, stride, dilation, before, after []int64
	ceil                                    bool
}

// windowsOf reads the attributes of a convolution or a pool; kernel is that of the weight, nil for a pool.
func windowsOf(n *node, kernel []int64) (windows, error) {
	in := n.in[0]
	count := in.rank() - 2
	if count < 1 {
		return windows{}, n.errorf("it takes (batch, channels, …), got %v", in.shape)
	}
	w := windows{kernel: n.intList("kernel_shape"), stride: n.intsOr("strides", count, 1), dilation: n.intsOr("dilations", count, 1), ceil: n.int("ceil_mode", 0) != 0}
	if w.kernel == nil {
		w.kernel = kernel
	}
	pads := n.intsOr("pads", 2*count, 0)
	if len(w.kernel) != count || len(w.stride) != count || len(w.dilation) != count || len(pads) != 2*count {
		return w, n.errorf("its kernel %v, strides %v, dilations %v and pads %v do not fit %v", w.kernel, w.stride, w.dilation, pads, in.shape)
	}
	for i := range count {
		for _, v := range []int64{w.kernel[i], w.stride[i], w.dilation[i]} {
			if v < 1 || v > math.MaxInt32 {
				return w, n.errorf("its kernel %v, strides %v and dilations %v are not sizes", w.kernel, w.stride, w.dilation)
			}
		}
		if max(pads[i], pads[i+count]) > math.MaxInt32 || min(pads[i], pads[i+count]) < 0 {
			return w, n.errorf("its pads are %v", pads)
		}
	}
	w.before, w.after = slices.Clone(pads[:count]), slices.Clone(pads[count:])
	w.auto(n.str("auto_pad", "NOTSET"), in.shape[2:])
	return w, nil
}

func (w *windows) auto(mode string, size []int64) {
	if mode == "VALID" {
		clear(w.before)
		clear(w.after)
	}
	if mode != "SAME_UPPER" && mode != "SAME_LOWER" {
		return
	}
	for i, n := range size {
		out := (n + w.stride[i] - 1) / w.stride[i]
		total := max((out-1)*w.stride[i]+(w.kernel[i]-1)*w.dilation[i]+1-n, 0)
		w.before[i], w.after[i] = total/2, total-total/2
		if mode == "SAME_LOWER" {
			w.before[i], w.after[i] = w.after[i], w.before[i]
		}
	}
}

// slide returns the sizes of the result.
func (w *windows) slide(n *node, size []int64) ([]int64, error) {
	var out []int64
	for i, s := range size {
		room := s + w.before[i] + w.after[i] - (w.kernel[i]-1)*w.dilation[i] - 1
		if room < 0 {
			return nil, n.errorf("its kernel %v is larger than %v", w.kernel, size)
		}
		steps := room / w.stride[i]
		if w.ceil && room%w.stride[i] != 0 && (steps+1)*w.stride[i] < s+w.before[i] { // the last window starts inside
			steps++
		}
		out = append(out, steps+1)
	}
	return out, nil
}

func convShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	in, weight := n.in[0], n.in[1]
	if weight.rank() != in.rank() || in.rank() < 3 {
		return n.errorf("its weight has shape %v and its input %v", weight.shape, in.shape)
	}
	w, err := windowsOf(n, weight.shape[2:])
	if err != nil {
		return err
	}
	out, err := w.slide(n, in.shape[2:])
	n.set(0, in.elem, append([]int64{in.shape[0], weight.shape[0]}, out...))
	return err
}

// padded puts padding that a layer cannot do itself into a component of its own.
func (e *emitter) padded(n *node, in port, w windows, value float64) (port, error) {
	var pads []int64
	for i := len(w.before) - 1; i >= 0; i-- {
		pads = append(pads, w.before[i], w.after[i])
	}
	return e.add(n, "pad", []graph.Param{list("padding", pads), number("value", value)}, nil, in)
}

func emitConv(e *emitter, n *node) error {
	weight := n.in[1]
	if !weight.konst {
		return refused{"its weight is computed when the model runs"}
	}
	w, err := windowsOf(n, weight.shape[2:])
	if err != nil {
		return err
	}
	shift := e.vector(n, n.input(2), 0)
	uses := append(e.weights(n, weight), shift...)
	e.pending = uses
	in, err := e.batched(n)
	if err != nil {
		return err
	}
	padding := w.before
	if !slices.Equal(w.before, w.after) {
		if in, err = e.padded(n, in, w, 0); err != nil {
			return err
		}
		padding = make([]int64, len(padding))
	}
	groups, channels, axes := n.int("group", 1), n.in[0].shape[1], len(w.kernel)
	typ := fmt.Sprintf("conv%dd", axes)
	params := []graph.Param{whole("inChannels", channels), whole("outChannels", weight.shape[0])}
	if depthwise := groups == channels && groups > 1 && axes < 3 && weight.shape[0]%groups == 0; depthwise {
		typ = fmt.Sprintf("depthwiseConv%dd", axes)
		params = params[:1]
		if m := weight.shape[0] / groups; m > 1 {
			params = append(params, whole("depthMultiplier", m))
		}
	} else if groups > 1 {
		params = append(params, whole("groups", groups))
	}
	params = append(params, each("kernelSize", w.kernel, 0), each("stride", w.stride, 1), each("padding", padding, 0), each("dilation", w.dilation, 1))
	if len(shift) == 0 {
		params = append(params, boolean("bias", false))
	}
	p, err := e.add(n, typ, compact(params), uses, in)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, layout{0, 1})
}

// each is a parameter with a number for every spatial axis; one number where they are equal. A default is marked to be left
// out.
func each(name string, values []int64, otherwise int64) graph.Param {
	for _, v := range values {
		if v != values[0] {
			return list(name, values)
		}
	}
	if values[0] == otherwise && name != "kernelSize" {
		return graph.Param{}
	}
	return whole(name, values[0])
}

func compact(params []graph.Param) []graph.Param {
	return slices.DeleteFunc(params, func(p graph.Param) bool { return p.Name == "" })
}

// transposed returns the padding at both ends and the output padding of a transposed convolution. ONNX gives the size of the
// result, or what is cut off; PyTorch pads both ends alike and adds the rest behind.
func transposed(n *node, w windows) (before, after, extra []int64, out []int64, err error) {
	size, given := n.in[0].shape[2:], n.intList("output_shape")
	extra = slices.Clone(n.intsOr("output_padding", len(size), 0))
	if len(extra) != len(size) || given != nil && len(given) < len(size) {
		return nil, nil, nil, nil, n.errorf("its output_padding %v or output_shape %v does not fit %v", extra, given, n.in[0].shape)
	}
	if given != nil {
		given = given[len(given)-len(size):]
	}
	before, after = slices.Clone(w.before), slices.Clone(w.after)
	auto := n.str("auto_pad", "NOTSET")
	for i, s := range size {
		grown := (s-1)*w.stride[i] + extra[i] + (w.kernel[i]-1)*w.dilation[i] + 1
		want := grown - before[i] - after[i]
		switch {
		case given != nil:
			want = given[i]
		case auto == "SAME_UPPER" || auto == "SAME_LOWER":
			want = s * w.stride[i]
		}
		if total := grown - want; given != nil || auto != "NOTSET" && auto != "" {
			before[i], after[i] = total-total/2, total/2
			if auto == "SAME_UPPER" {
				before[i], after[i] = total/2, total-total/2
			}
		}
		if want < 1 || extra[i] < 0 {
			return nil, nil, nil, nil, n.errorf("its result would have %d entries along an axis", want)
		}
		out = append(out, want)
	}
	return before, after, extra, out, nil
}

func convTransposeShape(_ *reading, n *node) error {
	if err := n.need(2); err != nil {
		return err
	}
	in, weight := n.in[0], n.in[1]
	groups := n.int("group", 1)
	if weight.rank() != in.rank() || in.rank() < 3 || groups < 1 || groups > math.MaxInt32 || weight.shape[1] > math.MaxInt32 {
		return n.errorf("its weight has shape %v and its input %v", weight.shape, in.shape)
	}
	w, err := windowsOf(n, weight.shape[2:])
	if err != nil {
		return err
	}
	_, _, _, out, err := transposed(n, w)
	n.set(0, in.elem, append([]int64{in.shape[0], weight.shape[1] * groups}, out...))
	return err
}

func emitConvTranspose(e *emitter, n *node) error {
	weight := n.in[1]
	if !weight.konst {
		return refused{"its weight is computed when the model runs"}
	}
	w, err := windowsOf(n, weight.shape[2:])
	if err != nil {
		return err
	}
	before, after, extra, _, err := transposed(n, w)
	if err != nil {
		return err
	}
	for i := range before { // one more in front than behind is one less behind
		if d := before[i] - after[i]; d > 0 {
			extra[i] += d
		} else if d < 0 {
			return refused{"it cuts more off behind than in front"}
		}
	}
	shift := e.vector(n, n.input(2), 0)
	uses := append(e.weights(n, weight), shift...)
	groups := n.int("group", 1)
	params := []graph.Param{whole("inChannels", weight.shape[0]), whole("outChannels", weight.shape[1]*groups), each("kernelSize", w.kernel, 0), each("stride", w.stride, 1),
		each("padding", before, 0), each("outputPadding", extra, 0), each("dilation", w.dilation, 1)}
	if groups > 1 {
		params = append(params, whole("groups", groups))
	}
	if len(shift) == 0 {
		params = append(params, boolean("bias", false))
	}
	return e.batchedLayer(n, fmt.Sprintf("transposeConv%dd", len(w.kernel)), compact(params), uses)
}

func poolShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	w, err := windowsOf(n, nil)
	if err != nil {
		return err
	}
	out, err := w.slide(n, n.in[0].shape[2:])
	shape := append(slices.Clone(n.in[0].shape[:2]), out...)
	n.set(0, n.in[0].elem, shape)
	n.set(1, elemInt64, shape)
	return err
}

func emitPool(e *emitter, n *node) error {
	if len(n.out) > 1 && e.used[n.out[1]] {
		return refused{"the places of the largest values are used, too"}
	}
	w, err := windowsOf(n, nil)
	if err != nil {
		return err
	}
	in, err := e.batched(n)
	if err != nil {
		return err
	}
	fill := 0.0
	typ := map[string]string{"MaxPool": "maxpool", "AveragePool": "avgpool", "LpPool": "lpPool"}[n.op]
	if typ == "maxpool" {
		fill = -math.MaxFloat32
	}
	padding, fits := w.before, slices.Equal(w.before, w.after) && typ != "lpPool"
	for i, p := range w.before {
		fits = fits && 2*p <= w.kernel[i] // torch refuses more
	}
	if !fits && slices.Max(append(slices.Clone(w.before), w.after...)) > 0 {
		if in, err = e.padded(n, in, w, fill); err != nil {
			return err
		}
		padding = make([]int64, len(padding))
	}
	params := []graph.Param{each("kernelSize", w.kernel, 0), each("stride", w.stride, -1)}
	if typ != "lpPool" {
		params = append(params, each("padding", padding, 0))
	} else {
		params = append(params, number("normType", float64(n.int("p", 2))))
	}
	if typ == "maxpool" {
		params = append(params, each("dilation", w.dilation, 1))
	}
	if w.ceil {
		params = append(params, boolean("ceilMode", true))
	}
	if typ == "avgpool" && n.int("count_include_pad", 0) == 0 && slices.Max(padding) > 0 {
		params = append(params, boolean("countIncludePad", false))
	}
	p, err := e.add(n, fmt.Sprintf("%s%dd", typ, len(w.kernel)), compact(params), nil, in)
	if err != nil {
		return err
	}
	return e.give(n.out[0], p, layout{0, 1})
}

func globalShape(_ *reading, n *node) error {
	if err := n.need(1); err != nil {
		return err
	}
	in := n.in[0]
	if in.rank() < 3 {
		return n.errorf("it takes (batch, channels, …), got %v", in.shape)
	}
	n.set(0, in.elem, append(slices.Clone(in.shape[:2]), slices.Repeat([]int64{1}, in.rank()-2)...))
	return nil
}

func emitGlobalPool(typ string) func(*emitter, *node) error {
	return func(e *emitter, n *node) error {
		return e.batchedLayer(n, fmt.Sprintf("%s%dd", typ, n.in[0].rank()-2), []graph.Param{whole("outputSize", 1)}, nil)
	}
}
