package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "logSumExp",
	Title:  "The logarithm of the sum of exponentials over axes",
	Doc:    `Gives log(sum(exp(x))) over one axis or several without overflow, as torch.logsumexp does: a smooth maximum. dim counts the batch as axis 0. Integers become numbers with a fraction.`,
	Source: "torch.logsumexp",
	Group:  Arithmetic,
	Ints:   IntsToFloat,
	Params: []Param{reducedDims, keepDim},
	Shape:  reducedShape,
	Lower:  func(l *Lowering) op.Value { return op.LogSumExp(l.P, l.X[0], l.Out...) },
	Torch:  `lambda x: x.logsumexp({{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
	},
})
