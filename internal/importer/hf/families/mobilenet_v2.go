package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "mobilenet_v2", Default: "MobileNetV2ForImageClassification",
	Classes: map[string]func(*Build){
		"MobileNetV2ForImageClassification": func(b *Build) {
			x := mobileNet2(b.Scope("mobilenet_v2"))
			vision.Labels(b, vision.GlobalPool(b, x), "classifier", x.C)
		},
		"MobileNetV2Model": func(b *Build) { b.Output(vision.GlobalPool(b, mobileNet2(b))) },
	}})

// mobileNet2 is inverted residual blocks; from output_stride on, kernels widen in the place of strides.
func mobileNet2(b *Build) vision.Image {
	positive(b, "depth_multiplier")
	divisor, low := b.Size("depth_divisible_by"), b.Int("min_depth")
	wide := func(n int64) int64 {
		return vision.MakeDivisible(math.RoundToEven(float64(n)*b.Float("depth_multiplier")), divisor, low)
	}
	s, first := b.Scope("conv_stem"), wide(32)
	x := mobileConv(s, vision.Pixels(b), "first_conv",
		vision.Conv{Out: first, Kernel: config.Square(3), Stride: config.Square(2)}, true)
	if !b.Bool("first_layer_is_expansion") {
		x = mobileConv(s, x, "expand_1x1", vision.Conv{Out: first, Kernel: config.Square(1)}, true)
	}
	x = mobileConv(s, x, "conv_3x3", vision.Conv{Out: first, Kernel: config.Square(3), Groups: first}, true)
	x = mobileConv(s, x, "reduce_1x1", vision.Conv{Out: wide(16), Kernel: config.Square(1)}, false)
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
		x = mobileNetBlock(b.Scope("layer.%d", i), x, wide(out), stride, apart, divisor, low)
	}
	last := wide(1280)
	if b.Bool("finegrained_output") && b.Float("depth_multiplier") < 1 {
		last = 1280
	}
	return mobileConv(b, x, "conv_1x1", vision.Conv{Out: last, Kernel: config.Square(1)}, true)
}

// mobileNetBlock is an inverted residual block.
func mobileNetBlock(b *Build, x vision.Image, out, stride, dilation, divisor, low int64) vision.Image {
	wide := vision.MakeDivisible(math.RoundToEven(float64(x.C)*b.Float("expand_ratio")), divisor, low)
	y := mobileConv(b, x, "expand_1x1", vision.Conv{Out: wide, Kernel: config.Square(1)}, true)
	y = mobileConv(b, y, "conv_3x3", vision.Conv{Out: wide, Kernel: config.Square(3), Stride: config.Square(stride),
		Dilation: config.Square(dilation), Groups: wide}, true)
	y = mobileConv(b, y, "reduce_1x1", vision.Conv{Out: out, Kernel: config.Square(1)}, false)
	if stride == 1 && x.C == out {
		return vision.Plus(b, x, y)
	}
	return y
}
