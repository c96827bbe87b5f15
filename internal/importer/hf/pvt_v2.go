package hf

var _ = define(Family{Type: "pvt_v2", Default: "PvtV2ForImageClassification", Classes: map[string]func(*Build){
	"PvtV2ForImageClassification": func(b *Build) {
		b.Labels(b.Mean(b.Scope("pvt_v2").pvt2(), "", 1), "classifier", b.last("hidden_sizes"))
	},
	"PvtV2Model": func(b *Build) { b.Output(b.pvt2()) },
}})

// pvt2 has overlapping patches and convolutions in the networks in the place of positions.
func (b *Build) pvt2() Node {
	p := Pyramid{Ratios: "sr_ratios", Norm1: "layer_norm_1", Norm2: "layer_norm_2", Q: "attention.query", K: "attention.key", V: "attention.value",
		O: "attention.proj", Reduce: "attention.spatial_reduction", ReduceNorm: "attention.layer_norm", Up: "mlp.dense1", Down: "mlp.dense2",
		Depthwise: "mlp.dwconv.dwconv", MustDivide: true}
	return b.pyramid("encoder.layers.%d", "patch_embedding", p)
}

// pyramid gives the last positions of such a model.
func (b *Build) pyramid(stage, patches string, p Pyramid) Node {
	image := b.Pixels()
	x := image.Node
	for i := range b.Int("num_encoder_blocks") {
		s := b.Scope(stage, i)
		if i > 0 {
			image = s.Picture(x, image.C, image.H, image.W)
		}
		image, x = s.pyramidPatches(image, patches+".proj", patches+".layer_norm", b.overlapping(i))
		for j := range b.Nth("depths", i) {
			x = s.Scope("blocks.%d", j).pyramidLayer(x, image, i, p)
		}
		x = s.LayerNorm(x, "layer_norm", image.C, true)
	}
	return x
}
