package catalog

import "slices"

var _ = define(Type{
	ID:      "transpose",
	Title:   "Two axes exchanged",
	Doc:     `Exchanges two axes, as torch.transpose does. dim0 and dim1 count the batch as axis 0, which must stay in front: the last two axes are -2 and -1.`,
	Source:  "torch.transpose",
	Group:   Reshaping,
	Aliases: []string{"swapAxes", "swapDims"},
	Traits:  IsView,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "dim0", Kind: Int, Negative: true, Aliases: []string{"axis0"}, Doc: "one of the two axes, counting the batch"},
		{Name: "dim1", Kind: Int, Negative: true, Aliases: []string{"axis1"}, Doc: "the other axis, counting the batch"},
	},
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		a, err := c.Axis("dim0", c.Int("dim0"), in.Rank())
		if err != nil {
			return nil, err
		}
		b, err := c.Axis("dim1", c.Int("dim1"), in.Rank())
		switch {
		case err != nil:
			return nil, err
		case a == b: // also the batch with itself
			return in, nil
		case a < 0 || b < 0:
			return nil, c.Errorf(BatchAxis, "exchanges the batch with axis %d, but every component must keep it in front", max(a, b)+1)
		}
		out := slices.Clone(in)
		out[a], out[b] = in[b], in[a]
		return out, nil
	},
	Lower: lowerTransposed,
	Torch: `lambda x: x.transpose({{dim0}}, {{dim1}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim0=1 dim1=2", Out: "[64,12]"},
		{In: "[8,12,64]", Args: "dim0=-2 dim1=-1", Out: "[8,64,12]"},
		{In: "[12,64]", Args: "dim0=0 dim1=1", Err: "exchanges the batch with axis 1"},
		{In: "[12,64]", Args: "dim0=1 dim1=3", Err: "dim1 is 3 but must be from -3 to 2"},
		{In: "[12,64]", Args: "dim0=1", Err: "dim1 is missing"},
	},
})
