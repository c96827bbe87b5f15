package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "neg",
	Title:   "The opposite sign",
	Doc:     `Changes the sign of every value, as torch.neg does. Any shape; integers stay integers. It keeps nothing for the backward pass.`,
	Source:  "torch.neg",
	Group:   Arithmetic,
	Aliases: []string{"negative", "negate"},
	Traits:  KeepsShape | IsLinear,
	Ints:    IntsKept,
	Shape:   shapeOfInput,
	Lower:   func(l *Lowering) op.Value { return op.Scale(l.P, l.X[0]) },
	Torch:   `torch.neg`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Out: "[7]"},
		{In: "[7] [7]", Err: "takes one input, got 2"},
	},
})
