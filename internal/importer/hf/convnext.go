package hf

var _ = define(Family{Type: "convnext", Default: "ConvNextForImageClassification", Classes: convNext("ConvNext", "convnext", false)})

// convNext are the classes of ConvNeXt; the second version normalises responses in the place of scaling the branch.
func convNext(name, prefix string, second bool) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			x, dim := b.Scope("%s", prefix).convNext(second)
			b.Labels(x, "classifier", dim)
		},
		name + "Model": func(b *Build) {
			x, _ := b.convNext(second)
			b.Output(x)
		},
	}
}

func (b *Build) convNext(second bool) (x Node, dim int64) {
	patch := b.PairOf("patch_size")
	image := b.Conv(b.Pixels(), "embeddings.patch_embeddings", Conv{Out: b.NthSize("hidden_sizes", 0), Kernel: patch, Stride: patch, Bias: true})
	image = b.ImageNorm(image, "embeddings.layernorm")
	b.held(image.Node)
	for i := range b.Int("num_stages") {
		s := b.Scope("encoder.stages.%d", i)
		if i > 0 {
			image = s.ImageNorm(image, "downsampling_layer.0")
			image = s.Conv(image, "downsampling_layer.1", Conv{Out: b.NthSize("hidden_sizes", i), Kernel: square(2), Stride: square(2), Bias: true})
		}
		for j := range b.Nth("depths", i) {
			image = s.Scope("layers.%d", j).convNextLayer(image, second)
		}
	}
	dim = b.last("hidden_sizes")
	return b.LayerNorm(b.GlobalPool(image), "layernorm", dim, true), dim
}

func (b *Build) convNextLayer(x Image, second bool) Image {
	y := b.ChannelsLast(b.Depthwise(x, "dwconv", 7, true).Node)
	y = b.LayerNorm(y, "layernorm", x.C, true)
	y = b.Activation(b.Linear(y, "pwconv1", x.C, 4*x.C, true), "hidden_act")
	if second {
		y = b.Add("grn", "grn", Args{Int("dim", 4*x.C)}, y)
		b.Tensor("grn.weight", 1, 1, 1, 4*x.C)
		b.Tensor("grn.bias", 1, 1, 1, 4*x.C)
	}
	y = b.Linear(y, "pwconv2", 4*x.C, x.C, true)
	if !second && b.Float("layer_scale_init_value") > 0 {
		y = b.Scale(y, "layer_scale_parameter", x.C)
	}
	return b.Plus(x, x.as(b.ChannelsFirst(y)))
}
