package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "stack",
	Title:  "Its inputs along a new axis",
	Doc:    `Puts its inputs side by side along a new axis, in the order of the connections, as torch.stack does. All must have the same shape. dim is the place of the new axis and counts the batch, which must stay in front.`,
	Source: "torch.stack",
	Group:  Merging,
	Inputs: Arity{1, Any},
	Traits: IsMerge | IsLinear,
	Ints:   IntsKept,
	Params: []Param{{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the place of the new axis, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		at, err := c.newAxis("dim")
		if err != nil {
			return nil, err
		}
		if err := c.agree(ConcatMismatch, func(int, int64) bool { return false }); err != nil {
			return nil, err
		}
		return insertAxis(c.In[0], at, int64(len(c.In))), nil
	},
	Lower: func(l *Lowering) op.Value { return op.Concatenate(l.P, l.Out, l.X...) },
	Torch: `lambda *xs: torch.stack(xs, {{dim}})`,
	Examples: []Example{
		{In: "[12,64] [12,64] [12,64]", Out: "[3,12,64]"},
		{In: "[12] [12]", Args: "dim=-1", Out: "[12,2]"},
		{In: "[] []", Out: "[2]"},
		{In: "[12] [13]", Err: "input 1 is [13] but input 0 is [12]: 13 and 12 do not fit on axis 1"},
		{In: "[12] [12]", Args: "dim=0", Err: "dim would put the new axis before the batch"},
	},
})
