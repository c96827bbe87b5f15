package catalog

var _ = define(Type{
	ID:      "output",
	Title:   "Where the result leaves",
	Doc:     `Passes its one input on as a result of the model. Where there are several, the first in the list gives the output shape of the model.`,
	Source:  "the return value of a torch.nn.Module",
	Group:   Structure,
	Aliases: []string{"outputLayer", "outputNode"},
	Traits:  IsVirtual | KeepsShape | IsView,
	Ints:    IntsKept,
	Shape:   func(c *Call) (Shape, error) { return c.In[0], nil },
	Examples: []Example{
		{In: "[10]", Out: "[10]"},
		{In: "int[]", Out: "[]"},
		{In: "[10] [10]", Err: "takes one input, got 2"},
	},
})
