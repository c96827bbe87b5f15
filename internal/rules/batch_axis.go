package rules

var _ = define(Rule{
	ID:       "batch-axis",
	Title:    "The batch is not kept",
	Severity: Block,
	Doc:      `The operation would move, join, reduce or cut axis 0, the batch. The samples would mix and the result would no longer have one row for each target, so that the loss cannot be computed. Axes count the batch as 0: use 1 for the first axis of a sample.`,
	Source:   "torch.nn.functional.cross_entropy, aten/src/ATen/native/LossNLL.cpp, refuses results and targets of different batch sizes; measured rows in truth/ with the error: batch axis not preserved",
	Examples: []string{
		"x: input shape=[12,64]\np: permute dims=[1,0,2] // want\no: output\nx -> p -> o",
		"x: input shape=[12,64]\nm: mean dim=0 // want\no: output\nx -> m -> o",
		"x: input shape=[64]\ny: input shape=[64]\nc: concatenate dim=0 // want\no: output\nx, y -> c -> o",
		"x: input shape=[12,64]\np: permute dims=[0,2,1]\no: output\nx -> p -> o",
		"x: input shape=[12,64]\nm: mean dim=1\no: output\nx -> m -> o",
		"x: input shape=[64]\ny: input shape=[64]\nc: concatenate dim=1\no: output\nx, y -> c -> o",
	},
})
