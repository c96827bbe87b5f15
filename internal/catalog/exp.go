package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "exp",
	Title:   "The exponential",
	Doc:     `Gives e to the power of every value, as torch.exp does. Any shape; integers become numbers with a fraction. In 32 bits it overflows to infinity above 88.7.`,
	Source:  "torch.exp",
	Group:   Arithmetic,
	Aliases: []string{"exponential"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsToFloat,
	Shape:   shapeOfInput,
	Lower:   func(l *Lowering) op.Value { return op.WideOfOutput(l.P, l.X[0]) },
	Torch:   `torch.exp`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
