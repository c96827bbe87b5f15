package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "softmin",
	Title:  "Shares that favour small values",
	Doc:    `The softmax of the negated values along the axis dim: the smallest gets the largest share. dim counts the batch as axis 0; dim 0 is legal, but mixes the samples of a batch.`,
	Source: "torch.nn.Softmin",
	Group:  Activation,
	Traits: IsSoftmax | KeepsShape | InUnit,
	Params: []Param{paramSoftmaxDim},
	Shape:  softmaxShape,
	Lower:  func(l *Lowering) op.Value { return op.Softmax(l.P, op.Scale(l.P, l.X[0])) },
	Torch:  `nn.Softmin(dim={{dim}})`,
	Examples: []Example{
		{In: "[10]", Out: "[10]"},
		{In: "[8,12,12]", Args: "dim=1", Out: "[8,12,12]"},
		{In: "[10]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1 for 2 axes with the batch"},
		{In: "int[10]", Err: "takes numbers with a fraction"},
	},
})
