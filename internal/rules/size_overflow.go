package rules

var _ = define(Rule{
	ID:       "size-overflow",
	Title:    "A size that does not fit in 64 bits",
	Severity: Block,
	Doc:      `The number of elements or weights is above 9.2 quintillion and cannot even be counted in 64 bits; no machine could hold them. A number of operations above that is no fault, and is said to be not known. Usually a size was mistyped, or an input was flattened in front of a wide layer. Look at the largest numbers of this component and of those in front of it.`,
	Source:   "at::detail::empty_generic, aten/src/ATen/EmptyTensor.cpp: Storage size calculation overflowed",
	Examples: []string{
		"x: input shape=[4000000000,4000000000] // want\nr: relu\no: output\nx -> r -> o",
		"x: input shape=[9000000000]\nf: linear outFeatures=9000000000 // want\no: output\nx -> f -> o",
		"x: input shape=[4000,4000]\nr: relu\no: output\nx -> r -> o",
		"x: input shape=[900]\nf: linear outFeatures=900\no: output\nx -> f -> o",
	},
})
