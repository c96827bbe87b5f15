package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "graphSAGE",
	Title: "A graph layer over the mean of the neighbours",
	Doc: `Takes the mean of the features of each node's neighbours, or what aggr names, maps it and the node's own features with a weight matrix each and adds the two, as torch_geometric.nn.SAGEConv does. ` +
		`The first input is (nodes, features), the second the edges as (2, edges).`,
	Source:  "torch_geometric.nn.SAGEConv; Hamilton et al. 2017",
	Group:   GraphNets,
	Aliases: []string{"sageConv", "sage"},
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Params:  []Param{paramNodeIn, paramNodeOut, paramAggregation("mean"), paramNodeBias},
	Shape:   aggregatingShape,
	Weights: func(c *Call) {
		c.Linear("lin_l", c.Features(0, 1), c.Int("outChannels"), c.Bool("bias"))
		c.Linear("lin_r", c.Features(0, 1), c.Int("outChannels"), false)
	},
	FLOPs:         aggregatingFLOPs,
	Lower:         func(l *Lowering) op.Value { return lowerAggregating(l, "lin_l", "lin_r") },
	Torch:         `on_batches(torch_geometric.nn.SAGEConv({{inChannels}}, {{outChannels}}, aggr={{aggr}}, bias={{bias}}))`,
	Module:        graphLayer,
	WeightFormula: "outChannels*(2*in[1] + bias)",
	FLOPsFormula:  "4*size(in)*outChannels",
	Examples: []Example{
		{In: "[8,9] int[2,9]", Args: "inChannels=9 outChannels=6", Out: "[8,6]", Weights: 114, FLOPs: 1728},
		{In: "[7,16] int[2,3]", Args: "inChannels=-1 outChannels=6 aggr=add bias=false", Out: "[7,6]", Weights: 192, FLOPs: 2688},
		{In: "[8,9] int[2,9]", Args: "inChannels=8 outChannels=6", Err: "inChannels is 8 but 9 features arrive"},
	},
})
