package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "cumsum",
	Title:   "Running sums along an axis",
	Doc:     `Replaces every entry of an axis by the sum of the entries up to it, as torch.cumsum does. Any shape; integers stay integers. dim counts the batch as axis 0: summing along it mixes samples, which PyTorch allows.`,
	Source:  "torch.cumsum",
	Group:   Arithmetic,
	Aliases: []string{"cumulativeSum"},
	Traits:  KeepsShape | IsLinear,
	Ints:    IntsKept,
	Params:  []Param{{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		_, err := c.Axis("dim", c.Int("dim"), c.In[0].Rank())
		return c.In[0], err
	},
	Lower: func(l *Lowering) op.Value { return op.CumSum(l.P, l.X[0]) },
	Torch: `lambda x: x.cumsum({{dim}})`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,64]"},
		{In: "int[7]", Args: "dim=-1", Out: "[7]"},
		{In: "[7]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[7]", Args: "dim=[1]", Err: "dim is [1] but takes an integer"},
	},
})
