package hf

import "math"

var _ = define(Family{Type: "mobilenet_v2", Default: "MobileNetV2ForImageClassification", Classes: map[string]func(*Build){
	"MobileNetV2ForImageClassification": func(b *Build) {
		x := b.Scope("mobilenet_v2").mobileNet2()
		b.Labels(b.GlobalPool(x), "classifier", x.C)
	},
	"MobileNetV2Model": func(b *Build) { b.Output(b.GlobalPool(b.mobileNet2())) },
}})

// mobileNet2 is inverted residual blocks; from output_stride on, kernels widen in the place of strides.
func (b *Build) mobileNet2() Image {
	b.positive("depth_multiplier")
	divisor, low := b.Size("depth_divisible_by"), b.Int("min_depth")
	wide := func(n int64) int64 {
		return makeDivisible(math.RoundToEven(float64(n)*b.Float("depth_multiplier")), divisor, low)
	}
	s, first := b.Scope("conv_stem"), wide(32)
	x := s.mobileConv(b.Pixels(), "first_conv", Conv{Out: first, Kernel: square(3), Stride: square(2)}, true)
	if !b.Bool("first_layer_is_expansion") {
		x = s.mobileConv(x, "expand_1x1", Conv{Out: first, Kernel: square(1)}, true)
	}
	x = s.mobileConv(x, "conv_3x3", Conv{Out: first, Kernel: square(3), Groups: first}, true)
	x = s.mobileConv(x, "reduce_1x1", Conv{Out: wide(16), Kernel: square(1)}, false)
	strides := []int64{2, 1, 2, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1}
	reached, dilation := int64(2), int64(1)
	for i, out := range []int64{24, 24, 32, 32, 32, 64, 64, 64, 64, 96, 96, 96, 160, 160, 160, 320} {
		stride, apart := strides[i], int64(1)
		if reached == b.Int("output_stride") {
			stride, apart = 1, dilation
			dilation *= strides[i]
		} else {
			reached *= stride
		}
		x = b.Scope("layer.%d", i).invertedBlock(x, wide(out), stride, apart, divisor, low)
	}
	last := wide(1280)
	if b.Bool("finegrained_output") && b.Float("depth_multiplier") < 1 {
		last = 1280
	}
	return b.mobileConv(x, "conv_1x1", Conv{Out: last, Kernel: square(1)}, true)
}

// invertedBlock is a residual block that is wide in the middle.
func (b *Build) invertedBlock(x Image, out, stride, dilation, divisor, low int64) Image {
	wide := makeDivisible(math.RoundToEven(float64(x.C)*b.Float("expand_ratio")), divisor, low)
	y := b.mobileConv(x, "expand_1x1", Conv{Out: wide, Kernel: square(1)}, true)
	y = b.mobileConv(y, "conv_3x3", Conv{Out: wide, Kernel: square(3), Stride: square(stride), Dilation: square(dilation), Groups: wide}, true)
	y = b.mobileConv(y, "reduce_1x1", Conv{Out: out, Kernel: square(1)}, false)
	if stride == 1 && x.C == out {
		return b.Plus(x, y)
	}
	return y
}
