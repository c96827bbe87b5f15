package catalog

var _ = define(activation(Type{
	ID:     "gelu",
	Title:  "Gaussian error linear unit",
	Doc:    `Multiplies every value by the probability that a standard normal variable is below it. Takes any shape, but no integers. The tanh approximation gives slightly different numbers: weights trained with one form should be run with it.`,
	Source: "torch.nn.GELU; Hendrycks and Gimpel 2016",
	Params: []Param{
		{Name: "approximate", Kind: String, Default: "none", Values: []string{"none", "tanh"}, Doc: "none for the exact function, tanh for its approximation"},
	},
	Lower: lowerOfInput,
	Torch: `nn.GELU(approximate={{approximate}})`,
	Examples: []Example{
		{In: "[128,768]", Out: "[128,768]"},
		{In: "[128,768]", Args: "approximate=tanh", Out: "[128,768]"},
		{In: "[128,768]", Args: "approximate=sigmoid", Err: "approximate is \"sigmoid\" but takes one of none, tanh"},
		{In: "int[128]", Err: "takes numbers with a fraction"},
	},
}))
