package catalog

var _ = define(Type{
	ID:      "unsqueeze",
	Title:   "A new axis of size 1",
	Doc:     `Adds an axis of size 1, as torch.unsqueeze does. dim is the place of the new axis and counts the batch, which must stay in front: 1 puts it right behind, -1 at the end.`,
	Source:  "torch.unsqueeze",
	Group:   Reshaping,
	Aliases: []string{"expandDims"},
	Traits:  IsView,
	Ints:    IntsKept,
	Params:  []Param{{Name: "dim", Kind: Int, Negative: true, Doc: "the place of the new axis, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		at, err := c.newAxis("dim")
		if err != nil {
			return nil, err
		}
		return insertAxis(c.In[0], at, 1), nil
	},
	Lower: lowerView,
	Torch: `lambda x: x.unsqueeze({{dim}})`,
	Examples: []Example{
		{In: "[32,32]", Args: "dim=1", Out: "[1,32,32]"},
		{In: "[64]", Args: "dim=-1", Out: "[64,1]"},
		{In: "[64]", Args: "dim=0", Err: "before the batch"},
		{In: "[64]", Args: "dim=3", Err: "dim is 3 but must be from -3 to 2"},
	},
})
