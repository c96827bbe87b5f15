package catalog

import "github.com/modelverifier/verifier/internal/graph"

var _ = define(Type{
	ID:     "permute",
	Title:  "Axes in another order",
	Doc:    `Reorders the axes, as torch.Tensor.permute does: axis i of the result is axis dims[i] of the input. dims counts the batch, names every axis once, and begins with 0, since the batch must stay in front.`,
	Source: "torch.Tensor.permute",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{{Name: "dims", Kind: Ints, Negative: true, ListOnly: true, Aliases: []string{"axes", "order", "perm"}, Doc: "the order of the axes, counting the batch"}},
	Shape: func(c *Call) (Shape, error) {
		in, dims := c.In[0], c.Ints("dims")
		if len(dims) != in.Rank()+1 {
			r := c.Errorf(RankMismatch, "dims has %d entries but %v has %d axes with the batch", len(dims), in, in.Rank()+1)
			if leavesBatchOut(dims, in.Rank()) {
				r.Set("dims", graph.IntsValue(append([]int64{0}, dims...)...))
			}
			return nil, r
		}
		if _, err := c.axisSet("dims"); err != nil {
			return nil, err
		}
		out := make(Shape, in.Rank())
		for i, d := range dims {
			from, err := c.Axis("dims", d, in.Rank())
			switch {
			case err != nil:
				return nil, err
			case i > 0 && from >= 0:
				out[i-1] = in[from]
			case i > 0 || from >= 0:
				return nil, c.Errorf(BatchAxis, "dims moves the batch, which every component must keep in front")
			}
		}
		return out, nil
	},
	Lower: lowerTransposed,
	Torch: `lambda x: x.permute({{dims}})`,
	Examples: []Example{
		{In: "[3,32,16]", Args: "dims=[0,2,3,1]", Out: "[32,16,3]"},
		{In: "[12,64]", Args: "dims=[0,-1,-2]", Out: "[64,12]"},
		{In: "[12,64]", Args: "dims=[2,1]", Err: "dims has 2 entries but [12,64] has 3 axes with the batch"},
		{In: "[12,64]", Args: "dims=[1,0,2]", Err: "dims moves the batch"},
		{In: "[12,64]", Args: "dims=[0,1,1]", Err: "dims names axis 1 twice"},
		{In: "[12,64]", Args: "dims=[0,1,3]", Err: "dims is 3 but must be from -3 to 2"},
	},
})

// leavesBatchOut reports whether dims names every axis but the batch, as Keras's Permute does.
func leavesBatchOut(dims []int64, rank int) bool {
	seen := make([]bool, rank+1)
	for _, d := range dims {
		if d < 1 || d > int64(rank) || seen[d] {
			return false
		}
		seen[d] = true
	}
	return len(dims) == rank
}
