package catalog

var _ = define(Type{
	ID:      "repeat",
	Title:   "Axes repeated",
	Doc:     `Copies the input several times along every axis, as x.repeat(1, *repeats) does. repeats leaves the batch out and has one number for each axis. It repeats the whole axis, ABAB, and not each entry, AABB. To stretch axes of size 1 without a copy use expand.`,
	Source:  "torch.Tensor.repeat",
	Group:   Reshaping,
	Aliases: []string{"tile"},
	Traits:  IsLinear,
	Ints:    IntsKept,
	Params:  []Param{{Name: "repeats", Kind: Ints, ListOnly: true, EmptyOK: true, Aliases: []string{"reps", "multiples"}, Doc: "how often each axis behind the batch is repeated"}},
	Shape: func(c *Call) (Shape, error) {
		in, repeats := c.In[0], c.Ints("repeats")
		if len(repeats) != len(in) {
			return nil, c.Errorf(RankMismatch, "repeats is %v but must have a number for each axis of %v, which has %d", Shape(repeats), in, len(in))
		}
		out := make(Shape, len(in))
		for i, n := range in {
			out[i] = c.Mul(n, repeats[i])
		}
		return out, nil
	},
	Lower: lowerCopy,
	Torch: `lambda x: x.repeat(1, *{{repeats}})`,
	Examples: []Example{
		{In: "[1,64]", Args: "repeats=[12,1]", Out: "[12,64]"},
		{In: "[3]", Args: "repeats=[2]", Out: "[6]"},
		{In: "[12,64]", Args: "repeats=[2]", Err: "repeats is [2] but must have a number for each axis of [12,64], which has 2"},
		{In: "[12]", Args: "repeats=[0]", Err: "has an axis without elements"},
		{In: "[12]", Args: "repeats=2", Err: "takes a list of integers"},
	},
})
