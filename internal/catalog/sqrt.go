package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "sqrt",
	Title:   "The square root",
	Doc:     `Gives the square root of every value, as torch.sqrt does. Any shape; integers become numbers with a fraction. A negative value gives NaN without an error, and the slope at zero is infinite.`,
	Source:  "torch.sqrt",
	Group:   Arithmetic,
	Aliases: []string{"squareRoot"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsToFloat,
	Shape:   shapeOfInput,
	Lower:   func(l *Lowering) op.Value { return op.Sqrt(l.P, l.X[0]) },
	Torch:   `torch.sqrt`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
