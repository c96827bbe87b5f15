package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "segformer", Default: "SegformerForImageClassification",
	Classes: map[string]func(*Build){
		"SegformerForImageClassification": func(b *Build) {
			b.Output(b.Linear(b.Mean(segFormer(b.Scope("segformer")), "", 1), "classifier", b.Last("hidden_sizes"),
				b.NumLabels(), true))
		},
		"SegformerModel": func(b *Build) { b.Output(segFormer(b)) },
	}})

func segFormer(b *Build) Node {
	return pyramid(b, "stages.%d", "patch_embeddings",
		vision.Pyramid{Ratios: "sr_ratios", Norm1: "layernorm_before", Norm2: "layernorm_after",
			Q: "attention.q_proj", K: "attention.k_proj", V: "attention.v_proj", O: "attention.o_proj",
			Reduce:     "attention.sequence_reduction.sequence_reduction",
			ReduceNorm: "attention.sequence_reduction.layer_norm",
			Up:         "mlp.fc1", Down: "mlp.fc2", Depthwise: "mlp.dwconv.dwconv"})
}
