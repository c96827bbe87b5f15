package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "gatedDeltaRule",
	Title: "The recurrence of a gated delta net",
	Doc: `Each head has a matrix that maps keys to values: at every position it fades, what it gives for the key is compared with the value, and it is changed by a share of the difference; the query reads it. ` +
		`The first input is queries, keys and values beside each other (sequence, 2·numKeyHeads·headDim + numHeads·valueDim), the second and third decide the share and the fading of each head (sequence, numHeads). ` +
		`Queries and keys may have fewer heads than values, and are then repeated. Projections, convolutions, norm and gate are components of their own; gatedDeltaNet has all of them. ` +
		`The memory stated is that of the recurrence in PyTorch; a fused kernel keeps less.`,
	Source:  "Yang et al. 2025, Gated Delta Networks; transformers modeling_qwen3_next.py torch_recurrent_gated_delta_rule",
	Group:   Recurrent,
	Aliases: []string{"chunkGatedDeltaRule", "recurrentGatedDeltaRule"},
	Inputs:  Arity{3, 3},
	Traits:  IsRecurrent | HasActivation,
	Params: []Param{
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads", "numValueHeads", "numVHeads"}, Doc: "number of heads of the values"},
		{Name: "headDim", Kind: Int, Min: 1, Aliases: []string{"keyDim", "headKDim"}, Doc: "features of a query and a key of a head"},
		{Name: "numKeyHeads", Kind: Int, Min: 1, Aliases: []string{"numKHeads"}, Doc: "number of heads of queries and keys",
			Derive: func(c *Call) int64 { return c.Int("numHeads") }, DeriveDoc: "numHeads"},
		{Name: "valueDim", Kind: Int, Min: 1, Aliases: []string{"headVDim"}, Doc: "features of a value of a head",
			Derive: func(c *Call) int64 { return c.Int("headDim") }, DeriveDoc: "headDim"},
		{Name: "allowNegEigval", Kind: Bool, Default: false, Doc: "whether the share goes up to 2"},
	},
	Shape: gatedDeltaRuleShape,
	Weights: func(c *Call) {
		c.Weight("A_log", c.Int("numHeads"))
		c.Weight("dt_bias", c.Int("numHeads"))
	},
	FLOPs: func(c *Call) int64 { // each head reads its matrix twice and writes it once, for every position
		return c.MatMul(3, c.In[0][0], c.Mul(c.Int("numHeads"), c.Int("headDim")), c.Int("valueDim"))
	},
	State: func(c *Call) int64 { return c.Mul(c.Int("numHeads"), c.Int("headDim"), c.Int("valueDim")) },
	Lower: lowerGatedDeltaRule,
	Torch: `GatedDeltaRule({{numHeads}}, {{headDim}}, {{numKeyHeads}}, {{valueDim}}, {{allowNegEigval}})`,
	Module: `class GatedDeltaRule(nn.Module):
    """The delta rule, position by position."""

    def __init__(self, heads, key_dim, key_heads, value_dim, negative):
        super().__init__()
        self.heads, self.key_dim, self.key_heads, self.value_dim, self.negative = heads, key_dim, key_heads, value_dim, negative
        self.A_log, self.dt_bias = nn.Parameter(torch.zeros(heads)), nn.Parameter(torch.zeros(heads))

    def unit(self, x):
        return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)

    def rows(self, x):
        return x.transpose(1, 2).flatten(0, 1)

    def forward(self, x, b, a):
        wide = self.key_heads * self.key_dim
        q, k, v = x.split([wide, wide, self.heads * self.value_dim], -1)
        q, k = (y.unflatten(2, (self.key_heads, -1)) for y in (q, k))
        if self.key_heads < self.heads:
            q, k = (y.repeat_interleave(self.heads // self.key_heads, 2) for y in (q, k))
        q, k, v = self.rows(self.unit(q) * self.key_dim**-0.5), self.rows(self.unit(k)), self.rows(v.unflatten(2, (self.heads, -1)))
        beta = self.rows(b).sigmoid()
        if self.negative:
            beta = beta * 2.0
        decay = torch.exp(self.rows(-torch.exp(self.A_log) * F.softplus(a + self.dt_bias)))
        state, ys = x.new_zeros(q.shape[0], self.key_dim, self.value_dim), []
        for t in range(x.shape[1]):
            state, key = state * decay[:, t, None, None], k[:, t : t + 1]
            change = (v[:, t : t + 1] - torch.bmm(key, state)) * beta[:, t, None, None]
            state = state + torch.bmm(key.transpose(1, 2), change)
            ys.append(torch.bmm(q[:, t : t + 1], state))
        return torch.cat(ys, 1).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
`,
	WeightFormula: "2*numHeads",
	FLOPsFormula:  "6*in[0]*numHeads*headDim*valueDim",
	Examples: []Example{
		{In: "[10,24] [10,2] [10,2]", Args: "numHeads=2 headDim=4", Out: "[10,8]", Weights: 4, FLOPs: 1920},
		{In: "[5,26] [5,4] [5,4]", Args: "numHeads=4 headDim=3 numKeyHeads=1 valueDim=5", Out: "[5,20]", Weights: 8, FLOPs: 1800},
		{In: "[10,25] [10,2] [10,2]", Args: "numHeads=2 headDim=4", Err: "25 features of queries, keys and values arrive, want 24"},
		{In: "[10,24] [10,3] [10,2]", Args: "numHeads=2 headDim=4", Err: "the second input must be [10,2], got [10,3]"},
		{In: "[10,24] [10,3] [10,3]", Args: "numHeads=3 headDim=2 numKeyHeads=2", Err: "3 heads are not divisible by 2 heads of keys"},
		{In: "[10,24] [10,2]", Args: "numHeads=2 headDim=4", Err: "takes 3 inputs, got 2"},
	},
})

func gatedDeltaRuleShape(c *Call) (Shape, error) {
	h, d, keys, values, in := c.Int("numHeads"), c.Int("headDim"), c.Int("numKeyHeads"), c.Int("valueDim"), c.In[0]
	if in.Rank() != 2 {
		return nil, c.Errorf(RankMismatch, "takes (sequence, queries, keys and values), got %v", in)
	}
	out := Of(in[0], c.Mul(h, values))
	if h%keys != 0 {
		return out, c.Errorf(GQAHeadDivisibility, "%d heads are not divisible by %d heads of keys", h, keys)
	}
	if want := c.Add(c.Mul(2, keys, d), c.Mul(h, values)); in[1] != want {
		return out, c.Errorf(FeatureMismatch, "%d features of queries, keys and values arrive, want %d", in[1], want).Wants(0, At(-1), want)
	}
	for i, name := range []string{"second", "third"} {
		if want := Of(in[0], h); !c.In[i+1].Equal(want) {
			return out, c.Errorf(FeatureMismatch, "the %s input must be %v, got %v", name, want, c.In[i+1])
		}
	}
	return out, nil
}

func lowerGatedDeltaRule(l *Lowering) op.Value {
	p, s, h, d, keys, values := l.P, l.In[0][0], l.Int("numHeads"), l.Int("headDim"), l.Int("numKeyHeads"), l.Int("valueDim")
	parts := op.Split(p, l.X[0], []int64{s, keys * d}, []int64{s, keys * d}, []int64{s, h * values})
	unit := func(x op.Value) op.Value {
		x = op.View(p, x, s, keys, d)
		if keys < h {
			x = op.Copied(p, x, s, h, d)
		}
		return op.Mul(p, x, op.WideOfOutput(p, op.Scale(p, op.Sum(p, op.Pow(p, x), s, h, 1))))
	}
	q := op.Copied(p, op.Scale(p, unit(parts[0])), h, s, d)
	k := op.Copied(p, unit(parts[1]), h, s, d)
	v := op.Copied(p, op.View(p, parts[2], s, h, values), h, s, values)
	beta := op.OfOutput(p, op.Copied(p, l.X[1], h, s))
	share := beta
	if l.Bool("allowNegEigval") {
		share = op.Scale(p, beta)
	}
	dt := op.WideOfInput(p, op.Add(p, l.X[2], l.W("dt_bias")))
	decay := op.WideOfOutput(p, op.Copied(p, op.Mul(p, op.Scale(p, op.WideOfOutput(p, l.W("A_log"))), dt), h, s))
	state, row := h*d*values, h*values
	y, _ := op.ScanProducts(p, Of(h, s, values), 6*s*state, []op.Value{q, k, share, decay}, []op.Value{v}, (2*s+1)*state, s*row, s*row)
	return op.Copied(p, y, s, h*values)
}
