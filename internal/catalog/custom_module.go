package catalog

var _ = define(Type{
	ID:      "customModule",
	Title:   "A module that the catalogue does not know",
	Doc:     `Stands for code of your own. What it declares is believed: outShape is the shape of the result, numParams the number of its weights, flops the cost of one sample. Without an outShape every verdict behind it is withheld; without numParams the count of parameters lacks it, and without flops the compute does. What it saves for backward cannot be declared, so memory, time and price are lower bounds.`,
	Source:  "torch.nn.Module",
	Group:   Structure,
	Aliases: []string{"custom", "customLayer", "lambda"},
	Traits:  IsOpaque,
	Inputs:  Arity{1, Any},
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "outShape", Kind: Ints, Min: 1, EmptyOK: true, Optional: true, Aliases: []string{"outputShape"}, Doc: "shape of the result without the batch"},
		{Name: "numParams", Kind: Int, Optional: true, Aliases: []string{"paramCount", "parameterCount"}, Doc: "number of its trained parameters"},
		{Name: "flops", Kind: Int, Optional: true, Doc: "FLOPs of one sample, forward, 2 per multiply-add"},
		{Name: "outDtype", Kind: String, Optional: true, Values: []string{"float32", "int64"}, Doc: "kind of the result's numbers: int64 for token ids and indices"},
		{Name: "code", Kind: String, Optional: true, Doc: "its source, for the reader"},
		{Name: "unread", Kind: String, Optional: true, Doc: "why an importer could not follow the source behind this place"},
		{Name: "chunkSize", Kind: Int, Min: 1, Optional: true, Doc: "of a recurrence that names its module: the positions of a chunk"},
		{Name: "stateSize", Kind: Int, Min: 1, Optional: true, Doc: "of a recurrence that names its module: the state of each feature"},
		{Name: "raises", Kind: String, Optional: true, Breaks: SourceRaises, Doc: "the exception that the source certainly raises here, with its line"},
	},
	Shape: func(c *Call) (Shape, error) {
		c.OutIsInt = c.Str("outDtype") == "int64"
		if !c.Has("outShape") {
			return nil, nil
		}
		return c.Ints("outShape"), nil
	},
	Weights: func(c *Call) {
		if !c.Has("numParams") {
			c.LacksWeights()
		}
		if n := c.Int("numParams"); n > 0 {
			c.Weight("weight", n)
		}
	},
	FLOPs: func(c *Call) int64 {
		if !c.Has("flops") {
			c.lacksFLOPs = true
		}
		return c.Int("flops")
	},
	Torch: `CustomModule({{outShape}}, {{numParams}}, {{outDtype}})`,
	Module: `class CustomModule(nn.Module):
    """Holds the place of a module that only its author knows: its weights, and zeros of its shape."""

    def __init__(self, out_shape=None, num_params=None, out_dtype=None):
        super().__init__()
        self.out_shape = (out_shape,) if isinstance(out_shape, int) else out_shape
        self.out_dtype = out_dtype
        if num_params:
            self.weight = nn.Parameter(torch.zeros(num_params))

    def forward(self, x, *others):
        if self.out_shape is None:
            raise NotImplementedError("the module declares no outShape")
        dtype = torch.int64 if self.out_dtype == "int64" else None
        return torch.zeros(x.shape[0], *self.out_shape, dtype=dtype, device=x.device)
`,
	WeightFormula: "numParams",
	FLOPsFormula:  "flops",
	Examples: []Example{
		{In: "[8,4]", Args: "outShape=[16] numParams=100 flops=200", Out: "[16]", Weights: 100, FLOPs: 200},
		{In: "[8] int[3]", Args: "outShape=[]", Out: "[]"},
		{In: "[8]", Args: "outShape=[3] outDtype=int64", Out: "[3]"},
		{In: "[8]", Out: "unknown"},
		{In: "[8]", Args: "raises=\"net.py:9: assert d % h == 0: 1 == 0 does not hold\"", Err: "net.py:9: assert d % h == 0"},
		{In: "[8]", Args: "outShape=[4,0]", Err: "outShape is [4,0]"},
		{In: "[8]", Args: "numParams=-1", Err: "numParams is -1 but takes an integer of at least 0"},
		{Args: "outShape=[4]", Err: "takes 1 or more inputs, got 0"},
	},
})
