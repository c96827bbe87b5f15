package catalog

var _ = define(Type{
	ID:      "identity",
	Title:   "Passes its input on",
	Doc:     `Returns its input unchanged: any shape, floats or integers. It costs nothing and is a place holder, for instance where a layer was taken out.`,
	Source:  "torch.nn.Identity",
	Group:   Structure,
	Aliases: []string{"passThrough", "noop"},
	Traits:  KeepsShape | IsView,
	Ints:    IntsKept,
	Shape:   shapeOfInput,
	Lower:   lowerView,
	Torch:   `nn.Identity()`,
	Examples: []Example{
		{In: "[3,32,32]", Out: "[3,32,32]"},
		{In: "int[12]", Out: "[12]"},
		{In: "[3] [3]", Err: "takes one input, got 2"},
	},
})
