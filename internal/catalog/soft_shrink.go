package catalog

var _ = define(activation(Type{
	ID:     "softShrink",
	Title:  "Moves values towards zero",
	Doc:    `Moves every value towards zero by lambd and stops there: the step of sparse coding that an L1 penalty asks for. Takes any shape, but no integers. lambd must not be negative.`,
	Source: "torch.nn.Softshrink",
	Params: []Param{paramLambd},
	Shape: func(c *Call) (Shape, error) {
		if c.Float("lambd") < 0 {
			return c.In[0], c.Errorf(BadParam, "lambd is %v but must not be negative", c.arg("lambd"))
		}
		return c.In[0], c.checkNumbers()
	},
	Lower: lowerOfInput,
	Torch: `nn.Softshrink({{lambd}})`,
	Examples: []Example{
		{In: "[16,32]", Args: "lambd=0", Out: "[16,32]"},
		{In: "[16]", Args: "lambd=-0.5", Err: "lambd is -0.5 but must not be negative"},
		{In: "int[16]", Err: "takes numbers with a fraction"},
	},
}))
