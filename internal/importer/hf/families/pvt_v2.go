package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "pvt_v2", Default: "PvtV2ForImageClassification",
	Classes: map[string]func(*Build){
		"PvtV2ForImageClassification": func(b *Build) {
			vision.Labels(b, b.Mean(pvt2(b.Scope("pvt_v2")), "", 1), "classifier", b.Last("hidden_sizes"))
		},
		"PvtV2Model": func(b *Build) { b.Output(pvt2(b)) },
	}})

// pvt2 has overlapping patches and convolutions in the networks in the place of positions.
func pvt2(b *Build) Node {
	p := vision.Pyramid{Ratios: "sr_ratios", Norm1: "layer_norm_1", Norm2: "layer_norm_2", Q: "attention.query",
		K: "attention.key", V: "attention.value",
		O: "attention.proj", Reduce: "attention.spatial_reduction", ReduceNorm: "attention.layer_norm",
		Up: "mlp.dense1", Down: "mlp.dense2",
		Depthwise: "mlp.dwconv.dwconv", MustDivide: true}
	return pyramid(b, "encoder.layers.%d", "patch_embedding", p)
}

// pyramid gives the last positions of such a model.
func pyramid(b *Build, stage, patches string, p vision.Pyramid) Node {
	image := vision.Pixels(b)
	x := image.Node
	for i := range b.Int("num_encoder_blocks") {
		s := b.Scope(stage, i)
		if i > 0 {
			image = vision.Picture(s, x, image.C, image.H, image.W)
		}
		image, x = vision.PyramidPatches(s, image, patches+".proj", patches+".layer_norm", vision.Overlapping(b, i))
		for j := range b.Nth("depths", i) {
			x = vision.PyramidLayer(s.Scope("blocks.%d", j), x, image, i, p)
		}
		x = s.LayerNorm(x, "layer_norm", image.C, true)
	}
	return x
}
