package catalog

var _ = define(Type{
	ID:      "flip",
	Title:   "Axes in reverse",
	Doc:     `Reverses the order of the entries along one axis or several, as torch.flip does. It makes a copy, unlike slices in NumPy. dims counts the batch as axis 0: reversing it exchanges samples, which PyTorch allows.`,
	Source:  "torch.flip",
	Group:   Reshaping,
	Aliases: []string{"reverse"},
	Traits:  KeepsShape | IsLinear,
	Ints:    IntsKept,
	Params:  []Param{{Name: "dims", Kind: Ints, Negative: true, EmptyOK: true, Aliases: []string{"dim", "axis", "axes"}, Doc: "the axis or axes to reverse, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		_, err := c.axisBits("dims")
		return c.In[0], err
	},
	Lower: lowerCopy,
	Torch: `lambda x: x.flip({{dims}})`,
	Examples: []Example{
		{In: "[3,32,32]", Args: "dims=-1", Out: "[3,32,32]"},
		{In: "[3,32,32]", Args: "dims=[2,3]", Out: "[3,32,32]"},
		{In: "[3,32,32]", Args: "dims=[3,-1]", Err: "dims names axis 3 twice"},
		{In: "[3,32,32]", Args: "dims=4", Err: "dims is 4 but must be from -4 to 3"},
	},
})
