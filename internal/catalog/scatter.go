package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "scatter",
	Title: "Writes entries to named places along an axis",
	Doc: `Gives the first input with the entries of the third at the places that the second, which holds indices, names along one axis, as torch.scatter does; with reduce "add" they are added to what is there. ` +
		`All three need the same number of axes. The indices must not be larger than the third input, nor, apart from dim, than the first. What the indices are is not checked.`,
	Source:  "torch.scatter, torch.scatter_add",
	Group:   Merging,
	Inputs:  Arity{3, 3},
	Traits:  IsMerge | KeepsShape,
	Ints:    IntsKept,
	Indices: []int{1},
	Params: []Param{
		{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis to write along, counting the batch"},
		{Name: "reduce", Kind: String, Optional: true, Values: []string{"add"}, Doc: "add to add to what is there; it is overwritten if left out"},
	},
	Shape: func(c *Call) (Shape, error) {
		in, index, src := c.In[0], c.In[1], c.In[2]
		at, err := c.Axis("dim", c.Int("dim"), in.Rank())
		if err != nil {
			return in, err
		}
		if c.isInt(0) != c.isInt(2) {
			return in, c.Errorf(DtypeMismatch, "integers and numbers with a fraction do not mix: both the first and the third input must be one or the other")
		}
		if index.Rank() != in.Rank() || src.Rank() != in.Rank() {
			return in, c.Errorf(RankMismatch, "%v, indices %v and entries %v must have as many axes", in, index, src)
		}
		for i, n := range index {
			if n > src[i] || i != at && n > in[i] {
				return in, c.Errorf(MergeShapeMismatch, "the indices are %v: too large on axis %d for entries %v or for %v", index, i+1, src, in)
			}
		}
		return in, nil
	},
	Lower: func(l *Lowering) op.Value { return op.Scatter(l.P, l.X[0], l.X[1], l.X[2], l.Has("reduce")) },
	Torch: `Scatter({{dim}}, {{reduce}})`,
	Module: `class Scatter(nn.Module):
    def __init__(self, dim, reduce=None):
        super().__init__()
        self.dim, self.into = dim, torch.scatter_add if reduce == "add" else torch.scatter

    def forward(self, x, index, src):
        return self.into(x, self.dim, index, src)
`,
	Examples: []Example{
		{In: "[12,64] int[3,64] [3,64]", Out: "[12,64]"},
		{In: "[12,64] int[20,5] [20,6]", Args: "dim=1 reduce=add", Out: "[12,64]"},
		{In: "[12,64] int[3,65] [3,65]", Err: "the indices are [3,65]: too large on axis 2"},
		{In: "[12,64] int[3] [3]", Err: "must have as many axes"},
		{In: "[12] int[3] int[3]", Err: "integers and numbers with a fraction do not mix"},
		{In: "[12] int[3] [3]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
	},
})
