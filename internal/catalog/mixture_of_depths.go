package catalog

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "mixtureOfDepths",
	Title: "A feed-forward network for some of the positions",
	Doc: `A router gives each position of (sequence, embedDim) a weight; the share capacity of the positions with the largest weights, at least one, goes through a feed-forward network with GELU, ` +
		`whose result is multiplied by the weight and added. The other positions pass as they are. ffDim is 4*embedDim if left out.`,
	Source: "Raposo et al. 2024, section 3.4, with a feed-forward network as the block",
	Group:  Blocks,
	Traits: HasResidual | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "ffDim", Kind: Int, Min: 1, Doc: "hidden features of the network",
			Derive: func(c *Call) int64 { return c.Mul(4, c.Int("embedDim")) }, DeriveDoc: "4*embedDim"},
		{Name: "capacity", Kind: Float, Default: 0.125, Aliases: []string{"capacityFactor"}, Doc: "share of the positions that go through the network, more than 0 and at most 1"},
	},
	Shape: func(c *Call) (Shape, error) {
		if share := c.Float("capacity"); c.arg("capacity").Kind() == graph.Bool || !(share > 0 && share <= 1) {
			return nil, c.Errorf(BadParam, "capacity is %v but must be more than 0 and at most 1", c.arg("capacity"))
		}
		return c.In[0], c.sequence(FeatureMismatch, "embedDim")
	},
	Weights: func(c *Call) {
		e, f := c.Int("embedDim"), c.Int("ffDim")
		c.Linear("router", e, 1, false)
		c.Linear("up", e, f, true)
		c.Linear("down", f, e, true)
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.Add(c.MatMul(1, c.In[0][0], e, 1), c.MatMul(2, c.deepened(), e, c.Int("ffDim")))
	},
	Lower: func(l *Lowering) op.Value {
		p, e, n := l.P, l.Int("embedDim"), l.deepened()
		weights, places := op.TopK(p, op.View(p, l.Map(l.X[0], "router"), l.In[0][0]), n)
		at := op.View(p, op.View(p, places, n, 1), n, e)
		y := l.Map(op.OfInput(p, l.Map(op.Gather(p, l.X[0], at), "up")), "down")
		return op.Scatter(p, l.X[0], at, op.Mul(p, y, op.View(p, weights, n, 1)), true)
	},
	Torch: `MixtureOfDepths({{embedDim}}, {{ffDim}}, {{capacity}})`,
	Module: `class MixtureOfDepths(nn.Module):
    def __init__(self, dim, hidden, capacity):
        super().__init__()
        self.capacity, self.router = capacity, nn.Linear(dim, 1, bias=False)
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        weights, places = torch.topk(self.router(x).squeeze(-1), max(1, int(self.capacity * x.shape[1])), dim=1)
        places = places[:, :, None].expand(-1, -1, x.shape[2])
        y = self.down(F.gelu(self.up(x.gather(1, places))))
        return x.scatter_add(1, places, y * weights[:, :, None])
`,
	WeightFormula: "2*embedDim*ffDim + ffDim + 2*embedDim",
	FLOPsFormula:  "2*size(in) + 4*max(1, floor(capacity*in[0]))*embedDim*ffDim",
	Examples: []Example{
		{In: "[16,8]", Args: "embedDim=8", Out: "[16,8]", Weights: 560, FLOPs: 2304},
		{In: "[3,8]", Args: "embedDim=8 ffDim=5 capacity=0.125", Out: "[3,8]", Weights: 101, FLOPs: 208},
		{In: "[16,8]", Args: "embedDim=8 capacity=1.5", Err: "capacity is 1.5 but must be more than 0 and at most 1"},
		{In: "[16,8]", Args: "embedDim=4", Err: "embedDim is 4 but 8 features arrive"},
	},
})

// deepened is the number of positions that go through the network.
func (c *Call) deepened() int64 { return max(1, int64(c.Float("capacity")*float64(c.In[0][0]))) }
