package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "edgeConv",
	Title: "A graph layer over the differences to neighbours",
	Doc: `Runs the features of a node and the difference to its neighbour, side by side, through a network of two linear layers for every edge, and takes the largest result of the edges that end at a node; ` +
		`a node without any gets zeros. The first input is (nodes, features), the second the edges as (2, edges).`,
	Source:  "Wang et al. 2019, Dynamic Graph CNN; torch_geometric.nn.EdgeConv with the network of its tutorial",
	Group:   GraphNets,
	Inputs:  Arity{2, 2},
	Indices: []int{1},
	Traits:  HasActivation,
	Params: []Param{
		{Name: "inChannels", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"inFeatures"}, Doc: "features of a node"},
		{Name: "outChannels", Kind: Int, Min: 1, Writes: At(-1), Aliases: []string{"outFeatures"}, Doc: "features of a node in the result"},
	},
	Shape: func(c *Call) (Shape, error) { return graphShape(c, c.Int("outChannels")) },
	Weights: func(c *Call) {
		c.Linear("first", c.Mul(2, c.Int("inChannels")), c.Int("outChannels"), true)
		c.Linear("second", c.Int("outChannels"), c.Int("outChannels"), true)
	},
	FLOPs: func(c *Call) int64 {
		out := c.Int("outChannels")
		return c.MatMul(1, c.In[1][1], out, c.Add(c.Mul(2, c.Int("inChannels")), out))
	},
	Lower: func(l *Lowering) op.Value {
		p, nodes, n, in, out := l.P, l.In[0][0], l.In[1][1], l.Int("inChannels"), l.Int("outChannels")
		ends := op.View(p, l.X[1], n, 1)
		here := op.Gather(p, l.X[0], op.View(p, ends, n, in))
		there := op.Gather(p, l.X[0], op.View(p, ends, n, in))
		pairs := op.Concatenate(p, Of(n, 2*in), here, op.Sub(p, there, here))
		y := l.Map(op.OfOutput(p, l.Map(pairs, "first")), "second")
		return op.ScatterReduce(p, y, op.View(p, ends, n, out), nodes, out)
	},
	Torch: `EdgeConv({{inChannels}}, {{outChannels}})`,
	Module: `class EdgeConv(nn.Module):
    def __init__(self, features, out):
        super().__init__()
        self.first, self.second = nn.Linear(2 * features, out), nn.Linear(out, out)

    def forward(self, x, edges):
        if not x.is_floating_point():
            raise TypeError("takes numbers with a fraction")
        source, target = edges[:, 0, :, None], edges[:, 1, :, None]
        here, there = (x.gather(1, i.expand(-1, -1, x.shape[2])) for i in (target, source))
        y = self.second(F.relu(self.first(torch.cat([here, there - here], -1))))
        zeros = y.new_zeros(x.shape[0], x.shape[1], y.shape[2])
        return zeros.scatter_reduce(1, target.expand(-1, -1, y.shape[2]), y, "amax", include_self=False)
`,
	WeightFormula: "outChannels*(2*inChannels + outChannels + 2)",
	FLOPsFormula:  "2*in2[1]*outChannels*(2*inChannels + outChannels)",
	Examples: []Example{
		{In: "[8,3] int[2,10]", Args: "inChannels=3 outChannels=16", Out: "[8,16]", Weights: 384, FLOPs: 7040},
		{In: "[8,3] int[2,10]", Args: "inChannels=4 outChannels=16", Err: "inChannels is 4 but 3 features arrive"},
		{In: "[8,3] int[3,10]", Args: "inChannels=3 outChannels=16", Err: "the edges must be (2, edges), got [3,10]"},
	},
})
