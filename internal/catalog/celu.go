package catalog

var _ = define(activation(Type{
	ID:     "celu",
	Title:  "Continuously differentiable exponential linear unit",
	Doc:    `Keeps positive values and maps negative ones to alpha·(exp(x/alpha)-1), so that the slope at zero is 1 whatever alpha is. Takes any shape, but no integers. alpha may be negative but not zero, since it divides.`,
	Source: "torch.nn.CELU; Barron 2017",
	Params: []Param{
		{Name: "alpha", Kind: Float, Default: 1.0, Doc: "the value that negative inputs level off at, negated"},
		paramInplace,
	},
	Shape: func(c *Call) (Shape, error) {
		alpha := c.Float("alpha")
		if alpha == 0 {
			return c.In[0], c.Errorf(BadParam, "alpha is %v but divides the values", c.arg("alpha"))
		}
		if err := c.checkNumber("alpha", 1/alpha); err != nil { // PyTorch multiplies by the inverse
			return c.In[0], err
		}
		return c.In[0], c.checkNumbers()
	},
	Lower: lowerOfInput,
	Torch: `nn.CELU({{alpha}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[16,32]", Args: "alpha=0.5", Out: "[16,32]"},
		{In: "[16]", Args: "alpha=-1", Out: "[16]"},
		{In: "[16]", Args: "alpha=0", Err: "alpha is 0 but divides the values"},
		{In: "[16]", Args: "alpha=1e-60", Err: "out of the range of 32-bit floats"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))
