package rules

var _ = define(Rule{
	ID:       "einsum-equation",
	Title:    "An equation that does not fit its inputs",
	Severity: Block,
	Doc:      `Each input needs its own group of letters, separated by commas, with one letter for every axis; a letter has one size wherever it stands, and every letter of the result occurs in an input, once. The batch comes first in each group and in the result. Compare the groups with the shapes that arrive.`,
	Source:   "torch.einsum, aten/src/ATen/native/Linear.cpp",
	Examples: []string{
		"x: input shape=[12,64]\ny: input shape=[7,64]\ne: einsum equation=\"bid,bjd->bik\" // want\no: output\nx, y -> e -> o",
		"x: input shape=[12,64]\ny: input shape=[7,32]\ne: einsum equation=\"bid,bjd->bij\" // want\no: output\nx, y -> e -> o",
		"x: input shape=[12,64]\ne: einsum equation=\"bi->bi\" // want\no: output\nx -> e -> o",
		"x: input shape=[12,64]\ny: input shape=[7,64]\ne: einsum equation=\"bid,bjd->bij\"\no: output\nx, y -> e -> o",
	},
})
