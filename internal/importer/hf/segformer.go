package hf

var _ = define(Family{Type: "segformer", Default: "SegformerForImageClassification", Classes: map[string]func(*Build){
	"SegformerForImageClassification": func(b *Build) {
		b.Output(b.Linear(b.Mean(b.Scope("segformer").segFormer(), "", 1), "classifier", b.last("hidden_sizes"), b.NumLabels(), true))
	},
	"SegformerModel": func(b *Build) { b.Output(b.segFormer()) },
}})

func (b *Build) segFormer() Node {
	return b.pyramid("stages.%d", "patch_embeddings", Pyramid{Ratios: "sr_ratios", Norm1: "layernorm_before", Norm2: "layernorm_after",
		Q: "attention.q_proj", K: "attention.k_proj", V: "attention.v_proj", O: "attention.o_proj",
		Reduce: "attention.sequence_reduction.sequence_reduction", ReduceNorm: "attention.sequence_reduction.layer_norm",
		Up: "mlp.fc1", Down: "mlp.fc2", Depthwise: "mlp.dwconv.dwconv"})
}
