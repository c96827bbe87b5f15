package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = define(Type{
	ID:     "select",
	Title:  "One entry of an axis",
	Doc:    `Takes one entry of an axis, which then is gone, as torch.select does: the first position of a sequence is index 0 of dim 1. A negative index counts from the end. To keep the axis use slice.`,
	Source: "torch.select",
	Group:  Reshaping,
	Traits: IsView,
	Ints:   IntsKept,
	Params: []Param{
		{Name: "dim", Kind: Int, Negative: true, Default: 1, Doc: "the axis, counting the batch"},
		{Name: "index", Kind: Int, Negative: true, Doc: "which entry; -1 is the last"},
	},
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		at, err := c.SampleAxis("dim", c.Int("dim"), in.Rank())
		if err != nil {
			return nil, err
		}
		_, err = c.within("index", quantity.Sprintf("%d entries of axis %d", in[at], at+1), in[at])
		return slices.Delete(slices.Clone(in), at, at+1), err
	},
	Lower: lowerView,
	Torch: `lambda x: x.select({{dim}}, {{index}})`,
	Examples: []Example{
		{In: "[197,768]", Args: "index=0", Out: "[768]"},
		{In: "[12,64]", Args: "dim=2 index=-1", Out: "[12]"},
		{In: "[9]", Args: "index=8", Out: "[]"},
		{In: "[12,64]", Args: "index=12", Err: "index is 12 but must be from -12 to 11 for 12 entries of axis 1"},
		{In: "[12,64]", Args: "dim=0 index=0", Err: "dim names the batch"},
		{In: "[12,64]", Args: "dim=3 index=0", Err: "dim is 3 but must be from -3 to 2"},
	},
})
