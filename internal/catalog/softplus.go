package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:     "softplus",
	Title:  "Smooth rectifier",
	Doc:    `Computes log(1+exp(beta·x))/beta, a smooth relu that is always positive. Takes any shape, but no integers. Where beta·x is above threshold it returns x itself, so that the exponential cannot overflow.`,
	Source: "torch.nn.Softplus; Dugas et al. 2001",
	Params: []Param{
		{Name: "beta", Kind: Float, Default: 1.0, Doc: "sharpness of the bend"},
		{Name: "threshold", Kind: Float, Default: 20.0, Doc: "value of beta·x above which the function is linear"},
	},
	Lower: func(l *Lowering) op.Value { return op.WideOfInput(l.P, l.X[0]) },
	Torch: `nn.Softplus(beta={{beta}}, threshold={{threshold}})`,
	Examples: []Example{
		{In: "[2,5]", Args: "beta=2 threshold=10", Out: "[2,5]"},
		{In: "[2,5]", Args: "beta=high", Err: "beta is \"high\" but takes a number"},
		{In: "int[2]", Err: "takes numbers with a fraction"},
	},
}))
