package hf

var _ = define(Family{Type: "textnet", Default: "TextNetForImageClassification", Classes: map[string]func(*Build){
	"TextNetForImageClassification": func(b *Build) { b.Labels(b.GlobalPool(b.Scope("textnet").textNet()), "fc", b.last("hidden_sizes")) },
	"TextNetModel": func(b *Build) {
		b.Output(b.Add("adaptiveAvgPool2d", "pooler", Args{Int("outputSize", 2)}, b.textNet().Node))
	},
}})

// The kernels and strides of a config that names none.
var (
	textKernels = [][]Two{{{3, 3}, {3, 3}, {3, 3}}, {{3, 3}, {1, 3}, {3, 3}, {3, 1}}, {{3, 3}, {3, 3}, {3, 1}, {1, 3}}, {{3, 3}, {3, 1}, {1, 3}, {3, 3}}}
	textStrides = [][]Two{{{1, 1}, {2, 2}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}}, {{2, 2}, {1, 1}, {1, 1}, {1, 1}}}
)

// textNet sums convolutions of a kernel, of its column and of its row. Its first stage expects hidden_sizes[0] channels, whatever the
// stem gives.
func (b *Build) textNet() Image {
	h, w := b.Pair("image_size")
	b.bounded("image_size", max(h, w))
	kernel := b.Size("stem_kernel_size")
	x := b.Conv(b.PixelsOf(b.Size("stem_num_channels"), h, w), "stem.conv", Conv{Out: b.Size("stem_out_channels"), Kernel: square(kernel),
		Stride: square(b.Size("stem_stride")), Pad: square(kernel / 2)})
	x = b.BatchNorm(x, "stem.batch_norm")
	if b.Has("stem_act_func") {
		x = x.as(b.Activation(x.Node, "stem_act_func"))
	}
	kernels, strides := b.twos("conv_layer_kernel_sizes", textKernels), b.twos("conv_layer_strides", textStrides)
	for i := range int64(len(kernels)) {
		in, out, steps := b.NthSize("hidden_sizes", i), b.NthSize("hidden_sizes", i+1), entry(b.Config, "conv_layer_strides", strides, i)
		for j, k := range kernels[i] {
			if j >= len(steps) {
				break // transformers pairs the two lists as far as both go
			}
			x = b.Scope("encoder.stages.%d.stage.%d", i, j).textLayer(x, in, out, k, steps[j])
			in = out
		}
	}
	return x
}

// twos reads stages of integers, or of pairs of them.
func (b *Build) twos(key string, otherwise [][]Two) [][]Two {
	if !b.Has(key) {
		return otherwise
	}
	var out [][]Two
	for _, stage := range b.list(key) {
		layers := &Config{values: map[string]any{key: stage}, path: b.Config.path}
		var list []Two
		for _, v := range layers.list(key) {
			two := (&Config{values: map[string]any{key: v}, path: b.Config.path}).PairOf(key)
			if min(two[0], two[1]) < 1 {
				fail(CodeConfig, b.at(key), "has %v but takes integers of at least 1", two)
			}
			b.bounded(key, max(two[0], two[1]))
			list = append(list, two)
		}
		out = append(out, list)
	}
	return out
}

func (b *Build) textLayer(x Image, in, out int64, kernel, stride Two) Image {
	branch := func(name string, k Two) Image {
		y := b.Conv(x, name+"_conv", Conv{In: in, Out: out, Kernel: k, Stride: stride, Pad: Two{(k[0] - 1) / 2, (k[1] - 1) / 2}})
		return b.BatchNorm(y, name+"_batch_norm")
	}
	y := branch("main", kernel)
	if kernel[1] != 1 {
		y = b.Plus(y, branch("vertical", Two{kernel[0], 1}))
	}
	if kernel[0] != 1 {
		y = b.Plus(y, branch("horizontal", Two{1, kernel[1]}))
	}
	if in == out && stride == square(1) {
		y = b.Plus(y, b.BatchNormOf(x, "rbr_identity", in))
	}
	return y.as(b.Add("relu", "activation_function", nil, y.Node))
}
