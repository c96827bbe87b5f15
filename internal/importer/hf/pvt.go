package hf

var _ = define(Family{Type: "pvt", Default: "PvtForImageClassification", Classes: map[string]func(*Build){
	"PvtForImageClassification": func(b *Build) { b.Labels(b.First(b.Scope("pvt").pvt()), "classifier", b.last("hidden_sizes")) },
	"PvtModel":                  func(b *Build) { b.Output(b.pvt()) },
}})

// pvt has positions in each stage, and a token in the last. Its class takes strides for the size of patches, and the other way round.
func (b *Build) pvt() Node {
	p := Pyramid{Ratios: "sequence_reduction_ratios", Norm1: "layer_norm_1", Norm2: "layer_norm_2", Q: "attention.self.query", K: "attention.self.key",
		V: "attention.self.value", O: "attention.output.dense", Reduce: "attention.self.sequence_reduction", ReduceNorm: "attention.self.layer_norm",
		Up: "mlp.dense1", Down: "mlp.dense2", MustDivide: true}
	image := b.Pixels()
	full, last := Two{image.H, image.W}, b.Int("num_encoder_blocks")-1
	var x Node
	for i := range last + 1 {
		patch, dim, shrunk := b.NthSize("patch_sizes", i), b.NthSize("hidden_sizes", i), full
		if i > 0 {
			shrunk = Two{full[0] >> (i + 1), full[1] >> (i + 1)}
		}
		e, rows := b.Scope("encoder.patch_embeddings.%d", i), (shrunk[0]/patch)*(shrunk[1]/patch)
		image, x = e.pyramidPatches(image, "projection", "layer_norm", Conv{Out: dim, Kernel: square(b.NthSize("strides", i)), Stride: square(patch)})
		if i == last {
			x = e.frontToken(x, "cls_token", dim)
			rows++
		}
		x = e.Residual(x, e.rowsOf(x, "position_embeddings", rows, dim))
		for j := range b.Nth("depths", i) {
			x = b.Scope("encoder.block.%d.%d", i, j).pyramidLayer(x, image, i, p)
		}
		if i != last {
			image = b.Picture(x, dim, image.H, image.W)
		}
	}
	return b.LayerNorm(x, "encoder.layer_norm", b.last("hidden_sizes"), true)
}
