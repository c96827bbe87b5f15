package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:     "tanhShrink",
	Title:  "What the hyperbolic tangent leaves",
	Doc:    `Computes x-tanh(x), which is flat around zero and a line far from it. Takes any shape; integers become floats.`,
	Source: "torch.nn.Tanhshrink",
	Ints:   IntsToFloat,
	Lower:  func(l *Lowering) op.Value { return op.Sub(l.P, l.X[0], op.OfOutput(l.P, l.X[0])) },
	Torch:  `nn.Tanhshrink()`,
	Examples: []Example{
		{In: "[32,64]", Out: "[32,64]"},
		{In: "int[32]", Out: "[32]"},
		{In: "[32] [32]", Err: "takes one input, got 2"},
	},
}))
