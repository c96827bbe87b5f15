package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "sLSTM",
	Title: "An LSTM with exponential gates",
	Doc: `An LSTM whose input and forget gates are exponentials, with a sum of the gates that the memory is divided by. What a position gave flows into the gates of the next within numHeads blocks. ` +
		`It takes (sequence, embedDim), one position after the other; the heads must divide embedDim. The blocks of xLSTM have a norm and a network around it, which are not part of it. ` +
		`The memory stated is that of the recurrence in PyTorch; the fused kernel keeps less.`,
	Source:  "Beck et al. 2024, xLSTM, equations 8 to 18 and appendix A; NX-AI/xlstm sLSTM cell",
	Group:   Recurrent,
	Aliases: []string{"scalarLSTM"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params:  xlstmParams(),
	Shape:   func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		d := c.Part(e, h)
		c.Weight("r", h, d, c.Mul(4, d))
		c.Linear("w", e, c.Mul(4, e), true)
	},
	FLOPs: func(c *Call) int64 {
		s, e := c.In[0][0], c.Int("embedDim")
		return c.MatMul(4, s, e, c.Add(e, c.Part(e, c.Int("numHeads"))))
	},
	State: func(c *Call) int64 { return c.Mul(4, c.Int("embedDim")) },
	Lower: func(l *Lowering) op.Value {
		p, s, e := l.P, l.In[0][0], l.Int("embedDim")
		wx, r := l.Map(l.X[0], "w"), l.W("r")
		const kept = 14 // of each position: the gates before their functions, the functions, the states and what is computed between
		y, _ := op.ScanProducts(p, Of(s, e), 8*s*e*(e/l.Int("numHeads")), []op.Value{r}, []op.Value{wx}, kept*s*e)
		return y
	},
	Torch: `SLSTM({{embedDim}}, {{numHeads}})`,
	Module: `class SLSTM(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, d = heads, dim // heads
        self.w, self.r = nn.Linear(dim, 4 * dim), nn.Parameter(torch.randn(heads, d, 4 * d) / math.sqrt(d))

    def forward(self, x):
        wx = self.w(x).unflatten(2, (self.heads, -1))
        h = c = n = m = x.new_zeros(x.shape[0], *self.r.shape[:2])
        ys = []
        for t in range(x.shape[1]):
            i, f, z, o = (wx[:, t] + torch.bmm(h.transpose(0, 1), self.r).transpose(0, 1)).chunk(4, -1)
            kept = m - F.softplus(-f)
            m = torch.maximum(kept, i)
            enter, stay = torch.exp(i - m), torch.exp(kept - m)
            c, n = stay * c + enter * torch.tanh(z), stay * n + enter
            h = torch.sigmoid(o) * (c / n)
            ys.append(h)
        return torch.stack(ys, 1).flatten(2)
`,
	WeightFormula: "4*embedDim*(embedDim + 1 + embedDim/numHeads)",
	FLOPsFormula:  "8*in[0]*embedDim*(embedDim + embedDim/numHeads)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16", Out: "[10,16]", Weights: 1344, FLOPs: 25600},
		{In: "[1,6]", Args: "embedDim=6 numHeads=2", Out: "[1,6]", Weights: 240, FLOPs: 432},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[10,16]", Args: "embedDim=12", Err: "embedDim is 12 but 16 features arrive"},
	},
})
