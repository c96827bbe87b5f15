package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "pvt", Default: "PvtForImageClassification", Classes: map[string]func(*Build){
	"PvtForImageClassification": func(b *Build) {
		vision.Labels(b, b.First(pvt(b.Scope("pvt"))), "classifier",
			b.Last("hidden_sizes"))
	},
	"PvtModel": func(b *Build) { b.Output(pvt(b)) },
}})

// pvt has positions in each stage, and a token in the last. Its class takes strides for the size of patches, and the
// other way round.
func pvt(b *Build) Node {
	p := vision.Pyramid{Ratios: "sequence_reduction_ratios", Norm1: "layer_norm_1", Norm2: "layer_norm_2",
		Q: "attention.self.query", K: "attention.self.key",
		V: "attention.self.value", O: "attention.output.dense", Reduce: "attention.self.sequence_reduction",
		ReduceNorm: "attention.self.layer_norm",
		Up:         "mlp.dense1", Down: "mlp.dense2", MustDivide: true}
	image := vision.Pixels(b)
	full, last := config.Two{image.H, image.W}, b.Int("num_encoder_blocks")-1
	var x Node
	for i := range last + 1 {
		patch, dim, shrunk := b.NthSize("patch_sizes", i), b.NthSize("hidden_sizes", i), full
		if i > 0 {
			shrunk = config.Two{full[0] >> (i + 1), full[1] >> (i + 1)}
		}
		e, rows := b.Scope("encoder.patch_embeddings.%d", i), (shrunk[0]/patch)*(shrunk[1]/patch)
		image, x = vision.PyramidPatches(e, image, "projection", "layer_norm",
			vision.Conv{Out: dim, Kernel: config.Square(b.NthSize("strides", i)), Stride: config.Square(patch)})
		if i == last {
			x = frontToken(e, x, "cls_token", dim)
			rows++
		}
		x = e.Residual(x, rowsOf(e, x, "position_embeddings", rows, dim))
		for j := range b.Nth("depths", i) {
			x = vision.PyramidLayer(b.Scope("encoder.block.%d.%d", i, j), x, image, i, p)
		}
		if i != last {
			image = vision.Picture(b, x, dim, image.H, image.W)
		}
	}
	return b.LayerNorm(x, "encoder.layer_norm", b.Last("hidden_sizes"), true)
}
