package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "rgLru",
	Title: "A linear recurrence with gates",
	Doc: `Each feature of (sequence, embedDim) runs through a linear recurrence of its own, whose rate and input two gates decide; each gate is a linear layer in numHeads blocks. ` +
		`The heads must divide embedDim. It stands in the place of attention in Griffin, and needs no encoding of positions. The memory stated is that of the recurrence in PyTorch; a fused kernel keeps less.`,
	Source:  "De et al. 2024, Griffin, section 2.4; google-deepmind/recurrentgemma torch/layers.py RGLRU",
	Group:   Recurrent,
	Aliases: []string{"realGatedLru"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"width", "lruWidth"}, Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 1, Aliases: []string{"heads", "numBlocks"}, Doc: "blocks of the gates"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, h := c.Int("embedDim"), c.Int("numHeads")
		d := c.Part(e, h)
		c.Weight("a_param", e)
		for _, name := range []string{"input_gate", "a_gate"} {
			c.Weight(name+"_w", h, d, d)
			c.Weight(name+"_b", h, d)
		}
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.MatMul(2, c.In[0][0], e, c.Part(e, c.Int("numHeads")))
	},
	State: func(c *Call) int64 { return c.Int("embedDim") },
	Lower: lowerRGLRU,
	Torch: `RGLRU({{embedDim}}, {{numHeads}})`,
	Module: `class RGLRU(nn.Module):
    """The recurrence, position by position."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, d, self.a_param = heads, dim // heads, nn.Parameter(torch.rand(dim))
        self.input_gate_w, self.input_gate_b = nn.Parameter(torch.randn(heads, d, d) / math.sqrt(d)), nn.Parameter(torch.zeros(heads, d))
        self.a_gate_w, self.a_gate_b = nn.Parameter(torch.randn(heads, d, d) / math.sqrt(d)), nn.Parameter(torch.zeros(heads, d))

    def gate(self, x, weight, bias):
        y = torch.bmm(x.reshape(-1, *bias.shape).transpose(0, 1), weight).transpose(0, 1)
        return torch.sigmoid((y + bias).reshape(x.shape))

    def forward(self, x):
        gate_x, gate_a = self.gate(x, self.input_gate_w, self.input_gate_b), self.gate(x, self.a_gate_w, self.a_gate_b)
        log_a = -8.0 * gate_a * F.softplus(self.a_param)
        first = (torch.arange(x.shape[1], device=x.device) == 0).to(x.dtype)[:, None]
        later = 1 - first
        y = x * gate_x * (first + later * torch.sqrt(1 - torch.exp(2 * log_a)))
        a = torch.exp(log_a) * later
        ys = [y[:, 0]]
        for t in range(1, x.shape[1]):
            ys.append(a[:, t] * ys[-1] + y[:, t])
        return torch.stack(ys, 1)
`,
	WeightFormula: "2*embedDim*(embedDim/numHeads) + 3*embedDim",
	FLOPsFormula:  "4*size(in)*(embedDim/numHeads)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16 numHeads=4", Out: "[10,16]", Weights: 176, FLOPs: 2560},
		{In: "[1,3]", Args: "width=3", Out: "[1,3]", Weights: 27, FLOPs: 36},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})

func lowerRGLRU(l *Lowering) op.Value {
	p, s, e, h := l.P, l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	x, d := l.X[0], e/h
	gate := func(name string) op.Value {
		y := op.View(p, op.MatMul(p, op.View(p, x, h, s, d), l.W(name+"_w")), s, h, d)
		return op.OfOutput(p, op.View(p, op.Add(p, y, l.W(name+"_b")), s, e))
	}
	gateX, gateA := gate("input_gate"), gate("a_gate")
	logA := op.Mul(p, op.Scale(p, gateA), op.WideOfInput(p, l.W("a_param")))
	first, later := op.Constant(p, op.Float, true, s, 1), op.Constant(p, op.Float, true, s, 1)
	share := op.Add(p, first, op.Mul(p, later, op.Sqrt(p, op.Scale(p, op.WideOfOutput(p, op.Scale(p, logA))))))
	y := op.Mul(p, op.Mul(p, x, gateX), share)
	a := op.Mul(p, op.WideOfOutput(p, logA), later)
	if s == 1 { // nothing came before
		return op.Copied(p, y, s, e)
	}
	out, _ := op.Scan(p, Of(s, e), []op.Value{a, y}, nil, (s-2)*e)
	return out
}
