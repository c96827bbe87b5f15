package families

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "regnet", Default: "RegNetForImageClassification",
	Classes: map[string]func(*Build){
		"RegNetForImageClassification": func(b *Build) {
			vision.Labels(b, vision.GlobalPool(b, regNet(b.Scope("regnet"))), "classifier.1", b.Last("hidden_sizes"))
		},
		"RegNetModel": func(b *Build) { b.Output(vision.GlobalPool(b, regNet(b))) },
	}})

// regNet is ResNet with grouped convolutions of one width and, in kind y, excited channels.
func regNet(b *Build) vision.Image {
	if kind := b.Str("layer_type"); kind != "x" && kind != "y" {
		config.Fail(config.CodeConfig, b.At("layer_type"), "is %q but takes x or y", kind)
	}
	x := convNorm(b.Scope("embedder"), vision.Pixels(b), "embedder",
		vision.Conv{Out: b.Size("embedding_size"), Kernel: config.Square(3), Stride: config.Square(2)},
		b.Str("hidden_act"))
	return resStages(b, x, func(b *Build, x vision.Image, out, stride int64, _ bool) vision.Image {
		act := b.Str("hidden_act")
		y := convNorm(b, x, "layer.0", vision.Conv{Out: out, Kernel: config.Square(1)}, act)
		y = convNorm(b, y, "layer.1", vision.Conv{Out: out, Kernel: config.Square(3), Stride: config.Square(stride),
			Groups: out / b.Size("groups_width")}, act)
		if b.Is("layer_type", "y") {
			middle := int64(math.RoundToEven(float64(x.C) / 4))
			y = vision.Excite(b.Scope("layer.2"), y, "attention.0", "attention.2", middle, "relu", "sigmoid")
			y = convNorm(b, y, "layer.3", vision.Conv{Out: out, Kernel: config.Square(1)}, "")
		} else {
			y = convNorm(b, y, "layer.2", vision.Conv{Out: out, Kernel: config.Square(1)}, "")
		}
		if x.C != out || stride != 1 {
			x = convNorm(b, x, "shortcut", vision.Conv{Out: out, Kernel: config.Square(1),
				Stride: config.Square(stride)}, "")
		}
		return vision.Activate(b, vision.Plus(b, y, x))
	})
}
