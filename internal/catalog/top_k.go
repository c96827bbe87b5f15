package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "topK",
	Title:  "The largest values of an axis",
	Doc:    `Takes the k largest values of an axis, as torch.topk does: the values for index 0, and the places where they were, as integers without a gradient, for index 1. dim counts the batch as axis 0. There must be k values.`,
	Source: "torch.topk",
	Group:  Arithmetic,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "k", Kind: Int, Doc: "how many values"},
		{Name: "dim", Kind: Int, Negative: true, Default: -1, Doc: "the axis, counting the batch"},
		{Name: "largest", Kind: Bool, Strict: true, Default: true, Doc: "whether the largest are taken, or the smallest"},
		{Name: "sorted", Kind: Bool, Strict: true, Default: true, Doc: "whether they come in order"},
		{Name: "index", Kind: Int, Negative: true, Bools: true, Default: 0, Doc: "0 for the values, 1 for their places"},
	},
	Shape: func(c *Call) (Shape, error) {
		result, err := c.within("index", "values and places", 2)
		if err != nil {
			return nil, err
		}
		c.OutIsInt = c.OutIsInt || result == 1
		return c.resized(func(n int64) (int64, error) {
			k := c.Int("k")
			if k > n {
				return 0, c.Errorf(IndexOutOfRange, "k is %d but there are %d values", k, n)
			}
			return k, nil
		})
	},
	Lower: func(l *Lowering) op.Value {
		values, places := op.TopK(l.P, l.X[0], l.Out...)
		if l.OutIsInt && !l.isInt(0) || l.Int("index")%2 != 0 {
			return places
		}
		return values
	},
	Torch: `lambda x: x.topk({{k}}, {{dim}}, {{largest}}, {{sorted}})[{{index}}]`,
	Examples: []Example{
		{In: "[12,64]", Args: "k=8", Out: "[12,8]"},
		{In: "[12,64]", Args: "k=2 dim=1 index=1", Out: "[2,64]"},
		{In: "[12,64]", Args: "k=65", Err: "k is 65 but there are 64 values"},
		{In: "[12,64]", Args: "k=2 index=2", Err: "index is 2 but must be from -2 to 1 for values and places"},
		{In: "[12,64]", Args: "k=2 dim=0", Err: "dim names the batch"},
		{In: "[12,64]", Args: "k=0", Err: "has an axis without elements"},
	},
})
