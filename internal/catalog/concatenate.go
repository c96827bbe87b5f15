package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "concatenate",
	Title:   "Its inputs, one after the other",
	Doc:     `Joins its inputs along one axis, in the order of the connections, as torch.cat does. All other axes must be equal; nothing is stretched. dim counts the batch as axis 0, so that 1 joins channels or, in a sequence, positions.`,
	Source:  "torch.cat",
	Group:   Merging,
	Aliases: []string{"concat", "cat", "concatenation"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge | IsLinear,
	Ints:    IntsKept,
	Params:  []Param{{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis that grows, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		first := c.In[0]
		at, err := c.Axis("dim", c.Int("dim"), first.Rank())
		switch {
		case err != nil:
			return nil, err
		case at < 0 && len(c.In) == 1: // one tensor alone comes out as it is
			return first, nil
		case at < 0:
			return nil, c.Errorf(BatchAxis, "dim names the batch: %d inputs would give %d times as many samples", len(c.In), len(c.In))
		}
		if err := c.agree(ConcatMismatch, func(axis int, _ int64) bool { return axis == at }); err != nil {
			return nil, err
		}
		sum := int64(0)
		for _, s := range c.In {
			sum = c.Add(sum, s[at])
		}
		return first.With(at, sum), nil
	},
	Lower: func(l *Lowering) op.Value { return op.Concatenate(l.P, l.Out, l.X...) },
	Torch: `lambda *xs: torch.cat(xs, {{dim}})`,
	Examples: []Example{
		{In: "[64,8,8] [32,8,8]", Out: "[96,8,8]"},
		{In: "[12,64] [12,16] [12,1]", Args: "axis=-1", Out: "[12,81]"},
		{In: "[64,8,8] [32,4,8]", Err: "input 1 is [32,4,8] but input 0 is [64,8,8]: 4 and 8 do not fit on axis 2"},
		{In: "[64,8,8] [32,8]", Err: "input 1 is [32,8] but input 0 is [64,8,8]: the numbers of axes differ"},
		{In: "[64] [64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "[64] [64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
	},
})
