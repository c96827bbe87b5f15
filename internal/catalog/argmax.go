package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "argmax",
	Title:  "The place of the largest value",
	Doc:    `Gives the index of the largest value along one axis, as torch.argmax does. The result holds integers and has no gradient, so that nothing before it learns from what follows. dim counts the batch as axis 0 and is one axis, not a list.`,
	Source: "torch.argmax",
	Group:  Arithmetic,
	Ints:   IntsMade,
	Params: []Param{reducedDim, keepDim},
	Shape:  reducedShape,
	Lower:  func(l *Lowering) op.Value { return op.ArgMax(l.P, l.X[0], l.Out...) },
	Torch:  `lambda x: x.argmax({{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=-1", Out: "[12]"},
		{In: "int[7]", Args: "dim=1 keepDim=true", Out: "[1]"},
		{In: "[7]", Args: "dim=[1]", Err: "dim is [1] but takes an integer"},
		{In: "[7]", Args: "dim=0", Err: "dim names the batch"},
	},
})
