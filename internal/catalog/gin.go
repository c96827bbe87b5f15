package catalog

var _ = define(Type{
	ID:    "gin",
	Title: "A graph isomorphism layer",
	Doc: `Adds up the features of each node's neighbours and 1+eps times its own, and maps the sum by two linear layers with a ReLU between them, as torch_geometric.nn.GINConv does. ` +
		`The first input is (nodes, features), the second the edges as (2, edges). Here inChannels must equal the features.`,
	Source:  "torch_geometric.nn.GINConv; Xu et al. 2019",
	Group:   GraphNets,
	Aliases: []string{"ginConv"},
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Ints:    IntsToFloat, // integers are multiplied by 1+eps before the first linear layer
	Traits:  HasActivation,
	Params: []Param{
		{Name: "inChannels", Kind: Int, Reads: At(-1), Aliases: []string{"inFeatures"}, Doc: "features of a node"},
		paramNodeOut,
		{Name: "hiddenChannels", Kind: Int, Derive: func(c *Call) int64 { return c.Int("outChannels") }, DeriveDoc: "outChannels", Doc: "size between the two linear layers"},
		{Name: "trainEps", Kind: Bool, Default: false, Doc: "whether eps is trained; it is 0 if not"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether biases are added"},
	},
	Shape: func(c *Call) (Shape, error) { return graphShape(c, c.Int("outChannels")) },
	Weights: func(c *Call) {
		if c.Bool("trainEps") {
			c.Weight("eps", 1)
		}
		c.Linear("nn.0", c.Int("inChannels"), c.Int("hiddenChannels"), c.Bool("bias"))
		c.Linear("nn.2", c.Int("hiddenChannels"), c.Int("outChannels"), c.Bool("bias"))
	},
	FLOPs: func(c *Call) int64 {
		return c.MatMul(1, c.In[0][0], c.Int("hiddenChannels"), c.Add(c.Int("inChannels"), c.Int("outChannels")))
	},
	Lower: lowerGIN,
	Torch: `on_batches(torch_geometric.nn.GINConv(nn.Sequential(nn.Linear({{inChannels}}, {{hiddenChannels}}, bias={{bias}}), nn.ReLU(), ` +
		`nn.Linear({{hiddenChannels}}, {{outChannels}}, bias={{bias}})), train_eps={{trainEps}}))`,
	Module:        graphLayer,
	WeightFormula: "hiddenChannels*(inChannels + outChannels) + bias*(hiddenChannels + outChannels) + trainEps",
	FLOPsFormula:  "2*in[0]*hiddenChannels*(inChannels + outChannels)",
	Examples: []Example{
		{In: "[9,3] int[2,6]", Args: "inChannels=3 outChannels=4 hiddenChannels=15", Out: "[9,4]", Weights: 124, FLOPs: 1890},
		{In: "[8,16] int[2,4]", Args: "inChannels=16 outChannels=15 bias=false trainEps=true", Out: "[8,15]", Weights: 466, FLOPs: 7440},
		{In: "[8,16] int[2,4]", Args: "inChannels=15 outChannels=15", Err: "inChannels is 15 but 16 features arrive"},
	},
})
