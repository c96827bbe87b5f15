package catalog

import "github.com/modelverifier/verifier/internal/graph"

var _ = define(Type{
	ID:      "expand",
	Title:   "Axes of size 1 stretched",
	Doc:     `Stretches axes of size 1 without copying, as x.expand(batch, *shape) does. The shape leaves the batch out and has one size for each axis; -1 keeps an axis as it is. Axes of another size cannot be stretched: for those use repeat. New axes in front would come before the batch: add them with unsqueeze.`,
	Source:  "torch.Tensor.expand",
	Group:   Reshaping,
	Aliases: []string{"broadcastTo"},
	Traits:  IsView,
	Ints:    IntsKept,
	Params:  []Param{{Name: "shape", Kind: Ints, Min: -1, ListOnly: true, EmptyOK: true, Aliases: []string{"sizes", "size"}, Doc: "size of every axis behind the batch; -1 keeps it"}},
	Shape: func(c *Call) (Shape, error) {
		in, out := c.In[0], Shape(c.Ints("shape"))
		if len(out) != len(in) {
			return nil, c.Errorf(RankMismatch, "shape is %v but must have a size for each axis of %v, which has %d", out, in, len(in))
		}
		wrong, fitting := -1, Shape(c.Ints("shape"))
		for i, n := range in {
			switch {
			case out[i] == -1:
				out[i] = n
			case n == 1 || n == out[i]:
			case wrong >= 0:
				return nil, c.Errorf(ReshapeSizeMismatch, "shape is %v but %v arrives: only axes of size 1 can be stretched", fitting, in)
			default:
				wrong = i
			}
		}
		if wrong < 0 {
			return out, nil
		}
		r := c.Errorf(ReshapeSizeMismatch, "shape is %v but %v arrives: axis %d has %d entries, and only axes of size 1 can be stretched", fitting, in, wrong+1, in[wrong])
		return nil, r.Set("shape", graph.IntsValue(fitting.With(wrong, in[wrong])...))
	},
	Lower: lowerView,
	Torch: `lambda x: x.expand(x.shape[0], *{{shape}})`,
	Examples: []Example{
		{In: "[1,64]", Args: "shape=[12,64]", Out: "[12,64]"},
		{In: "[8,1,64]", Args: "shape=[-1,12,-1]", Out: "[8,12,64]"},
		{In: "[2,64]", Args: "shape=[12,64]", Err: "axis 1 has 2 entries, and only axes of size 1 can be stretched"},
		{In: "[2,3]", Args: "shape=[4,5]", Err: "shape is [4,5] but [2,3] arrives"},
		{In: "[64]", Args: "shape=[12,64]", Err: "must have a size for each axis of [64], which has 1"},
	},
})
