package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "log",
	Title:   "The natural logarithm",
	Doc:     `Gives the natural logarithm of every value, as torch.log does. Any shape; integers become numbers with a fraction. Zero gives minus infinity and a negative value NaN, neither with an error.`,
	Source:  "torch.log",
	Group:   Arithmetic,
	Aliases: []string{"logarithm"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsToFloat,
	Shape:   shapeOfInput,
	Lower:   func(l *Lowering) op.Value { return op.WideOfInput(l.P, l.X[0]) },
	Torch:   `torch.log`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
