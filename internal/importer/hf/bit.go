package hf

import "strings"

var _ = define(Family{Type: "bit", Default: "BitForImageClassification", Classes: map[string]func(*Build){
	"BitForImageClassification": func(b *Build) {
		b.Labels(b.GlobalPool(b.Scope("bit").bit()), "classifier.1", b.last("hidden_sizes"))
	},
	"BitModel": func(b *Build) { b.Output(b.GlobalPool(b.bit())) },
}})

// bit is a ResNet with group norms; its convolutions standardise their weights, which changes neither shapes nor counts.
func (b *Build) bit() Image {
	kind := b.Str("layer_type")
	if kind != "preactivation" && kind != "bottleneck" {
		fail(CodeConfig, b.at("layer_type"), "is %q but takes preactivation or bottleneck", kind)
	}
	e := b.Scope("embedder")
	x := e.bitConv(b.Pixels(), "convolution", Conv{Out: b.Size("embedding_size"), Kernel: square(7), Stride: square(2)})
	if !strings.EqualFold(b.Str("global_padding"), "same") {
		x = e.Pad(x, 1, 1, 1, 1)
	}
	if kind == "bottleneck" {
		x = e.bitNorm(x, "norm", x.C, true)
	}
	if b.Bool("embedding_dynamic_padding") {
		x = e.padSame(x, 3, 2, 1)
	}
	x = e.MaxPool(x, 3, 2, 0)
	x = b.bitStages(x, kind == "preactivation")
	if kind == "preactivation" {
		x = b.bitNorm(x, "norm", b.last("hidden_sizes"), true)
	}
	return x
}

func (b *Build) bitStages(x Image, pre bool) Image {
	depths, reached, dilation := b.Ints("depths"), int64(4), int64(1)
	for i, size := range b.Ints("hidden_sizes") {
		if i >= len(depths) {
			break // transformers pairs the two lists as far as both go
		}
		out, stride := makeDivisible(float64(size)*b.Float("width_factor"), 8, 8), int64(2)
		if i == 0 {
			stride = 1
		}
		if reached >= b.Size("output_stride") {
			dilation, stride = dilation*stride, 1
		}
		reached *= stride
		first := int64(2)
		if dilation <= 2 {
			first = 1
		}
		for j := range depths[i] {
			l := b.Scope("encoder.stages.%d.layers.%d", i, j)
			if pre {
				x = l.bitPreLayer(x, out, stride, j == 0)
			} else {
				x = l.bitLayer(x, out, stride, first, j == 0)
			}
			stride, first = 1, dilation
		}
	}
	return x
}

func (b *Build) bitPreLayer(x Image, out, stride int64, first bool) Image {
	middle := makeDivisible(float64(out)*0.25, 8, 8)
	y := b.bitNorm(x, "norm1", x.C, true)
	if first {
		x = b.bitConv(y, "downsample.conv", Conv{Out: out, Kernel: square(1), Stride: square(stride)})
	}
	y = b.bitNorm(b.bitConv(y, "conv1", Conv{Out: middle, Kernel: square(1)}), "norm2", middle, true)
	y = b.bitNorm(b.bitConv(y, "conv2", Conv{Out: middle, Kernel: square(3), Stride: square(stride)}), "norm3", middle, true)
	return b.Plus(b.bitConv(y, "conv3", Conv{Out: out, Kernel: square(1)}), x)
}

func (b *Build) bitLayer(x Image, out, stride, dilation int64, first bool) Image {
	middle := makeDivisible(float64(out)*0.25, 8, 8)
	y := b.bitNorm(b.bitConv(x, "conv1", Conv{Out: middle, Kernel: square(1)}), "norm1", middle, true)
	y = b.bitConv(y, "conv2", Conv{Out: middle, Kernel: square(3), Stride: square(stride), Dilation: square(dilation)})
	y = b.bitNorm(y, "norm2", middle, true)
	y = b.bitNorm(b.bitConv(y, "conv3", Conv{Out: out, Kernel: square(1)}), "norm3", out, false)
	if first {
		x = b.bitConv(x, "downsample.conv", Conv{Out: out, Kernel: square(1), Stride: square(stride)})
		x = b.bitNorm(x, "downsample.norm", out, false)
	}
	return b.Activate(b.Plus(y, x))
}

func (b *Build) bitNorm(x Image, name string, channels int64, act bool) Image {
	x = b.GroupNorm(x, name, b.Size("num_groups"), channels)
	if act {
		return b.Activate(x)
	}
	return x
}

// bitConv pads as global_padding says: same keeps the size over the stride, valid adds nothing, and null adds equally on both sides.
func (b *Build) bitConv(x Image, name string, c Conv) Image {
	kernel, stride, dilation := c.Kernel[0], max(c.Stride[0], 1), max(c.Dilation[0], 1)
	switch mode := strings.ToLower(b.Str("global_padding")); {
	case mode == "same" && (stride != 1 || dilation*(kernel-1)%2 != 0):
		x = b.padSame(x, kernel, stride, dilation)
	case mode == "valid":
	case mode == "same" || mode == "":
		c.Pad = square((stride - 1 + dilation*(kernel-1)) / 2)
	default:
		fail(CodeConfig, b.at("global_padding"), "is %q but takes SAME, VALID or null", mode)
	}
	y := b.Conv(x, name, c)
	b.way(y.Node, "remade")
	return y
}

// padSame pads so that a window with this stride covers the whole image, with the odd element at the end.
func (b *Build) padSame(x Image, kernel, stride, dilation int64) Image {
	lack := func(size int64) int64 { return max(((size+stride-1)/stride-1)*stride+(kernel-1)*dilation+1-size, 0) }
	h, w := lack(x.H), lack(x.W)
	if h == 0 && w == 0 {
		return x
	}
	return b.Pad(x, w/2, w-w/2, h/2, h-h/2)
}
