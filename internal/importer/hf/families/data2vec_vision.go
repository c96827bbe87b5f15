package families

import "github.com/modelverifier/verifier/internal/importer/hf/family"

var _ = family.Define(family.Family{Type: "data2vec-vision", Default: "Data2VecVisionForImageClassification",
	Classes: beits("Data2VecVision", "data2vec_vision", Beit{
		Layers: "encoder.layer", Shared: "encoder.relative_position_bias",
		Bias: "attention.attention.relative_position_bias",
		Q:    "attention.attention.query", K: "attention.attention.key", V: "attention.attention.value",
		O:  "attention.output.dense",
		Up: "intermediate.dense", Down: "output.dense", MustDivide: true, Unpooled: true})})
