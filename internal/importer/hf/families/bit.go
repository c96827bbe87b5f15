package families

import (
	"strings"

	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "bit", Default: "BitForImageClassification", Classes: map[string]func(*Build){
	"BitForImageClassification": func(b *Build) {
		vision.Labels(b, vision.GlobalPool(b, bit(b.Scope("bit"))), "classifier.1", b.Last("hidden_sizes"))
	},
	"BitModel": func(b *Build) { b.Output(vision.GlobalPool(b, bit(b))) },
}})

// bit is a ResNet with group norms; its convolutions standardise their weights, which changes neither shapes nor
// counts.
func bit(b *Build) vision.Image {
	kind := b.Str("layer_type")
	if kind != "preactivation" && kind != "bottleneck" {
		config.Fail(config.CodeConfig, b.At("layer_type"), "is %q but takes preactivation or bottleneck", kind)
	}
	e := b.Scope("embedder")
	x := bitConv(e, vision.Pixels(b), "convolution",
		vision.Conv{Out: b.Size("embedding_size"), Kernel: config.Square(7), Stride: config.Square(2)})
	if !strings.EqualFold(b.Str("global_padding"), "same") {
		x = vision.Pad(e, x, 1, 1, 1, 1)
	}
	if kind == "bottleneck" {
		x = bitNorm(e, x, "norm", x.C, true)
	}
	if b.Bool("embedding_dynamic_padding") {
		x = padSame(e, x, 3, 2, 1)
	}
	x = vision.MaxPool(e, x, 3, 2, 0)
	x = bitStages(b, x, kind == "preactivation")
	if kind == "preactivation" {
		x = bitNorm(b, x, "norm", b.Last("hidden_sizes"), true)
	}
	return x
}

func bitStages(b *Build, x vision.Image, pre bool) vision.Image {
	depths, reached, dilation := b.Ints("depths"), int64(4), int64(1)
	for i, size := range b.Ints("hidden_sizes") {
		if i >= len(depths) {
			break // transformers pairs the two lists as far as both go
		}
		out, stride := vision.MakeDivisible(float64(size)*b.Float("width_factor"), 8, 8), int64(2)
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
				x = bitPreLayer(l, x, out, stride, j == 0)
			} else {
				x = bitLayer(l, x, out, stride, first, j == 0)
			}
			stride, first = 1, dilation
		}
	}
	return x
}

func bitPreLayer(b *Build, x vision.Image, out, stride int64, first bool) vision.Image {
	middle := vision.MakeDivisible(float64(out)*0.25, 8, 8)
	y := bitNorm(b, x, "norm1", x.C, true)
	if first {
		x = bitConv(b, y, "downsample.conv", vision.Conv{Out: out, Kernel: config.Square(1),
			Stride: config.Square(stride)})
	}
	y = bitNorm(b, bitConv(b, y, "conv1", vision.Conv{Out: middle, Kernel: config.Square(1)}), "norm2", middle, true)
	y = bitNorm(b, bitConv(b, y, "conv2", vision.Conv{Out: middle, Kernel: config.Square(3),
		Stride: config.Square(stride)}), "norm3", middle, true)
	return vision.Plus(b, bitConv(b, y, "conv3", vision.Conv{Out: out, Kernel: config.Square(1)}), x)
}

func bitLayer(b *Build, x vision.Image, out, stride, dilation int64, first bool) vision.Image {
	middle := vision.MakeDivisible(float64(out)*0.25, 8, 8)
	y := bitNorm(b, bitConv(b, x, "conv1", vision.Conv{Out: middle, Kernel: config.Square(1)}), "norm1", middle, true)
	y = bitConv(b, y, "conv2", vision.Conv{Out: middle, Kernel: config.Square(3), Stride: config.Square(stride),
		Dilation: config.Square(dilation)})
	y = bitNorm(b, y, "norm2", middle, true)
	y = bitNorm(b, bitConv(b, y, "conv3", vision.Conv{Out: out, Kernel: config.Square(1)}), "norm3", out, false)
	if first {
		x = bitConv(b, x, "downsample.conv", vision.Conv{Out: out, Kernel: config.Square(1),
			Stride: config.Square(stride)})
		x = bitNorm(b, x, "downsample.norm", out, false)
	}
	return vision.Activate(b, vision.Plus(b, y, x))
}

func bitNorm(b *Build, x vision.Image, name string, channels int64, act bool) vision.Image {
	x = vision.GroupNorm(b, x, name, b.Size("num_groups"), channels)
	if act {
		return vision.Activate(b, x)
	}
	return x
}

// bitConv pads as global_padding says: same keeps the size over the stride, valid adds nothing, and null adds equally
// on both sides.
func bitConv(b *Build, x vision.Image, name string, c vision.Conv) vision.Image {
	kernel, stride, dilation := c.Kernel[0], max(c.Stride[0], 1), max(c.Dilation[0], 1)
	switch mode := strings.ToLower(b.Str("global_padding")); {
	case mode == "same" && (stride != 1 || dilation*(kernel-1)%2 != 0):
		x = padSame(b, x, kernel, stride, dilation)
	case mode == "valid":
	case mode == "same" || mode == "":
		c.Pad = config.Square((stride - 1 + dilation*(kernel-1)) / 2)
	default:
		config.Fail(config.CodeConfig, b.At("global_padding"), "is %q but takes SAME, VALID or null", mode)
	}
	y := vision.Conv2d(b, x, name, c)
	b.As(y.Node, transformers.StandardizedConvolution{})
	return y
}

// padSame pads so that a window with this stride covers the whole image, with the odd element at the end.
func padSame(b *Build, x vision.Image, kernel, stride, dilation int64) vision.Image {
	lack := func(size int64) int64 { return max(((size+stride-1)/stride-1)*stride+(kernel-1)*dilation+1-size, 0) }
	h, w := lack(x.H), lack(x.W)
	if h == 0 && w == 0 {
		return x
	}
	return vision.Pad(b, x, w/2, w-w/2, h/2, h-h/2)
}
