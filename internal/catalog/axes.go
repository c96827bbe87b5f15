package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
)

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

// axisBits is axisSet where PyTorch keeps the set in at::dim_list_to_bitset, which ends at 64 axes.
func (c *Call) axisBits(name string) ([]bool, error) {
	const most = 64
	if n := c.In[0].Rank() + 1; n > most {
		return nil, c.Errorf(RankMismatch, "PyTorch takes up to %d axes here, got %d with the batch", most, n)
	}
	return c.axisSet(name)
}

// resized is the shape of the first input with the axis dim resized, where size gives the new size. The batch must come out
// as it went in. Whether it does may depend on it (split by 4), so that it is tried as the rows are measured that we are held
// to: with two samples and with three.
func (c *Call) resized(size func(n int64) (int64, error)) (Shape, error) {
	in := c.In[0]
	at, err := c.Axis("dim", c.Int("dim"), in.Rank())
	if err != nil {
		return nil, err
	}
	if at >= 0 {
		n, err := size(in[at])
		if err != nil {
			return nil, err
		}
		return in.With(at, n), nil
	}
	for _, batch := range []int64{2, 3} {
		if n, err := size(batch); err != nil || n != batch {
			return nil, c.Errorf(BatchAxis, "dim names the batch, which would not come out whole")
		}
	}
	return in, nil
}

// within refuses an index that does not name one of n entries, and returns it counted from the front.
func (c *Call) within(name, entries string, n int64) (int64, error) {
	i := c.Int(name)
	if i < -n || i >= n {
		return 0, c.Errorf(IndexOutOfRange, "%s is %d but must be from %d to %d for %s", name, i, -n, n-1, entries)
	}
	if i < 0 {
		i += n
	}
	return i, nil
}

// fit returns the sizes in a parameter as the shape of n elements; one of them may be -1, which takes what the others leave.
// arrives says where the elements come from.
func (c *Call) fit(name string, n int64, arrives string) (Shape, error) {
	out := Shape(c.Ints(name))
	known, open := int64(1), -1
	for i, size := range out {
		if size >= 0 {
			known = c.Mul(known, size)
			continue
		}
		if open >= 0 {
			return nil, c.Errorf(ReshapeSizeMismatch, "%s is %v but only one axis can be -1", name, out)
		}
		open = i
	}
	switch {
	case open >= 0 && known > 0 && n%known == 0:
		return out.With(open, n/known), nil
	case open < 0 && known == n:
		return out, nil
	case open >= 0:
		return nil, c.Errorf(ReshapeSizeMismatch, "%s, which cannot be shaped as %v: not divisible by %d", arrives, out, known)
	case len(out) == 1:
		return Of(n), c.Errorf(ReshapeSizeMismatch, "%s is %v but %s", name, out, arrives).Set(name, graph.IntsValue(n))
	}
	return nil, c.Errorf(ReshapeSizeMismatch, "%s is %v, which has %d elements, but %s", name, out, known, arrives)
}

// reducedShape is the Shape of what reduces the axes dim, and keeps them with size 1 if keepDim is set.
func reducedShape(c *Call) (Shape, error) {
	set, err := c.axisBits("dim")
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
	reducedDim  = Param{Name: "dim", Kind: Int, Negative: true, Doc: "the axis to reduce, counting the batch"}
	reducedDims = Param{Name: "dim", Kind: Ints, Negative: true, Aliases: []string{"dims", "axes"}, Doc: "the axis or axes to reduce, counting the batch"}
	keepDim     = Param{Name: "keepDim", Kind: Bool, Strict: true, Default: false, Aliases: []string{"keepDims"}, Doc: "whether a reduced axis stays, with size 1"}
)
