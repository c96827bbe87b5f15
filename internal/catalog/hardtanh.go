package catalog

var _ = define(activation(Type{
	ID:     "hardtanh",
	Title:  "Clamps values to a range",
	Doc:    `Clamps every value to the range from minVal to maxVal, -1 to 1 if they are left out. Takes any shape, integers too. Beyond either end there is no gradient.`,
	Source: "torch.nn.Hardtanh; Collobert 2004",
	Traits: Saturates,
	Params: []Param{
		{Name: "minVal", Kind: Float, Default: -1.0, Aliases: []string{"minValue"}, Doc: "smallest result"},
		{Name: "maxVal", Kind: Float, Default: 1.0, Aliases: []string{"maxValue"}, Doc: "largest result, above minVal"},
		paramInplace,
	},
	Ints: IntsKept,
	Shape: func(c *Call) (Shape, error) {
		if c.Float("minVal") >= c.Float("maxVal") {
			return c.In[0], c.Errorf(BadParam, "maxVal is %v but must be above minVal, which is %v", c.arg("maxVal"), c.arg("minVal"))
		}
		return c.In[0], c.checkNumbers()
	},
	Lower: lowerOfInput,
	Torch: `nn.Hardtanh({{minVal}}, {{maxVal}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[32,14,14]", Args: "minVal=-2 maxVal=2", Out: "[32,14,14]"},
		{In: "int[12]", Args: "maxVal=6", Out: "[12]"},
		{In: "[12]", Args: "minVal=1", Err: "maxVal is 1.0 but must be above minVal, which is 1"},
		{In: "int[12]", Args: "maxVal=1e30", Err: "out of the range of 64-bit integers"},
	},
}))
