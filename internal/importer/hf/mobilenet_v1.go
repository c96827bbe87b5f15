package hf

var _ = define(Family{Type: "mobilenet_v1", Default: "MobileNetV1ForImageClassification", Classes: map[string]func(*Build){
	"MobileNetV1ForImageClassification": func(b *Build) {
		x := b.Scope("mobilenet_v1").mobileNet()
		b.Labels(b.GlobalPool(x), "classifier", x.C)
	},
	"MobileNetV1Model": func(b *Build) { b.Output(b.GlobalPool(b.mobileNet())) },
}})

// mobileNet is convolutions of each channel by itself, each before one of size 1.
func (b *Build) mobileNet() Image {
	b.positive("depth_multiplier")
	wide := func(depth int64) int64 { return max(ratio(b.Float("depth_multiplier"), depth), b.Int("min_depth")) }
	depth := int64(32)
	out := wide(depth)
	x := b.mobileConv(b.Pixels(), "conv_stem", Conv{Out: out, Kernel: square(3), Stride: square(2)}, true)
	for i, stride := range []int64{1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1} {
		if stride == 2 || i == 0 {
			depth *= 2
			out = wide(depth)
		}
		x = b.Scope("layer.%d", 2*i).mobileConv(x, "", Conv{Out: x.C, Kernel: square(3), Stride: square(stride), Groups: x.C}, true)
		x = b.Scope("layer.%d", 2*i+1).mobileConv(x, "", Conv{Out: out, Kernel: square(1)}, true)
	}
	return x
}

func (b *Build) positive(key string) {
	if f := b.Float(key); !(f > 0) {
		fail(CodeConfig, b.at(key), "is %g but must be above 0", f)
	}
}

// mobileConv is a convolution with a batch norm and, where asked, the activation. With tf_padding the image is padded as TensorFlow
// does, which depends on its size; else by half of the kernel.
func (b *Build) mobileConv(x Image, name string, c Conv, act bool) Image {
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
			x = m.Pad(x, w/2*dilation, (w-w/2)*dilation, h/2*dilation, (h-h/2)*dilation)
		}
	} else {
		c.Pad = square((kernel - 1) / 2 * dilation)
	}
	x = m.BatchNorm(m.Conv(x, "convolution", c), "normalization")
	if act {
		return m.Activate(x)
	}
	return x
}
