package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "ditBlock",
	Title:   "A transformer block steered by a condition",
	Doc:     `A block of a diffusion transformer: self-attention and a feed-forward network over the first input (sequence, embedDim), each normalised, then scaled, shifted and gated by six vectors that a linear layer makes of the second input, one vector (embedDim) per sample. The heads must divide embedDim. The width inside is embedDim times mlpRatio, rounded down.`,
	Source:  "Peebles and Xie 2022; facebookresearch/DiT DiTBlock (adaLN-Zero)",
	Group:   Blocks,
	Aliases: []string{"adaLNBlock", "diffusionTransformerBlock"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape | IsMerge,
	Inputs:  Arity{2, 2},
	Params: headParams(
		Param{Name: "mlpRatio", Kind: Float, Default: 4.0, Doc: "width inside the feed-forward network, in units of embedDim"},
	),
	Shape: ditShape,
	Weights: func(c *Call) {
		e, f := c.Int("embedDim"), c.scaled("mlpRatio", c.Int("embedDim"))
		c.Linear("qkv", e, c.Mul(3, e), true)
		c.Linear("proj", e, e, true)
		c.Linear("mlp.0", e, f, true)
		c.Linear("mlp.2", f, e, true)
		c.Linear("modulation.1", e, c.Mul(6, e), true)
	},
	FLOPs: func(c *Call) int64 {
		s, e, h := c.In[0][0], c.Int("embedDim"), c.Int("numHeads")
		return c.Add(c.MatMul(6, 1, e, e), c.MatMul(4, s, e, e), c.attend(h, s, s, e/h), c.MatMul(2, s, e, c.scaled("mlpRatio", e)))
	},
	Lower: lowerDiT,
	Torch: `DiTBlock({{embedDim}}, {{numHeads}}, int({{embedDim}} * {{mlpRatio}}))`,
	Module: `class DiTBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = [nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6) for _ in range(2)]
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(approximate="tanh"), nn.Linear(hidden, dim))
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(dim, 6 * dim))

    def forward(self, x, condition):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulation(condition)[:, None].chunk(6, -1)
        qkv = self.qkv(self.norm1(x) * (1 + scale1) + shift1).chunk(3, -1)
        q, k, v = [t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in qkv]
        x = x + gate1 * self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + gate2 * self.mlp(self.norm2(x) * (1 + scale2) + shift2)
`,
	WeightFormula: "10*embedDim*embedDim + 11*embedDim + floor(embedDim*mlpRatio)*(2*embedDim+1)",
	FLOPsFormula:  "12*embedDim*embedDim + 8*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim + 4*in[0]*embedDim*floor(embedDim*mlpRatio)",
	Examples: []Example{
		{In: "[3,20] [20]", Args: "embedDim=20 numHeads=4 mlpRatio=2.5", Out: "[3,20]", Weights: 6270, FLOPs: 27120},
		{In: "[6,9] [9]", Args: "embedDim=9 numHeads=3 mlpRatio=2.5", Out: "[6,9]", Weights: 1327, FLOPs: 10908},
		{In: "[3,20] [20]", Args: "embedDim=20 numHeads=3", Err: "embedDim 20 is not divisible by 3 heads"},
		{In: "[3,20] [4,20]", Args: "embedDim=20 numHeads=4", Err: "the condition must be one vector (features), got [4,20]"},
		{In: "[3,20] [16]", Args: "embedDim=20 numHeads=4", Err: "embedDim is 20 but the condition has 16 features"},
		{In: "[3,20] [20]", Args: "embedDim=20 numHeads=4 mlpRatio=0.01", Err: "mlpRatio is 0.01, which leaves no width"},
	},
})

func ditShape(c *Call) (Shape, error) {
	out, err := c.headsOf()
	if err != nil {
		return out, err
	}
	e, condition := c.Int("embedDim"), c.In[1]
	switch {
	case c.scaled("mlpRatio", e) < 1:
		return out, c.Errorf(BadParam, "mlpRatio is %v, which leaves no width inside for an embedDim of %d", c.arg("mlpRatio"), e)
	case condition.Rank() != 1:
		return out, c.Errorf(RankMismatch, "the condition must be one vector (features), got %v", condition)
	case condition[0] != e:
		return out, c.Errorf(FeatureMismatch, "embedDim is %d but the condition has %d features", e, condition[0]).Wants(1, At(-1), e)
	}
	return out, nil
}

// scaled is a size multiplied by a ratio and rounded towards zero, as Python's int does.
func (c *Call) scaled(ratio string, size int64) int64 {
	n := float64(size) * c.Float(ratio)
	if n > 1<<62 {
		return c.Mul(1<<62, 4) // does not fit
	}
	return int64(max(n, -1))
}

// lowerDiT is a block that a condition shifts, scales and gates.
func lowerDiT(l *Lowering) op.Value {
	p, x, s, e, heads := l.P, l.X[0], l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	one := []int64{1, e}
	six := op.View(p, l.Map(l.activate("silu", l.X[1]), "modulation.1"), 1, 6*e)
	by := op.Split(p, six, one, one, one, one, one, one)
	steer := func(x op.Value, shift, scale int) op.Value {
		return op.Add(p, op.Mul(p, op.LayerNorm(p, x, e), op.Scale(p, by[scale])), by[shift])
	}
	row, head := []int64{s, e}, []int64{heads, s, e / heads}
	qkv := op.Split(p, l.Map(steer(x, 0, 1), "qkv"), row, row, row)
	h := op.Heads{Queries: s, Keys: s, Count: heads, Features: e / heads, Values: e / heads}
	q, k, v := op.View(p, qkv[0], head...), op.View(p, qkv[1], head...), op.View(p, qkv[2], head...)
	y := l.attend(q, k, v, op.None, h, inHeads{sliced: true})
	x = op.Add(p, x, op.Mul(p, by[2], l.Map(y, "proj")))
	steered := steer(x, 3, 4)
	y = l.named(l.Map(l.activate("gelu", l.Map(steered, "mlp.0")), "mlp.2"), steered)
	return l.named(op.Add(p, x, op.Mul(p, by[5], y)), q)
}
