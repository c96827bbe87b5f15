package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "titansMemory",
	Title: "A memory that learns while it reads",
	Doc: `Each head has a matrix that maps keys to values. At every position it takes a step against the gradient of its error, with momentum and forgetting, whose shares the position decides; queries read it. ` +
		`It takes (sequence, embedDim); the heads must divide embedDim. It is the memory of Titans with one linear layer. The memory stated is that of the recurrence in PyTorch.`,
	Source:  "Behrouz et al. 2024, Titans, equations 11 to 15 with a linear memory",
	Group:   Recurrent,
	Aliases: []string{"neuralMemory"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 1, Aliases: []string{"heads"}, Doc: "number of heads, each with a memory"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		for _, name := range []string{"q", "k", "v", "out"} {
			c.Linear(name, e, e, false)
		}
		for _, name := range []string{"alpha", "eta", "theta"} {
			c.Linear(name, e, h, true)
		}
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.MatMul(1, c.In[0][0], e, c.Add(c.Mul(4, e), c.Mul(3, c.Int("numHeads"))))
	},
	State: func(c *Call) int64 { // the memory and its momentum
		e := c.Int("embedDim")
		return c.Mul(2, e, c.Part(e, c.Int("numHeads")))
	},
	Lower: func(l *Lowering) op.Value {
		p, x, s, e := l.P, l.X[0], l.In[0][0], l.Int("embedDim")
		q, k, v := l.Map(x, "q"), l.Map(x, "k"), l.Map(x, "v")
		share := func(name string) op.Value { return op.OfOutput(p, l.Map(x, name)) }
		keep, eta, theta := op.Scale(p, share("alpha")), share("eta"), share("theta")
		saved, others := []op.Value{q, k, eta, theta, keep}, []op.Value{v}
		if s == 1 { // nothing is there to keep
			saved, others = saved[:4], []op.Value{v, keep}
		}
		// The memory before and behind each position, the momentum before all but the first, and the errors, twice.
		y, _ := op.Scan(p, Of(s, e), saved, others, 2*s*e*(e/l.Int("numHeads")), s*e, s*e)
		return l.Map(y, "out")
	},
	Torch: `TitansMemory({{embedDim}}, {{numHeads}})`,
	Module: `class TitansMemory(nn.Module):
    """The recurrence, position by position."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim, bias=False) for _ in range(4))
        self.alpha, self.eta, self.theta = (nn.Linear(dim, heads) for _ in range(3))

    def forward(self, x):
        q, k, v = (f(x).unflatten(2, (self.heads, -1)) for f in (self.q, self.k, self.v))
        keep, eta, theta = 1 - torch.sigmoid(self.alpha(x)), torch.sigmoid(self.eta(x)), torch.sigmoid(self.theta(x))
        memory = surprise = x.new_zeros(x.shape[0], self.heads, k.shape[-1], v.shape[-1])
        ys = []
        for t in range(x.shape[1]):
            key = k[:, t, :, :, None]
            error = (memory * key).sum(-2) - v[:, t]
            surprise = eta[:, t, :, None, None] * surprise - key * (theta[:, t, :, None] * error)[:, :, None]
            memory = keep[:, t, :, None, None] * memory + surprise
            ys.append((memory * q[:, t, :, :, None]).sum(-2))
        return self.out(torch.stack(ys, 1).flatten(2))
`,
	WeightFormula: "4*embedDim*embedDim + 3*numHeads*(embedDim + 1)",
	FLOPsFormula:  "2*size(in)*(4*embedDim + 3*numHeads)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16 numHeads=4", Out: "[10,16]", Weights: 1228, FLOPs: 24320},
		{In: "[1,3]", Args: "embedDim=3", Out: "[1,3]", Weights: 48, FLOPs: 90},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})
