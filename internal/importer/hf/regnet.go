package hf

import "math"

var _ = define(Family{Type: "regnet", Default: "RegNetForImageClassification", Classes: map[string]func(*Build){
	"RegNetForImageClassification": func(b *Build) {
		b.Labels(b.GlobalPool(b.Scope("regnet").regNet()), "classifier.1", b.last("hidden_sizes"))
	},
	"RegNetModel": func(b *Build) { b.Output(b.GlobalPool(b.regNet())) },
}})

// regNet is ResNet with grouped convolutions of one width and, in kind y, excited channels.
func (b *Build) regNet() Image {
	if kind := b.Str("layer_type"); kind != "x" && kind != "y" {
		fail(CodeConfig, b.at("layer_type"), "is %q but takes x or y", kind)
	}
	x := b.Scope("embedder").convNorm(b.Pixels(), "embedder", Conv{Out: b.Size("embedding_size"), Kernel: square(3), Stride: square(2)}, b.Str("hidden_act"))
	return b.resStages(x, func(b *Build, x Image, out, stride int64, _ bool) Image {
		act := b.Str("hidden_act")
		y := b.convNorm(x, "layer.0", Conv{Out: out, Kernel: square(1)}, act)
		y = b.convNorm(y, "layer.1", Conv{Out: out, Kernel: square(3), Stride: square(stride), Groups: out / b.Size("groups_width")}, act)
		if b.Is("layer_type", "y") {
			middle := int64(math.RoundToEven(float64(x.C) / 4))
			y = b.Scope("layer.2").Excite(y, "attention.0", "attention.2", middle, "relu", "sigmoid")
			y = b.convNorm(y, "layer.3", Conv{Out: out, Kernel: square(1)}, "")
		} else {
			y = b.convNorm(y, "layer.2", Conv{Out: out, Kernel: square(1)}, "")
		}
		if x.C != out || stride != 1 {
			x = b.convNorm(x, "shortcut", Conv{Out: out, Kernel: square(1), Stride: square(stride)}, "")
		}
		return b.Activate(b.Plus(y, x))
	})
}
