package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "mobilenet_v1", Default: "MobileNetV1ForImageClassification",
	Classes: map[string]func(*Build){
		"MobileNetV1ForImageClassification": func(b *Build) {
			x := mobileNet(b.Scope("mobilenet_v1"))
			vision.Labels(b, vision.GlobalPool(b, x), "classifier", x.C)
		},
		"MobileNetV1Model": func(b *Build) { b.Output(vision.GlobalPool(b, mobileNet(b))) },
	}})

// mobileNet is convolutions of each channel by itself, each before one of size 1.
func mobileNet(b *Build) vision.Image {
	positive(b, "depth_multiplier")
	wide := func(depth int64) int64 {
		return max(vision.Ratio(b.Float("depth_multiplier"), depth), b.Int("min_depth"))
	}
	depth := int64(32)
	out := wide(depth)
	x := mobileConv(b, vision.Pixels(b), "conv_stem",
		vision.Conv{Out: out, Kernel: config.Square(3), Stride: config.Square(2)}, true)
	for i, stride := range []int64{1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1} {
		if stride == 2 || i == 0 {
			depth *= 2
			out = wide(depth)
		}
		x = mobileConv(b.Scope("layer.%d", 2*i), x, "",
			vision.Conv{Out: x.C, Kernel: config.Square(3), Stride: config.Square(stride), Groups: x.C}, true)
		x = mobileConv(b.Scope("layer.%d", 2*i+1), x, "", vision.Conv{Out: out, Kernel: config.Square(1)}, true)
	}
	return x
}

func positive(b *Build, key string) {
	if f := b.Float(key); !(f > 0) {
		config.Fail(config.CodeConfig, b.At(key), "is %g but must be above 0", f)
	}
}

// mobileConv is a convolution with a batch norm and, where asked, the activation. With tf_padding the image is padded
// as TensorFlow does, which depends on its size; else by half of the kernel.
func mobileConv(b *Build, x vision.Image, name string, c vision.Conv, act bool) vision.Image {
	m := b.Scope("%s", name)
	kernel, stride, dilation := c.Kernel[0], max(c.Stride[0], 1), max(c.Dilation[0], 1)
	if b.Bool("tf_padding") {
		lack := func(size int64) int64 {
			if over := size % stride; over != 0 {
				return max(kernel-over, 0)
			}
			return max(kernel-stride, 0)
		}
		if h, w := lack(x.H), lack(x.W); h > 0 || w > 0 {
			x = vision.Pad(m, x, w/2*dilation, (w-w/2)*dilation, h/2*dilation, (h-h/2)*dilation)
		}
	} else {
		c.Pad = config.Square((kernel - 1) / 2 * dilation)
	}
	x = vision.BatchNorm(m, vision.Conv2d(m, x, "convolution", c), "normalization")
	if act {
		return vision.Activate(m, x)
	}
	return x
}
