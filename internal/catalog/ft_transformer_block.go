package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "ftTransformerBlock",
	Title: "A transformer layer over the features of a table",
	Doc: `Attention and a feed-forward network with ReGLU, each behind a layer norm and with a residual connection, over (features, embedDim), one token for each column of a table. ` +
		`The heads must divide embedDim; with one head there is no map behind the attention. ffDim is 4/3 of embedDim, rounded down, if left out.`,
	Source: "Gorishniy et al. 2021; yandex-research/rtdl FTTransformer",
	Group:  Blocks,
	Traits: IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"dToken"}, Doc: "features of a token"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 8, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "ffDim", Kind: Int, Min: 1, Aliases: []string{"ffnDim"}, Doc: "hidden features of the network",
			Derive: func(c *Call) int64 { return c.Int("embedDim") * 4 / 3 }, DeriveDoc: "4*embedDim/3"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) {
		e, f := c.Int("embedDim"), c.Int("ffDim")
		c.normWeights("norm0", e, true)
		c.normWeights("norm1", e, true)
		for _, name := range []string{"q", "k", "v"} {
			c.Linear(name, e, e, true)
		}
		if c.Int("numHeads") > 1 {
			c.Linear("out", e, e, true)
		}
		c.Linear("first", e, c.Mul(2, f), true)
		c.Linear("second", f, e, true)
	},
	FLOPs: func(c *Call) int64 {
		s, e, maps := c.In[0][0], c.Int("embedDim"), int64(3)
		if c.Int("numHeads") > 1 {
			maps = 4
		}
		return c.Add(c.MatMul(maps, s, e, e), c.MatMul(2, s, e, s), c.MatMul(3, s, e, c.Int("ffDim")))
	},
	Lower: func(l *Lowering) op.Value {
		p, s, e, h, f := l.P, l.In[0][0], l.Int("embedDim"), l.Int("numHeads"), l.Int("ffDim")
		y := op.LayerNorm(p, l.X[0], e, l.Affine("norm0")...)
		part := func(name string) op.Value { return l.heads(l.Map(y, name), s, h, e/h) }
		y = l.joinHeads(l.attendByProducts(part("q"), part("k"), part("v")), s, h, e/h)
		if h > 1 {
			y = l.Map(y, "out")
		}
		x := op.Add(p, l.X[0], y)
		parts := op.Split(p, l.Map(op.LayerNorm(p, x, e, l.Affine("norm1")...), "first"), Of(s, f), Of(s, f))
		return op.Add(p, x, l.Map(op.Mul(p, parts[0], op.OfOutput(p, parts[1])), "second"))
	},
	Torch: `FTTransformerBlock({{embedDim}}, {{numHeads}}, {{ffDim}})`,
	Module: `class FTTransformerBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.heads, self.norm0, self.norm1 = heads, nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.out = nn.Linear(dim, dim) if heads > 1 else nn.Identity()
        self.first, self.second = nn.Linear(dim, 2 * hidden), nn.Linear(hidden, dim)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x):
        y = self.norm0(x)
        q, k, v = self.split(self.q(y)), self.split(self.k(y)), self.split(self.v(y))
        w = torch.softmax(torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5, -1)
        x = x + self.out(torch.bmm(w, v).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2))
        a, b = self.first(self.norm1(x)).chunk(2, -1)
        return x + self.second(a * F.relu(b))
`,
	WeightFormula: "(3 + (numHeads > 1))*(embedDim*embedDim + embedDim) + 3*embedDim*ffDim + 2*ffDim + 5*embedDim",
	FLOPsFormula:  "2*in[0]*embedDim*((3 + (numHeads > 1))*embedDim + 2*in[0] + 3*ffDim)",
	Examples: []Example{
		{In: "[10,24]", Args: "embedDim=24", Out: "[10,24]", Weights: 4888, FLOPs: 101760},
		{In: "[3,5]", Args: "embedDim=5 numHeads=1 ffDim=4", Out: "[3,5]", Weights: 183, FLOPs: 990},
		{In: "[10,24]", Args: "embedDim=24 numHeads=5", Err: "embedDim 24 is not divisible by numHeads 5"},
		{In: "[24]", Args: "embedDim=24", Err: "takes (sequence, features), got [24]"},
	},
})
