package catalog

var _ = define(Type{
	ID:      "clamp",
	Title:   "Values limited to a range",
	Doc:     `Raises values below min to min and lowers values above max to max, as torch.clamp does. One of the two may be left out. Any shape; integers stay integers if the bounds are whole. Values outside get no gradient.`,
	Source:  "torch.clamp",
	Group:   Arithmetic,
	Aliases: []string{"clip"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "min", Kind: Float, Optional: true, Aliases: []string{"minVal", "minValue"}, Doc: "the lower bound; none if left out"},
		{Name: "max", Kind: Float, Optional: true, Aliases: []string{"maxVal", "maxValue"}, Doc: "the upper bound; none if left out"},
	},
	Shape: func(c *Call) (Shape, error) {
		if !c.Has("min") && !c.Has("max") {
			return c.In[0], c.Errorf(MissingParam, "min and max are missing: one of them must be given")
		}
		c.OutIsInt = c.OutIsInt && c.isWhole("min") && c.isWhole("max")
		return c.In[0], c.checkNumbers()
	},
	Lower: lowerOfInput,
	Torch: `lambda x: x.clamp({{min}}, {{max}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "min=0 max=6", Out: "[12,64]"},
		{In: "int[7]", Args: "max=0.5", Out: "[7]"},
		{In: "[7]", Err: "min and max are missing"},
		{In: "[7]", Args: "min=low", Err: "takes a number"},
		{In: "[7]", Args: "max=1e39", Err: "range of 32-bit floats"},
	},
})
