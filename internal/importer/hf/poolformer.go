package hf

import "fmt"

var _ = define(Family{Type: "poolformer", Default: "PoolFormerForImageClassification", Classes: map[string]func(*Build){
	"PoolFormerForImageClassification": func(b *Build) {
		dim := b.last("hidden_sizes")
		b.Labels(b.GlobalPool(b.GroupNorm(b.Scope("poolformer").poolFormer(), "norm", 1, dim)), "classifier", dim)
	},
	"PoolFormerModel": func(b *Build) { b.Output(b.poolFormer().Node) },
}})

// poolFormer has a mean over neighbours in the place of attention.
func (b *Build) poolFormer() Image {
	x := b.Pixels()
	for i := range b.Int("num_encoder_blocks") {
		x = b.Conv(x, fmt.Sprintf("encoder.patch_embeddings.%d.projection", i), Conv{Out: b.NthSize("hidden_sizes", i),
			Kernel: square(b.NthSize("patch_sizes", i)), Stride: square(b.NthSize("strides", i)), Pad: square(b.Nth("padding", i)), Bias: true})
		for j := range b.Nth("depths", i) {
			x = b.Scope("encoder.block.%d.%d", i, j).poolFormerLayer(x)
		}
	}
	return x
}

func (b *Build) poolFormerLayer(x Image) Image {
	scaled := func(y Image, name string) Image {
		if b.Bool("use_layer_scale") {
			return b.ChannelScale(y, name, x.C)
		}
		return y
	}
	size := b.Size("pool_size")
	y := b.GroupNorm(x, "before_norm", 1, x.C)
	mean := b.Add("avgpool2d", "pooling.pool", Args{Int("kernelSize", size), Int("stride", 1), Int("padding", size/2), Flag("countIncludePad", false)}, y.Node)
	x = b.Plus(x, scaled(y.as(b.Add("subtract", "pooling", nil, mean, y.Node)), "layer_scale_1"))
	y = b.GroupNorm(x, "after_norm", 1, x.C)
	y = b.Activate(b.Pointwise(y, "output.conv1", ratio(b.Float("mlp_ratio"), x.C), true))
	return b.Plus(x, scaled(b.Pointwise(y, "output.conv2", x.C, true), "layer_scale_2"))
}
