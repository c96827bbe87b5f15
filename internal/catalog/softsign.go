package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:     "softsign",
	Title:  "Bounded activation without an exponential",
	Doc:    `Computes x/(1+|x|), which lies between -1 and 1 and levels off more slowly than tanh. Takes any shape; integers become floats. Far from zero its slope vanishes.`,
	Source: "torch.nn.Softsign; Glorot and Bengio 2010",
	Traits: Saturates,
	Ints:   IntsToFloat,
	Lower: func(l *Lowering) op.Value {
		return op.Div(l.P, l.X[0], op.Scale(l.P, op.Abs(l.P, l.X[0])))
	},
	Torch: `nn.Softsign()`,
	Examples: []Example{
		{In: "[32,64]", Out: "[32,64]"},
		{In: "int[32]", Out: "[32]"},
		{In: "[32] [32]", Err: "takes one input, got 2"},
	},
}))
