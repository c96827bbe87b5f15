package catalog

var _ = define(Type{
	ID:      "stickyNote",
	Title:   "A comment on the canvas",
	Doc:     `Holds a text for the reader of the graph. It computes nothing, and nothing can be connected to it.`,
	Source:  "none: PyTorch never sees it",
	Group:   Structure,
	Aliases: []string{"note", "comment", "annotation"},
	Traits:  IsVirtual,
	Inputs:  NoInputs,
	Params: []Param{
		{Name: "text", Kind: String, Optional: true, Aliases: []string{"content"}, Doc: "what it says"},
		{Name: "color", Kind: String, Optional: true, Aliases: []string{"colour"}, Doc: "its colour on the canvas"},
	},
	Shape: func(c *Call) (Shape, error) { return nil, nil }, // no tensor leaves it
	Examples: []Example{
		{Args: `text="the stem" color=yellow`, Out: "unknown"},
		{In: "[10]", Args: `text="the stem"`, Err: "takes no input, got 1"},
	},
})
