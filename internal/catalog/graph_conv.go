package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "graphConv",
	Title: "A graph layer with weights for neighbours and self",
	Doc: `Sums up the features of each node's neighbours, maps the sum and the node's own features with a weight matrix each and adds the two, as torch_geometric.nn.GraphConv does. ` +
		`The first input is (nodes, features), the second the edges as (2, edges).`,
	Source:  "torch_geometric.nn.GraphConv; Morris et al. 2019",
	Group:   GraphNets,
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Params:  []Param{paramNodeIn, paramNodeOut, paramAggregation("add"), paramNodeBias},
	Shape:   aggregatingShape,
	Weights: func(c *Call) {
		c.Linear("lin_rel", c.Features(0, 1), c.Int("outChannels"), c.Bool("bias"))
		c.Linear("lin_root", c.Features(0, 1), c.Int("outChannels"), false)
	},
	FLOPs:         aggregatingFLOPs,
	Lower:         func(l *Lowering) op.Value { return lowerAggregating(l, "lin_rel", "lin_root") },
	Torch:         `on_batches(torch_geometric.nn.GraphConv({{inChannels}}, {{outChannels}}, aggr={{aggr}}, bias={{bias}}))`,
	Module:        graphLayer,
	WeightFormula: "outChannels*(2*in[1] + bias)",
	FLOPsFormula:  "4*size(in)*outChannels",
	Examples: []Example{
		{In: "[9,14] int[2,6]", Args: "inChannels=14 outChannels=12", Out: "[9,12]", Weights: 348, FLOPs: 6048},
		{In: "[8,7] int[2,10]", Args: "inChannels=7 outChannels=14 aggr=max bias=false", Out: "[8,14]", Weights: 196, FLOPs: 3136},
		{In: "[8,7] int[2,10]", Args: "inChannels=7 outChannels=14 aggr=bogus", Err: `aggr is "bogus" but takes one of add, sum, mean`},
		{In: "[8,7] [2,10]", Args: "inChannels=7 outChannels=14", Err: "input 1 must be token ids or indices"},
	},
})
