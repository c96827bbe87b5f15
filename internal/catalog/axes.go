package catalog

import "slices"

// newAxis returns the place, in a shape without the batch, of an axis that is to be added to the first input.
func (c *Call) newAxis(name string) (int, error) {
	at, err := c.Axis(name, c.Int(name), c.In[0].Rank()+1)
	if err == nil && at < 0 {
		return 0, c.Errorf(BatchAxis, "%s would put the new axis before the batch, which every component must keep in front", name)
	}
	return at, err
}

func insertAxis(s Shape, i int, n int64) Shape { return slices.Insert(slices.Clone(s), i, n) }

// axisSet reads a parameter that names one axis or several. The result says of the batch, and then of every other axis of
// the first input, whether it is named.
func (c *Call) axisSet(name string) ([]bool, error) {
	rank := c.In[0].Rank()
	set := make([]bool, rank+1)
	for _, axis := range c.Ints(name) {
		i, err := c.Axis(name, axis, rank)
		if err != nil {
			return nil, err
		}
		if set[i+1] {
			return nil, c.Errorf(BadParam, "%s names axis %d twice", name, i+1)
		}
		set[i+1] = true
	}
	return set, nil
}

// reducedShape is the Shape of what reduces the axes dim, and keeps them with size 1 if keepDim is set.
func reducedShape(c *Call) (Shape, error) {
	const most = 64 // of at::dim_list_to_bitset
	if n := c.In[0].Rank() + 1; n > most {
		return nil, c.Errorf(RankMismatch, "PyTorch reduces tensors of up to %d axes, got %d with the batch", most, n)
	}
	set, err := c.axisSet("dim")
	if err != nil {
		return nil, err
	}
	if set[0] {
		return nil, c.Errorf(BatchAxis, "dim names the batch, which every component must keep")
	}
	out := Shape{}
	for i, n := range c.In[0] {
		switch {
		case !set[i+1]:
			out = append(out, n)
		case c.Bool("keepDim"):
			out = append(out, 1)
		}
	}
	return out, nil
}

// The parameters of reductions.
var (
	reducedDims = Param{Name: "dim", Kind: Ints, Negative: true, Aliases: []string{"dims", "axes"}, Doc: "the axis or axes to reduce, counting the batch"}
	keepDim     = Param{Name: "keepDim", Kind: Bool, Strict: true, Default: false, Aliases: []string{"keepDims"}, Doc: "whether a reduced axis stays, with size 1"}
)
