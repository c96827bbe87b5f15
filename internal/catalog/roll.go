package catalog

var _ = define(Type{
	ID:     "roll",
	Title:  "Axes rolled around",
	Doc:    `Moves the entries along one axis or several, where what leaves at one end comes in at the other, as torch.roll does: the shift of windows in a Swin transformer. shifts and dims must have the same length; an axis may be named twice. Without any dims the whole tensor is rolled as one vector.`,
	Source: "torch.roll",
	Group:  Reshaping,
	Traits: KeepsShape | IsLinear,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "shifts", Kind: Ints, Negative: true, Aliases: []string{"shift"}, Doc: "how far entries move along each axis"},
		{Name: "dims", Kind: Ints, Negative: true, EmptyOK: true, Aliases: []string{"dim", "axis", "axes"}, Doc: "the axis or axes, counting the batch"},
	},
	Shape: func(c *Call) (Shape, error) {
		in, shifts, dims := c.In[0], c.Ints("shifts"), c.Ints("dims")
		if len(shifts) != len(dims) && (len(dims) > 0 || len(shifts) > 1) {
			return in, c.Errorf(BadParam, "shifts has %d entries but dims has %d", len(shifts), len(dims))
		}
		for _, d := range dims {
			if _, err := c.Axis("dims", d, in.Rank()); err != nil {
				return in, err
			}
		}
		return in, nil
	},
	Lower: lowerCopy,
	Torch: `lambda x: x.roll({{shifts}}, {{dims}})`,
	Examples: []Example{
		{In: "[56,56,96]", Args: "shifts=[-3,-3] dims=[1,2]", Out: "[56,56,96]"},
		{In: "[12]", Args: "shifts=1 dims=-1", Out: "[12]"},
		{In: "[12]", Args: "shifts=1 dims=[]", Out: "[12]"},
		{In: "[12]", Args: "shifts=[1,2] dims=1", Err: "shifts has 2 entries but dims has 1"},
		{In: "[12]", Args: "shifts=1 dims=2", Err: "dims is 2 but must be from -2 to 1"},
	},
})
