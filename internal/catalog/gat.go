package catalog

var _ = define(Type{
	ID:    "gat",
	Title: "A graph layer with attention over the neighbours",
	Doc: `Maps the features of every node for each head and averages those of its neighbours and its own with weights that both ends of an edge decide, as torch_geometric.nn.GATConv does. ` +
		`The heads are set side by side, or averaged if concat is false. The first input is (nodes, features), the second the edges as (2, edges); an edge from a node to itself is added where there is none.`,
	Source:  "torch_geometric.nn.GATConv; Veličković et al. 2018",
	Group:   GraphNets,
	Aliases: []string{"gatConv", "graphAttention"},
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Params: []Param{
		paramNodeIn,
		{Name: "outChannels", Kind: Int, Min: 1, Aliases: []string{"outFeatures"}, Doc: "features of a node in the result, for each head"},
		{Name: "heads", Kind: Int, Min: 1, Bools: true, Default: 1, Aliases: []string{"numHeads"}, Doc: "number of heads"},
		{Name: "concat", Kind: Bool, Default: true, Doc: "whether the heads are set side by side, or averaged"},
		{Name: "negativeSlope", Kind: Float, Default: 0.2, Doc: "slope of the scores' leaky ReLU below zero"},
		paramNodeBias,
	},
	Shape: func(c *Call) (Shape, error) { return graphShape(c, gatWidth(c)) },
	Weights: func(c *Call) {
		heads, out := c.Int("heads"), c.Int("outChannels")
		c.Weight("att_src", 1, heads, out)
		c.Weight("att_dst", 1, heads, out)
		if c.Bool("bias") {
			c.Weight("bias", gatWidth(c))
		}
		c.Weight("lin.weight", c.Mul(heads, out), c.Features(0, 1))
	},
	FLOPs: func(c *Call) int64 {
		return c.MatMul(1, c.In[0][0], c.In[0][1], c.Mul(c.Int("heads"), c.Int("outChannels")))
	},
	Lower: lowerGAT,
	Torch: `on_batches(torch_geometric.nn.GATConv({{inChannels}}, {{outChannels}}, heads={{heads}}, concat={{concat}}, ` +
		`negative_slope={{negativeSlope}}, bias={{bias}}))`,
	Module:        graphLayer,
	WeightFormula: "heads*outChannels*(in[1] + 2) + bias*out[1]",
	FLOPsFormula:  "2*size(in)*heads*outChannels",
	Examples: []Example{
		{In: "[8,8] int[2,10]", Args: "inChannels=8 outChannels=3 heads=4", Out: "[8,12]", Weights: 132, FLOPs: 1536},
		{In: "[4,6] int[2,1]", Args: "inChannels=6 outChannels=11 heads=2 concat=false", Out: "[4,11]", Weights: 187, FLOPs: 1056},
		{In: "[4,6] int[1,2]", Args: "inChannels=6 outChannels=11", Err: "the edges must be (2, edges), got [1,2]"},
	},
})

// gatWidth is the number of features of a node in the result.
func gatWidth(c *Call) int64 {
	if c.Bool("concat") {
		return c.Mul(c.Int("heads"), c.Int("outChannels"))
	}
	return c.Int("outChannels")
}
