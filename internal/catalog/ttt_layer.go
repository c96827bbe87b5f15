package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "tttLayer",
	Title: "A linear model that is trained while it reads",
	Doc: `Each head has a linear model from keys to values, which takes a step against the gradient of its squared error at every position; the position decides how large the step is, and queries are run through the model. ` +
		`It takes (sequence, embedDim); the heads must divide embedDim. It has neither the layer norm inside of the model nor the mini-batches of TTT-Linear. The memory stated is that of the recurrence in PyTorch.`,
	Source:  "Sun et al. 2024, Learning to (Learn at Test Time), sections 2.1 to 2.3",
	Group:   Recurrent,
	Aliases: []string{"testTimeTraining"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 1, Aliases: []string{"heads"}, Doc: "number of heads, each with a model"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		d := c.Part(e, h)
		c.Weight("W0", h, d, d)
		for _, name := range []string{"q", "k", "v", "out"} {
			c.Linear(name, e, e, false)
		}
		c.Linear("eta", e, h, true)
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.MatMul(1, c.In[0][0], e, c.Add(c.Mul(4, e), c.Int("numHeads")))
	},
	State: func(c *Call) int64 { return c.Mul(c.Int("embedDim"), c.Part(c.Int("embedDim"), c.Int("numHeads"))) },
	Lower: func(l *Lowering) op.Value {
		p, x, s, e := l.P, l.X[0], l.In[0][0], l.Int("embedDim")
		q, k, v, eta := l.Map(x, "q"), l.Map(x, "k"), l.Map(x, "v"), op.OfOutput(p, l.Map(x, "eta"))
		// The model behind each position, and the errors, twice.
		y, _ := op.Scan(p, Of(s, e), []op.Value{q, k, eta, l.W("W0")}, []op.Value{v}, s*e*(e/l.Int("numHeads")), s*e, s*e)
		return l.Map(y, "out")
	},
	Torch: `TTTLayer({{embedDim}}, {{numHeads}})`,
	Module: `class TTTLayer(nn.Module):
    """The recurrence, position by position."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, d = heads, dim // heads
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.eta, self.W0 = nn.Linear(dim, heads), nn.Parameter(torch.randn(heads, d, d) * 0.02)

    def forward(self, x):
        q, k, v = (f(x).unflatten(2, (self.heads, -1)) for f in (self.q, self.k, self.v))
        eta, w, ys = torch.sigmoid(self.eta(x)), self.W0.expand(x.shape[0], -1, -1, -1), []
        for t in range(x.shape[1]):
            key = k[:, t, :, :, None]
            error = 2 * ((w * key).sum(-2) - v[:, t])
            w = w - key * (eta[:, t, :, None] * error)[:, :, None]
            ys.append((w * q[:, t, :, :, None]).sum(-2))
        return self.out(torch.stack(ys, 1).flatten(2))
`,
	WeightFormula: "4*embedDim*embedDim + embedDim*(embedDim/numHeads) + numHeads*(embedDim + 1)",
	FLOPsFormula:  "2*size(in)*(4*embedDim + numHeads)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16 numHeads=4", Out: "[10,16]", Weights: 1156, FLOPs: 21760},
		{In: "[1,3]", Args: "embedDim=3", Out: "[1,3]", Weights: 49, FLOPs: 78},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})
