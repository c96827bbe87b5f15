package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "gather",
	Title:   "Entries looked up along an axis",
	Doc:     `Takes, for every place of the second input, the entry of the first that it names along one axis, as torch.gather does. The second input holds indices, and the result has its shape. Both need the same number of axes, and apart from dim the indices must not be larger than the first input. What the indices are is not checked.`,
	Source:  "torch.gather",
	Group:   Merging,
	Inputs:  Arity{2, 2},
	Traits:  IsMerge,
	Ints:    IntsKept,
	Indices: []int{1},
	Params:  []Param{{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis to look up in, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		in, index := c.In[0], c.In[1]
		at, err := c.Axis("dim", c.Int("dim"), in.Rank())
		if err != nil {
			return index, err
		}
		if index.Rank() != in.Rank() {
			return index, c.Errorf(RankMismatch, "the indices are %v but must have as many axes as %v", index, in)
		}
		for i, n := range index {
			if i != at && n > in[i] {
				return index, c.Errorf(MergeShapeMismatch, "the indices are %v but %v arrives: %d is more than %d on axis %d", index, in, n, in[i], i+1)
			}
		}
		return index, nil
	},
	Lower: func(l *Lowering) op.Value { return op.Gather(l.P, l.X[0], l.X[1]) },
	Torch: `lambda x, index: x.gather({{dim}}, index)`,
	Examples: []Example{
		{In: "[12,64] int[3,64]", Out: "[3,64]"},
		{In: "[12,64] int[5,100]", Args: "dim=-1", Out: "[5,100]"},
		{In: "[12,64] int[3,65]", Err: "the indices are [3,65] but [12,64] arrives: 65 is more than 64 on axis 2"},
		{In: "[12,64] int[3]", Err: "must have as many axes as [12,64]"},
		{In: "[12] [12]", Err: "input 1 must be token ids or indices"},
		{In: "[12] int[12]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
	},
})
