package catalog

var _ = define(Type{
	ID:    "gcn",
	Title: "A graph convolution",
	Doc: `Maps the features of every node and adds up those of its neighbours and its own, each divided by the root of both nodes' degrees, as torch_geometric.nn.GCNConv does. ` +
		`The first input is (nodes, features), the second the edges as (2, edges). An edge from a node to itself is added where there is none.`,
	Source:  "torch_geometric.nn.GCNConv; Kipf and Welling 2017",
	Group:   GraphNets,
	Aliases: []string{"gcnConv"},
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Params:  []Param{paramNodeIn, paramNodeOut, paramNodeBias},
	Shape:   func(c *Call) (Shape, error) { return graphShape(c, c.Int("outChannels")) },
	Weights: func(c *Call) {
		if c.Bool("bias") {
			c.Weight("bias", c.Int("outChannels"))
		}
		c.Weight("lin.weight", c.Int("outChannels"), c.Features(0, 1))
	},
	FLOPs:         func(c *Call) int64 { return c.MatMul(1, c.In[0][0], c.In[0][1], c.Int("outChannels")) },
	Lower:         lowerGCN,
	Torch:         `on_batches(torch_geometric.nn.GCNConv({{inChannels}}, {{outChannels}}, bias={{bias}}))`,
	Module:        graphLayer,
	WeightFormula: "outChannels*(in[1] + bias)",
	FLOPsFormula:  "2*size(in)*outChannels",
	Examples: []Example{
		{In: "[2708,1433] int[2,10556]", Args: "inChannels=1433 outChannels=16", Out: "[2708,16]", Weights: 22944, FLOPs: 124178048},
		{In: "[5,7] int[2,9]", Args: "inChannels=-1 outChannels=4 bias=false", Out: "[5,4]", Weights: 28, FLOPs: 280},
		{In: "[5,7] int[2,9]", Args: "inChannels=8 outChannels=4", Err: "inChannels is 8 but 7 features arrive"},
		{In: "[5,7] int[3,9]", Args: "inChannels=7 outChannels=4", Err: "the edges must be (2, edges), got [3,9]"},
	},
})
