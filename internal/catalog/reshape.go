package catalog

import "github.com/modelverifier/verifier/internal/quantity"

var _ = define(Type{
	ID:      "reshape",
	Title:   "The same elements in another shape",
	Doc:     `Gives every sample another shape with the same number of elements, as x.reshape(batch, *shape) does. The shape leaves the batch out and may hold one -1, which takes what the others leave. Elements keep their order: to exchange axes, use permute or transpose.`,
	Source:  "torch.Tensor.reshape",
	Group:   Reshaping,
	Aliases: []string{"view"},
	Traits:  IsView,
	Ints:    IntsKept,
	Params: []Param{{Name: "shape", Kind: Ints, Min: -1, ListOnly: true, EmptyOK: true, Aliases: []string{"targetShape", "newShape", "outShape"},
		Doc: "size of every axis behind the batch; one may be -1"}},
	Shape: func(c *Call) (Shape, error) {
		n := c.Size(c.In[0])
		return c.fit("shape", n, quantity.Sprintf("%d elements arrive", n))
	},
	Lower: lowerReshape,
	Torch: `lambda x: x.reshape(x.shape[0], *{{shape}})`,
	Examples: []Example{
		{In: "[64,7,7]", Args: "shape=[3136]", Out: "[3136]"},
		{In: "[12,64]", Args: "shape=[12,8,-1]", Out: "[12,8,8]"},
		{In: "[1,1]", Args: "shape=[]", Out: "[]"},
		{In: "[12,64]", Args: "shape=[12,7,-1]", Err: "768 elements arrive, which cannot be shaped as [12,7,-1]: not divisible by 84"},
		{In: "[9,10]", Args: "shape=[91]", Err: "shape is [91] but 90 elements arrive"},
		{In: "[9,10]", Args: "shape=[7,13]", Err: "shape is [7,13], which has 91 elements, but 90 elements arrive"},
		{In: "[9,10]", Args: "shape=[-1,-1]", Err: "only one axis can be -1"},
		{In: "[9,10]", Args: "shape=90", Err: "shape is 90 but takes a list of integers of at least -1"},
	},
})
