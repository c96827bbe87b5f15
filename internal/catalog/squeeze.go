package catalog

var _ = define(Type{
	ID:     "squeeze",
	Title:  "Axes of size 1 removed",
	Doc:    `Removes the named axes if their size is 1, as torch.squeeze does; an axis of another size stays, without an error. dim counts the batch as axis 0. Naming the batch does nothing as long as there are several samples.`,
	Source: "torch.squeeze",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{{Name: "dim", Kind: Ints, Negative: true, EmptyOK: true, Aliases: []string{"dims", "axes"}, Doc: "the axis or axes to remove, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		set, err := c.axisSet("dim")
		if err != nil {
			return nil, err
		}
		out := Shape{}
		for i, n := range c.In[0] {
			if n != 1 || !set[i+1] {
				out = append(out, n)
			}
		}
		return out, nil
	},
	Lower: lowerView,
	Torch: `lambda x: x.squeeze({{dim}})`,
	Examples: []Example{
		{In: "[64,1,1]", Args: "dim=-1", Out: "[64,1]"},
		{In: "[64,1,1]", Args: "dim=[2,3]", Out: "[64]"},
		{In: "[64,1,1]", Args: "dim=1", Out: "[64,1,1]"},
		{In: "[64,1]", Args: "dim=3", Err: "dim is 3 but must be from -3 to 2"},
		{In: "[64,1]", Err: "dim is missing"},
	},
})
