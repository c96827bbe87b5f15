package keras

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

// window is how a layer goes over the axes of a picture.
type window struct {
	kernel, stride, dilation []int64
	same                     bool
}

func (c *call) window(n int, kernel, stride string, strides int64) (window, bool) {
	w := window{c.dims(kernel, n, 1), c.dims(stride, n, strides), c.dims("dilation_rate", n, 1), false}
	if strides == 0 && (len(c.config[stride]) == 0 || string(c.config[stride]) == "null") { // pooling goes on by its window
		w.stride = w.kernel
	}
	w.same = c.word("padding", "valid") == "same"
	for i := range n {
		if w.kernel[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 {
			return w, false
		}
	}
	return w, true
}

// sized is the shape behind the window, and what Keras pads before and behind each axis. Padding "same" puts the odd element behind, whereas that of
// PyTorch's layers is even.
func (w *window) sized(shape []int64, channels int64) (out, before, behind []int64) {
	for i := range w.kernel {
		span, in := w.dilation[i]*(w.kernel[i]-1)+1, shape[i]
		if !w.same {
			out, before, behind = append(out, max(0, (in-span)/w.stride[i]+1)), append(before, 0), append(behind, 0)
			continue
		}
		n := (in + w.stride[i] - 1) / w.stride[i]
		total := max(0, (n-1)*w.stride[i]+span-in)
		out, before, behind = append(out, n), append(before, total/2), append(behind, total-total/2)
	}
	return append(out, channels), before, behind
}

// padded puts zeros around a picture.
func (c *call) padded(x tensor, before, behind []int64) tensor {
	shape, pads := slices.Clone(x.shape), []int64{}
	for i := range before {
		shape[i] += before[i] + behind[i]
	}
	for i := len(before) - 1; i >= 0; i-- { // the last axis first
		pads = append(pads, before[i], behind[i])
	}
	return c.add(c.name+"_padding", "pad", []graph.Param{ints("padding", pads...)}, shape, x.first, x)
}

// picture is the input with its channels in front, and whether it has so many axes beside them.
func (c *call) picture(n int) (tensor, bool) {
	x := c.in[0]
	if len(x.shape) != n+1 {
		return x, false
	}
	return c.asFirst(x), true
}

// convolution is over n axes, of all channels together or of each by itself.
func convolution(n int, depthwise bool) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		w, legal := c.window(n, "kernel_size", "strides", 1)
		if !ok || !legal {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels")
		}
		in := x.channels()
		out, groups := c.int("filters", 0), c.int("groups", 1)
		if depthwise {
			groups, out = in, in*c.int("depth_multiplier", 1)
		}
		return c.behind(c.convolved(c.name, x, w, out, groups, c.bool("use_bias", true)))
	}
}

// convolved is a convolution with the padding of Keras.
func (c *call) convolved(name string, x tensor, w window, out, groups int64, bias bool) tensor {
	causal := c.word("padding", "valid") == "causal"
	if causal {
		x = c.padded(x, []int64{w.dilation[0] * (w.kernel[0] - 1)}, []int64{0})
	}
	in := x.channels()
	shape, before, behind := w.sized(x.shape, out)
	if !slices.Equal(before, behind) {
		x = c.padded(x, before, behind)
		before = slices.Repeat([]int64{0}, len(before))
	}
	params := []graph.Param{
		number("inChannels", in), number("outChannels", out), ints("kernelSize", w.kernel...), ints("stride", w.stride...), ints("padding", before...),
		ints("dilation", w.dilation...), number("groups", groups), truth("bias", bias),
	}
	if c.same != "" {
		params = append(params, word("sameAs", c.same))
	}
	return c.add(name, "conv"+strconv.Itoa(len(w.kernel))+"d", params, shape, true, x)
}

// separable is a convolution of each channel by itself, and one of size 1.
func separable(n int) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		w, legal := c.window(n, "kernel_size", "strides", 1)
		if !ok || !legal || c.same != "" {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels, once")
		}
		in := x.channels()
		y := c.convolved(c.name+"_depthwise", x, w, in*c.int("depth_multiplier", 1), in, false)
		one := slices.Repeat([]int64{1}, n)
		plain := map[string]json.RawMessage{"padding": json.RawMessage(`"valid"`)} // of this call: the layer's own is for all
		for _, name := range []string{"activation", "use_bias", "filters"} {
			plain[name] = c.config[name]
		}
		c.config = plain
		y = c.convolved(c.name, y, window{one, one, one, false}, c.int("filters", 0), 1, c.bool("use_bias", true))
		return c.behind(y)
	}
}

// transposed is a transposed convolution; with padding "same" it gives stride times as much as arrives.
func transposed(n int) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		w, legal := c.window(n, "kernel_size", "strides", 1)
		if raw := c.config["output_padding"]; !ok || !legal || len(raw) > 0 && string(raw) != "null" {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels, and no output_padding")
		}
		var shape, pads, extra []int64
		for i := range n {
			span := w.dilation[i]*(w.kernel[i]-1) + 1
			full := (x.shape[i]-1)*w.stride[i] + span
			want := full + max(0, w.stride[i]-span)
			if w.same {
				want = x.shape[i] * w.stride[i]
			}
			pad := max(0, full-want+1) / 2
			shape, pads, extra = append(shape, want), append(pads, pad), append(extra, want-full+2*pad)
		}
		out := c.int("filters", 0)
		y := c.put("transposeConv"+strconv.Itoa(n)+"d", append(shape, out), x, number("inChannels", x.channels()), number("outChannels", out),
			ints("kernelSize", w.kernel...), ints("stride", w.stride...), ints("padding", pads...), ints("outputPadding", extra...), ints("dilation", w.dilation...),
			truth("bias", c.bool("use_bias", true)))
		return c.behind(y)
	}
}

// pooling takes windows; where Keras pads behind alone, the last window is not full.
func pooling(n int, typ string) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		w, legal := c.window(n, "pool_size", "strides", 0)
		if !ok || !legal {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels")
		}
		shape, before, behind := w.sized(x.shape, x.channels())
		params := []graph.Param{ints("kernelSize", w.kernel...), ints("stride", w.stride...)}
		even, ceil := slices.Equal(before, behind), true
		for i := range before {
			ceil = ceil && (before[i] == 0 || before[i] == behind[i])
		}
		switch {
		case even:
			params = append(params, ints("padding", before...))
		case ceil: // a padding that is full leaves no rest, so that the mode changes the other axes alone
			params = append(params, ints("padding", before...), truth("ceilMode", true))
		default:
			out := c.open("its padding is not even")
			c.setShape(out, shape)
			return tensor{out.id, shape, false}
		}
		if typ[0] == 'a' {
			params = append(params, truth("countIncludePad", false))
		}
		return c.put(typ, shape, x, params...)
	}
}

// global takes one number for each channel.
func global(n int, kind string) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		if !ok {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels")
		}
		axes := strconv.Itoa(n) + "d"
		if c.bool("keepdims", false) {
			one := slices.Repeat([]int64{1}, n)
			return c.put("adaptive"+kind+"Pool"+axes, append(one, x.channels()), x, ints("outputSize", one...))
		}
		y := c.put("global"+kind+"Pool"+axes, []int64{x.channels()}, x)
		return tensor{y.id, y.shape, false}
	}
}

// margins are added to the axes of a picture, or cut from them.
func margins(n int, name string, sign int64) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		if !ok {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels")
		}
		var pairs [][]int64
		if !c.parse(c.config[name], &pairs) || len(pairs) != n {
			pairs = nil
			for _, d := range c.dims(name, n, 1) {
				pairs = append(pairs, []int64{d, d})
			}
			if flat := c.dims(name, 2, 0); n == 1 && string(c.config[name]) != "" {
				pairs = [][]int64{{flat[0], flat[1]}}
			}
		}
		shape, pads := slices.Clone(x.shape), []int64{}
		for i := n - 1; i >= 0; i-- {
			if len(pairs[i]) != 2 {
				return c.open(name + " is not a pair for each axis")
			}
			before, behind := sign*pairs[i][0], sign*pairs[i][1]
			pads, shape[i] = append(pads, before, behind), shape[i]+before+behind
		}
		return c.put("pad", shape, x, ints("padding", pads...))
	}
}

// upsampling makes the axes of a picture larger.
func upsampling(n int) func(*call) tensor {
	return func(c *call) tensor {
		x, ok := c.picture(n)
		mode := c.word("interpolation", "nearest")
		if !ok || mode != "nearest" && mode != "bilinear" && mode != "bicubic" {
			return c.open("it takes " + strconv.Itoa(n) + " axes and channels, with nearest, bilinear or bicubic values between")
		}
		shape, to := slices.Clone(x.shape), []int64{}
		for i, f := range c.dims("size", n, 2) {
			shape[i] *= f
			to = append(to, shape[i])
		}
		return c.put("upsample", shape, x, ints("size", to...), word("mode", mode))
	}
}
