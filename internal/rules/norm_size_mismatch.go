package rules

var _ = define(Rule{
	ID:       "norm-size-mismatch",
	Title:    "A normalisation for another size",
	Severity: Block,
	Doc:      `The scale, shift and running statistics of the normalisation have a fixed size, and what arrives has another. Batch, group and instance normalisation read the channels, the first axis behind the batch; layer and RMS normalisation read the last axes. Set the size to what arrives, or permute the axes if the layer looks at the wrong one.`,
	Source:   "torch.nn.functional.batch_norm, aten/src/ATen/native/Normalization.cpp: running_mean should contain as many elements as there are channels; torch.nn.functional.layer_norm, aten/src/ATen/native/layer_norm.h",
	Examples: []string{
		"x: input shape=[16,8,8]\nn: batchNorm numFeatures=32 // want\no: output\nx -> n -> o",
		"x: input shape=[10,32]\nn: layerNorm normalizedShape=64 // want\no: output\nx -> n -> o",
		"x: input shape=[10,32]\nn: rmsNorm normalizedShape=10 // want\no: output\nx -> n -> o",
		"x: input shape=[16,8,8]\nn: groupNorm numGroups=4 numChannels=8 // want\no: output\nx -> n -> o",
		"x: input shape=[16,8,8]\nn: batchNorm numFeatures=16\no: output\nx -> n -> o",
		"x: input shape=[10,32]\nn: layerNorm normalizedShape=32\no: output\nx -> n -> o",
	},
})
