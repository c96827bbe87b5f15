package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "logSoftmax",
	Title:  "Logarithm of the softmax",
	Doc:    `Subtracts from the values along the axis dim the logarithm of the sum of their exponentials, which is the logarithm of softmax without its loss of precision. dim counts the batch as axis 0. NLLLoss expects its result; CrossEntropyLoss has it inside.`,
	Source: "torch.nn.LogSoftmax",
	Group:  Activation,
	Traits: IsSoftmax | KeepsShape,
	Params: []Param{paramSoftmaxDim},
	Shape:  softmaxShape,
	Lower:  func(l *Lowering) op.Value { return op.LogSoftmax(l.P, l.X[0]) },
	Torch:  `nn.LogSoftmax(dim={{dim}})`,
	Examples: []Example{
		{In: "[10]", Args: "dim=1", Out: "[10]"},
		{In: "[21,64,64]", Args: "dim=1", Out: "[21,64,64]"},
		{In: "[5,7,2]", Args: "dim=4", Err: "dim is 4 but must be from -4 to 3 for 4 axes with the batch"},
	},
})
