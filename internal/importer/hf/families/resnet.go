package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "resnet", Default: "ResNetForImageClassification",
	Classes: map[string]func(*Build){
		"ResNetForImageClassification": func(b *Build) {
			vision.Labels(b, vision.GlobalPool(b, resNet(b.Scope("resnet"))), "classifier.1", b.Last("hidden_sizes"))
		},
		"ResNetModel": func(b *Build) { b.Output(vision.GlobalPool(b, resNet(b))) },
	}})

// resNet is stages of residual layers, each but the first at half the size of the one before.
func resNet(b *Build) vision.Image {
	kind := b.Str("layer_type")
	if kind != "basic" && kind != "bottleneck" {
		config.Fail(config.CodeConfig, b.At("layer_type"), "is %q but takes basic or bottleneck", kind)
	}
	x := convNorm(b.Scope("embedder"), vision.Pixels(b), "embedder",
		vision.Conv{Out: b.Size("embedding_size"), Kernel: config.Square(7), Stride: config.Square(2)},
		b.Str("hidden_act"))
	x = vision.MaxPool(b.Scope("embedder"), x, 3, 2, 1)
	return resStages(b, x, func(b *Build, x vision.Image, out, stride int64, first bool) vision.Image {
		return resLayer(b, x, out, stride, kind == "bottleneck", first && b.Bool("downsample_in_bottleneck"))
	})
}

// resStages adds stages of layers, of which the first of each may halve the image.
func resStages(b *Build, x vision.Image,
	layer func(b *Build, x vision.Image, out, stride int64, first bool) vision.Image) vision.Image {
	depths := b.Ints("depths")
	for i, out := range b.Ints("hidden_sizes") {
		if i >= len(depths) {
			break // transformers pairs the two lists as far as both go
		}
		stride := int64(2)
		if i == 0 && !b.Bool("downsample_in_first_stage") {
			stride = 1
		}
		for j := range max(depths[i], 1) {
			x = layer(b.Scope("encoder.stages.%d.layers.%d", i, j), x, out, stride, j == 0)
			stride = 1
		}
	}
	return x
}

func resLayer(b *Build, x vision.Image, out, stride int64, bottleneck, early bool) vision.Image {
	y := x
	if bottleneck {
		strides := config.Two{1, stride} // of the first and of the second convolution
		if early {
			strides = config.Two{stride, 1}
		}
		y = convNorm(b, y, "layer.0", vision.Conv{Out: out / 4, Kernel: config.Square(1),
			Stride: config.Square(strides[0])}, "relu")
		y = convNorm(b, y, "layer.1", vision.Conv{Out: out / 4, Kernel: config.Square(3),
			Stride: config.Square(strides[1])}, "relu")
		y = convNorm(b, y, "layer.2", vision.Conv{Out: out, Kernel: config.Square(1)}, "")
	} else {
		y = convNorm(b, y, "layer.0", vision.Conv{Out: out, Kernel: config.Square(3), Stride: config.Square(stride)},
			"relu")
		y = convNorm(b, y, "layer.1", vision.Conv{Out: out, Kernel: config.Square(3)}, "")
	}
	if x.C != out || stride != 1 {
		x = convNorm(b, x, "shortcut", vision.Conv{Out: out, Kernel: config.Square(1), Stride: config.Square(stride)},
			"")
	}
	return vision.Activate(b, vision.Plus(b, y, x))
}

// convNorm is a convolution padded by half its kernel, a batch norm and an activation, where there is one.
func convNorm(b *Build, x vision.Image, name string, c vision.Conv, act string) vision.Image {
	m := b.Scope("%s", name)
	if c.Pad == config.Square(0) {
		c.Pad = config.Two{c.Kernel[0] / 2, c.Kernel[1] / 2}
	}
	x = vision.BatchNorm(m, vision.Conv2d(m, x, "convolution", c), "normalization")
	if act == "" {
		return x
	}
	return x.As(m.Act(x.Node, act, "hidden_act"))
}
