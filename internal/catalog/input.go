package catalog

var _ = define(Type{
	ID:      "input",
	Title:   "Where data enters",
	Doc:     `Gives a tensor of the declared shape for every sample. The shape leaves the batch out; an empty list is one number per sample. An importer that does not know it says in asks what it needs, and every verdict behind is withheld. With given set to false a call leaves it out. Without a dtype it holds token ids if it feeds an embedding, and numbers with a fraction otherwise.`,
	Source:  "torch.randn, torch.zeros(dtype=torch.long)",
	Group:   Structure,
	Aliases: []string{"inputLayer", "inputNode", "placeholder"},
	Traits:  IsVirtual,
	Inputs:  NoInputs,
	Ints:    IntsKept,
	Params: []Param{
		{Name: "shape", Kind: Ints, Min: 1, ListOnly: true, EmptyOK: true, Missing: NoInputShape, Unless: "asks", Aliases: []string{"inputShape"}, Doc: "size of every axis behind the batch"},
		{Name: "asks", Kind: String, Optional: true, Doc: "in place of the shape, what an importer needs to be told to know it: a question, and no fault"},
		{Name: "dtype", Kind: String, Optional: true, Values: []string{"float", "float32", "float16", "bfloat16", "int", "int64"}, Doc: "type of the elements"},
		{Name: "given", Kind: Bool, Optional: true, Doc: "false where the call leaves it out, as one with text alone leaves pictures out: what is computed of such inputs alone is constructed and does not run"},
	},
	Shape: func(c *Call) (Shape, error) {
		c.OutIsInt = c.Str("dtype") == "int" || c.Str("dtype") == "int64"
		if !c.Has("shape") {
			return nil, nil
		}
		return c.Ints("shape"), nil
	},
	Examples: []Example{
		{Args: "shape=[3,32,32]", Out: "[3,32,32]"},
		{Args: "shape=[]", Out: "[]"},
		{Args: "shape=[128] dtype=int64", Out: "[128]"},
		{Args: "shape=[3,32,32] given=false", Out: "[3,32,32]"},
		{Args: "dtype=float", Err: "shape is missing"},
		{Args: "asks=\"the shape of x\"", Out: "unknown"},
		{Args: "shape=null", Err: "shape is missing"},
		{Args: "shape=[3,0]", Err: "shape is [3,0] but takes a list of integers of at least 1"},
		{Args: "shape=12", Err: "shape is 12 but takes a list"},
		{In: "[3]", Args: "shape=[3]", Err: "takes no input, got 1"},
	},
})
