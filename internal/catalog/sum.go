package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "sum",
	Title:   "The sum over axes",
	Doc:     `Adds up one axis or several, as torch.sum does. dim counts the batch as axis 0, which cannot be summed. Integers stay integers. To add several inputs use add.`,
	Source:  "torch.sum",
	Group:   Arithmetic,
	Aliases: []string{"reduceSum"},
	Traits:  IsLinear,
	Ints:    IntsKept,
	Params:  []Param{reducedDims, keepDim},
	Shape:   reducedShape,
	Lower:   func(l *Lowering) op.Value { return op.Sum(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.sum({{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "int[64]", Args: "dim=1", Out: "[]"},
	},
})
