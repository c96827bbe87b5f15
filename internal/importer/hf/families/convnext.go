package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "convnext", Default: "ConvNextForImageClassification",
	Classes: convNext("ConvNext", "convnext", false)})

// convNext are the classes of ConvNeXt; the second version normalises responses in the place of scaling the branch.
func convNext(name, prefix string, second bool) map[string]func(*Build) {
	return vision.Classes(name, prefix, func(b *Build) (Node, int64) { return convNextModel(b, second) })
}

func convNextModel(b *Build, second bool) (x Node, dim int64) {
	patch := b.PairOf("patch_size")
	image := vision.Conv2d(b, vision.Pixels(b), "embeddings.patch_embeddings",
		vision.Conv{Out: b.NthSize("hidden_sizes", 0), Kernel: patch, Stride: patch, Bias: true})
	image = vision.ImageNorm(b, image, "embeddings.layernorm")
	b.Held(image.Node)
	for i := range b.Int("num_stages") {
		s := b.Scope("encoder.stages.%d", i)
		if i > 0 {
			image = vision.ImageNorm(s, image, "downsampling_layer.0")
			image = vision.Conv2d(s, image, "downsampling_layer.1",
				vision.Conv{Out: b.NthSize("hidden_sizes", i), Kernel: config.Square(2), Stride: config.Square(2),
					Bias: true})
		}
		for j := range b.Nth("depths", i) {
			image = convNextLayer(s.Scope("layers.%d", j), image, second)
		}
	}
	dim = b.Last("hidden_sizes")
	return b.LayerNorm(vision.GlobalPool(b, image), "layernorm", dim, true), dim
}

func convNextLayer(b *Build, x vision.Image, second bool) vision.Image {
	y := vision.ChannelsLast(b, vision.Depthwise(b, x, "dwconv", 7, true).Node)
	y = b.LayerNorm(y, "layernorm", x.C, true)
	y = b.Activation(b.Linear(y, "pwconv1", x.C, 4*x.C, true), "hidden_act")
	if second {
		y = b.Add("grn", "grn", Args{build.Int("dim", 4*x.C)}, y)
		b.Tensor("grn.weight", 1, 1, 1, 4*x.C)
		b.Tensor("grn.bias", 1, 1, 1, 4*x.C)
	}
	y = b.Linear(y, "pwconv2", 4*x.C, x.C, true)
	if !second && b.Float("layer_scale_init_value") > 0 {
		y = vision.Scale(b, y, "layer_scale_parameter", x.C)
	}
	return vision.Plus(b, x, x.As(vision.ChannelsFirst(b, y)))
}
