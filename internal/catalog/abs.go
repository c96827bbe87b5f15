package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "abs",
	Title:   "The absolute value",
	Doc:     `Drops the sign of every value, as torch.abs does. Any shape; integers stay integers. The slope at zero is zero.`,
	Source:  "torch.abs",
	Group:   Arithmetic,
	Aliases: []string{"absolute"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsKept,
	Shape:   shapeOfInput,
	Lower:   func(l *Lowering) op.Value { return op.Abs(l.P, l.X[0]) },
	Torch:   `torch.abs`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
