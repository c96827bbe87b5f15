package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "min",
	Title:   "The smallest value over axes",
	Doc:     `Takes the smallest value along one axis or several, as torch.amin does; where it occurs several times each gets a share of the gradient. dim counts the batch as axis 0. For the smaller of two inputs use minimum.`,
	Source:  "torch.amin",
	Group:   Arithmetic,
	Aliases: []string{"amin", "reduceMin"},
	Ints:    IntsKept,
	Params:  []Param{reducedDims, keepDim},
	Shape:   reducedShape,
	Lower:   func(l *Lowering) op.Value { return op.Amax(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.amin({{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "[64,8]", Args: "dim=[2,-1]", Err: "dim names axis 2 twice"},
	},
})
