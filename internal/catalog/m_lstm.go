package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "mLSTM",
	Title: "An LSTM whose memory is a matrix",
	Doc: `Each head sums products of keys and values with weights that an exponential input gate and a forget gate for each head decide, and queries read the sum; an output gate multiplies the result. ` +
		`It takes (sequence, embedDim), and all positions are computed at once, as in training. The heads must divide embedDim. The blocks of xLSTM have linear layers, a convolution and a norm around it, which are not part of it.`,
	Source:  "Beck et al. 2024, xLSTM, equations 19 to 27; NX-AI/xlstm parallel_stabilized_simple",
	Group:   Recurrent,
	Aliases: []string{"xlstm", "matrixLSTM"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params:  xlstmParams(),
	Shape:   func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		for _, name := range []string{"q", "k", "v", "o"} {
			c.Linear(name, e, e, true)
		}
		c.Linear("i", e, h, true)
		c.Linear("f", e, h, true)
	},
	FLOPs: func(c *Call) int64 {
		s, e := c.In[0][0], c.Int("embedDim")
		return c.Add(c.MatMul(1, s, e, c.Add(c.Mul(4, e), c.Mul(2, c.Int("numHeads")))), c.MatMul(2, s, e, s))
	},
	State: func(c *Call) int64 { // a matrix, a vector and a number for each head
		e, h := c.Int("embedDim"), c.Int("numHeads")
		return c.Add(c.Mul(e, c.Part(e, h)), e, h)
	},
	Lower: lowerMLSTM,
	Torch: `MLSTM({{embedDim}}, {{numHeads}})`,
	Module: `class MLSTM(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))
        self.i, self.f = nn.Linear(dim, heads), nn.Linear(dim, heads)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x):
        s, q, k, v = x.shape[1], self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        total = torch.cumsum(-F.softplus(-self.f(x)), 1).transpose(1, 2).flatten(0, 1)
        past = torch.ones(s, s, dtype=torch.bool, device=x.device).tril()
        log_d = torch.where(past, total[:, :, None] - total[:, None], -float("inf"))
        log_d = log_d + self.i(x).transpose(1, 2).flatten(0, 1)[:, None]
        top = log_d.max(-1, keepdim=True)[0]
        c = torch.bmm(q, k.transpose(1, 2) * k.shape[-1] ** -0.5) * torch.exp(log_d - top)
        norm = torch.maximum(c.sum(-1, keepdim=True).abs(), torch.exp(-top))
        y = torch.bmm(c / (norm + 1e-6), v).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
        return torch.sigmoid(self.o(x)) * y
`,
	WeightFormula: "(embedDim + 1)*(4*embedDim + 2*numHeads)",
	FLOPsFormula:  "4*in[0]*embedDim*(2*embedDim + numHeads + in[0])",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16", Out: "[10,16]", Weights: 1224, FLOPs: 29440},
		{In: "[3,6]", Args: "embedDim=6 numHeads=2", Out: "[3,6]", Weights: 196, FLOPs: 1224},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})

// xlstmParams are the parameters of both cells of xLSTM.
func xlstmParams() []Param {
	return []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"hiddenSize"}, Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 4, Aliases: []string{"heads"}, Doc: "number of heads"},
	}
}

func lowerMLSTM(l *Lowering) op.Value {
	p, x, s, e, h := l.P, l.X[0], l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	d := e / h
	q, k, v := l.heads(l.Map(x, "q"), s, h, d), l.heads(l.Map(x, "k"), s, h, d), l.heads(l.Map(x, "v"), s, h, d)
	total := op.CumSum(p, op.Scale(p, op.WideOfInput(p, op.Scale(p, l.Map(x, "f")))))
	faded := op.Sub(p, op.View(p, total, h, s, 1), op.View(p, total, h, 1, s))
	past := op.Where(p, op.Constant(p, op.Byte, true, s, s), faded, op.Constant(p, op.Float, true, 1))
	logs := op.Add(p, past, op.View(p, l.Map(x, "i"), h, 1, s))
	top, _ := op.TopK(p, logs, h, s, 1)
	shares := op.WideOfOutput(p, op.Sub(p, logs, top))
	c := op.Mul(p, op.MatMul(p, q, op.View(p, op.Scale(p, k), h, d, s)), shares)
	norm := op.Maximum(p, op.Abs(p, op.Sum(p, c, h, s, 1)), op.WideOfOutput(p, op.Scale(p, top)))
	y := op.MatMul(p, op.Div(p, c, op.Scale(p, norm)), v)
	return op.Mul(p, op.OfOutput(p, l.Map(x, "o")), l.joinHeads(y, s, h, d))
}
