package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "textnet", Default: "TextNetForImageClassification",
	Classes: map[string]func(*Build){
		"TextNetForImageClassification": func(b *Build) {
			vision.Labels(b, vision.GlobalPool(b, textNet(b.Scope("textnet"))), "fc", b.Last("hidden_sizes"))
		},
		"TextNetModel": func(b *Build) {
			b.Output(b.Add("adaptiveAvgPool2d", "pooler", Args{build.Int("outputSize", 2)}, textNet(b).Node))
		},
	}})

// The kernels and strides of a config that names none.
var (
	textKernels = [][]config.Two{{{3, 3}, {3, 3}, {3, 3}}, {{3, 3}, {1, 3}, {3, 3}, {3, 1}},
		{{3, 3}, {3, 3}, {3, 1}, {1, 3}}, {{3, 3}, {3, 1}, {1, 3}, {3, 3}}}
	textStrides = [][]config.Two{{{1, 1}, {2, 2}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}},
		{{2, 2}, {1, 1}, {1, 1}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}}}
)

// textNet sums convolutions of a kernel, of its column and of its row. Its first stage expects hidden_sizes[0]
// channels, whatever the stem gives.
func textNet(b *Build) vision.Image {
	h, w := b.Pair("image_size")
	b.Bounded("image_size", max(h, w))
	kernel := b.Size("stem_kernel_size")
	x := vision.Conv2d(b, vision.PixelsOf(b, b.Size("stem_num_channels"), h, w), "stem.conv",
		vision.Conv{Out: b.Size("stem_out_channels"), Kernel: config.Square(kernel),
			Stride: config.Square(b.Size("stem_stride")), Pad: config.Square(kernel / 2)})
	x = vision.BatchNorm(b, x, "stem.batch_norm")
	if b.Has("stem_act_func") {
		x = x.As(b.Activation(x.Node, "stem_act_func"))
	}
	kernels, strides := twos(b, "conv_layer_kernel_sizes", textKernels), twos(b, "conv_layer_strides", textStrides)
	for i := range int64(len(kernels)) {
		in, out, steps := b.NthSize("hidden_sizes", i), b.NthSize("hidden_sizes", i+1),
			config.Entry(b.Config, "conv_layer_strides", strides, i)
		for j, k := range kernels[i] {
			if j >= len(steps) {
				break // transformers pairs the two lists as far as both go
			}
			x = textLayer(b.Scope("encoder.stages.%d.stage.%d", i, j), x, in, out, k, steps[j])
			in = out
		}
	}
	return x
}

// twos reads stages of integers, or of pairs of them.
func twos(b *Build, key string, otherwise [][]config.Two) [][]config.Two {
	if !b.Has(key) {
		return otherwise
	}
	var out [][]config.Two
	for _, stage := range b.List(key) {
		layers := config.Object(map[string]any{key: stage}, b.Where())
		var list []config.Two
		for _, v := range layers.List(key) {
			two := config.Object(map[string]any{key: v}, b.Where()).PairOf(key)
			if min(two[0], two[1]) < 1 {
				config.Fail(config.CodeConfig, b.At(key), "has %v but takes integers of at least 1", two)
			}
			b.Bounded(key, max(two[0], two[1]))
			list = append(list, two)
		}
		out = append(out, list)
	}
	return out
}

func textLayer(b *Build, x vision.Image, in, out int64, kernel, stride config.Two) vision.Image {
	branch := func(name string, k config.Two) vision.Image {
		y := vision.Conv2d(b, x, name+"_conv",
			vision.Conv{In: in, Out: out, Kernel: k, Stride: stride, Pad: config.Two{(k[0] - 1) / 2, (k[1] - 1) / 2}})
		return vision.BatchNorm(b, y, name+"_batch_norm")
	}
	y := branch("main", kernel)
	if kernel[1] != 1 {
		y = vision.Plus(b, y, branch("vertical", config.Two{kernel[0], 1}))
	}
	if kernel[0] != 1 {
		y = vision.Plus(b, y, branch("horizontal", config.Two{1, kernel[1]}))
	}
	if in == out && stride == config.Square(1) {
		y = vision.Plus(b, y, vision.BatchNormOf(b, x, "rbr_identity", in))
	}
	return y.As(b.Add("relu", "activation_function", nil, y.Node))
}
