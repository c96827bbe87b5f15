package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "poolformer", Default: "PoolFormerForImageClassification",
	Classes: map[string]func(*Build){
		"PoolFormerForImageClassification": func(b *Build) {
			dim := b.Last("hidden_sizes")
			vision.Labels(b, vision.GlobalPool(b,
				vision.GroupNorm(b, poolFormer(b.Scope("poolformer")), "norm", 1, dim)),
				"classifier", dim)
		},
		"PoolFormerModel": func(b *Build) { b.Output(poolFormer(b).Node) },
	}})

// poolFormer has a mean over neighbours in the place of attention.
func poolFormer(b *Build) vision.Image {
	x := vision.Pixels(b)
	for i := range b.Int("num_encoder_blocks") {
		x = vision.Conv2d(b, x, fmt.Sprintf("encoder.patch_embeddings.%d.projection", i),
			vision.Conv{Out: b.NthSize("hidden_sizes", i),
				Kernel: config.Square(b.NthSize("patch_sizes", i)), Stride: config.Square(b.NthSize("strides", i)),
				Pad: config.Square(b.Nth("padding", i)), Bias: true})
		for j := range b.Nth("depths", i) {
			x = poolFormerLayer(b.Scope("encoder.block.%d.%d", i, j), x)
		}
	}
	return x
}

func poolFormerLayer(b *Build, x vision.Image) vision.Image {
	scaled := func(y vision.Image, name string) vision.Image {
		if b.Bool("use_layer_scale") {
			return vision.ChannelScale(b, y, name, x.C)
		}
		return y
	}
	size := b.Size("pool_size")
	y := vision.GroupNorm(b, x, "before_norm", 1, x.C)
	mean := b.Add("avgpool2d", "pooling.pool",
		Args{build.Int("kernelSize", size), build.Int("stride", 1), build.Int("padding", size/2),
			build.Flag("countIncludePad", false)}, y.Node)
	x = vision.Plus(b, x, scaled(y.As(b.Add("subtract", "pooling", nil, mean, y.Node)), "layer_scale_1"))
	y = vision.GroupNorm(b, x, "after_norm", 1, x.C)
	y = vision.Activate(b, vision.Pointwise(b, y, "output.conv1", vision.Ratio(b.Float("mlp_ratio"), x.C), true))
	return vision.Plus(b, x, scaled(vision.Pointwise(b, y, "output.conv2", x.C, true), "layer_scale_2"))
}
