package catalog

var _ = define(Type{
	ID:     "flatten",
	Title:  "Several axes as one",
	Doc:    `Joins the axes from startDim to endDim into one, as torch.nn.Flatten does; by default all but the batch. Axes count the batch as axis 0, so that a startDim of 0 would mix samples.`,
	Source: "torch.nn.Flatten",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "startDim", Kind: Int, Negative: true, Default: 1, Doc: "the first axis to join, counting the batch"},
		{Name: "endDim", Kind: Int, Negative: true, Default: -1, Doc: "the last axis to join, counting the batch"},
	},
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		start, err := c.Axis("startDim", c.Int("startDim"), in.Rank())
		if err != nil {
			return nil, err
		}
		end, err := c.Axis("endDim", c.Int("endDim"), in.Rank())
		switch {
		case err != nil:
			return nil, err
		case start > end:
			return nil, c.Errorf(AxisOutOfRange, "startDim is axis %d, which comes after endDim, axis %d", start+1, end+1)
		case start < 0 && c.Size(in[:end+1]) == 1: // a batch times 1 is the batch
			return append(Shape{}, in[end+1:]...), nil
		case start < 0:
			return c.joined(0, end), c.Errorf(BatchAxis, "startDim names the batch, which every component must keep: start at axis 1").SetInt("startDim", 1)
		}
		return c.joined(start, end), nil
	},
	Lower: lowerReshape,
	Torch: `nn.Flatten({{startDim}}, {{endDim}})`,
	Examples: []Example{
		{In: "[64,7,7]", Out: "[3136]"},
		{In: "[64,7,7]", Args: "startDim=2", Out: "[64,49]"},
		{In: "[4,5,6,7]", Args: "startDim=-3 endDim=3", Out: "[4,30,7]"},
		{In: "[64,7,7]", Args: "startDim=0", Err: "startDim names the batch"},
		{In: "[64,7,7]", Args: "startDim=3 endDim=1", Err: "startDim is axis 3, which comes after endDim, axis 1"},
		{In: "[]", Err: "startDim is 1 but must be from -1 to 0"},
	},
})

// joined returns the shape of the first input with the axes from start to end as one.
func (c *Call) joined(start, end int) Shape {
	in := c.In[0]
	out := append(Shape{}, in[:start]...)
	out = append(out, c.Size(in[start:end+1]))
	return append(out, in[end+1:]...)
}
