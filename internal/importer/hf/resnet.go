package hf

var _ = define(Family{Type: "resnet", Default: "ResNetForImageClassification", Classes: map[string]func(*Build){
	"ResNetForImageClassification": func(b *Build) {
		b.Labels(b.GlobalPool(b.Scope("resnet").resNet()), "classifier.1", b.last("hidden_sizes"))
	},
	"ResNetModel": func(b *Build) { b.Output(b.GlobalPool(b.resNet())) },
}})

// resNet is stages of residual layers, each but the first at half the size of the one before.
func (b *Build) resNet() Image {
	kind := b.Str("layer_type")
	if kind != "basic" && kind != "bottleneck" {
		fail(CodeConfig, b.at("layer_type"), "is %q but takes basic or bottleneck", kind)
	}
	x := b.Scope("embedder").convNorm(b.Pixels(), "embedder", Conv{Out: b.Size("embedding_size"), Kernel: square(7), Stride: square(2)}, b.Str("hidden_act"))
	x = b.Scope("embedder").MaxPool(x, 3, 2, 1)
	return b.resStages(x, func(b *Build, x Image, out, stride int64, first bool) Image {
		return b.resLayer(x, out, stride, kind == "bottleneck", first && b.Bool("downsample_in_bottleneck"))
	})
}

// resStages adds stages of layers, of which the first of each may halve the image.
func (b *Build) resStages(x Image, layer func(b *Build, x Image, out, stride int64, first bool) Image) Image {
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

func (b *Build) resLayer(x Image, out, stride int64, bottleneck, early bool) Image {
	y := x
	if bottleneck {
		strides := Two{1, stride} // of the first and of the second convolution
		if early {
			strides = Two{stride, 1}
		}
		y = b.convNorm(y, "layer.0", Conv{Out: out / 4, Kernel: square(1), Stride: square(strides[0])}, "relu")
		y = b.convNorm(y, "layer.1", Conv{Out: out / 4, Kernel: square(3), Stride: square(strides[1])}, "relu")
		y = b.convNorm(y, "layer.2", Conv{Out: out, Kernel: square(1)}, "")
	} else {
		y = b.convNorm(y, "layer.0", Conv{Out: out, Kernel: square(3), Stride: square(stride)}, "relu")
		y = b.convNorm(y, "layer.1", Conv{Out: out, Kernel: square(3)}, "")
	}
	if x.C != out || stride != 1 {
		x = b.convNorm(x, "shortcut", Conv{Out: out, Kernel: square(1), Stride: square(stride)}, "")
	}
	return b.Activate(b.Plus(y, x))
}

// convNorm is a convolution padded by half its kernel, a batch norm and an activation, where there is one.
func (b *Build) convNorm(x Image, name string, c Conv, act string) Image {
	m := b.Scope("%s", name)
	if c.Pad == square(0) {
		c.Pad = Two{c.Kernel[0] / 2, c.Kernel[1] / 2}
	}
	x = m.BatchNorm(m.Conv(x, "convolution", c), "normalization")
	if act == "" {
		return x
	}
	return x.as(m.Act(x.Node, act, "hidden_act"))
}
