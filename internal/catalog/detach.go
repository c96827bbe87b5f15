package catalog

var _ = define(Type{
	ID:    "detach",
	Title: "Passes its input on without a gradient",
	Doc: `Returns its input as a tensor that autograd does not follow, as torch.Tensor.detach does: any shape, floats or integers. ` +
		`No gradient flows back through it. What leads to it alone is computed as under torch.no_grad: autograd saves nothing of it, and weights that nothing else uses are not trained and have no optimizer state.`,
	Source:  "torch.Tensor.detach, torch.no_grad",
	Group:   Structure,
	Aliases: []string{"stopGradient", "noGrad"},
	Traits:  KeepsShape | IsView | StopsGradient,
	Ints:    IntsKept,
	Shape:   shapeOfInput,
	Lower:   lowerView,
	Torch:   `lambda x: x.detach()`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[12]", Out: "[12]"},
		{In: "[3] [3]", Err: "takes one input, got 2"},
	},
})
