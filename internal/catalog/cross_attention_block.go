package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "crossAttentionBlock",
	Title:   "Attention to another sequence, and feed-forward",
	Doc:     `The first input (sequence, embedDim) attends to the second (sequence, kvDim), both layer-normalised, then comes a feed-forward network with GELU; both parts have residual connections. The result has the shape of the first input. The heads must divide embedDim.`,
	Source:  "Jaegle et al. 2021, Perceiver, section 3.1; torch.nn.MultiheadAttention",
	Group:   Blocks,
	Aliases: []string{"perceiverCrossAttention"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape | IsMerge,
	Inputs:  Arity{2, 2},
	Params: headParams(
		Param{Name: "kvDim", Kind: Int, Min: 1, Aliases: []string{"kdim", "contextDim"}, Doc: "size of the last axis of the second input",
			Derive: func(c *Call) int64 { return c.Int("embedDim") }, DeriveDoc: "embedDim"},
		atLeastOne(ffDim()),
	),
	Shape: func(c *Call) (Shape, error) {
		out, err := c.headsOf()
		if err == nil {
			err = c.secondStream("kvDim", true)
		}
		return out, err
	},
	Weights: func(c *Call) {
		e, f := c.Int("embedDim"), c.Int("ffDim")
		crossOf(c).named("attention").weights(c)
		c.normWeights("norm", e, true)
		c.normWeights("norm_context", c.Int("kvDim"), true)
		c.normWeights("feed_forward.0", e, true)
		c.Linear("feed_forward.1", e, f, true)
		c.Linear("feed_forward.3", f, e, true)
	},
	FLOPs: func(c *Call) int64 {
		m, s := crossOf(c), c.In[0][0]
		return c.Add(m.flops(c, s, c.In[1][0]), c.MatMul(2, s, m.dim, c.Int("ffDim")))
	},
	Lower: func(l *Lowering) op.Value {
		p, e, x := l.P, l.Int("embedDim"), l.X[0]
		y := op.LayerNorm(p, l.X[1], l.Int("kvDim"), l.Affine("norm_context")...)
		m := crossOf(&l.Call).named("attention")
		query := op.LayerNorm(p, x, e, l.Affine("norm")...)
		x = op.Add(p, x, l.named(m.lower(l, query, y, l.Eager), query))
		h := l.Map(op.LayerNorm(p, x, e, l.Affine("feed_forward.0")...), "feed_forward.1")
		return l.named(op.Add(p, x, l.Map(l.activate("gelu", h), "feed_forward.3")), y)
	},
	Torch: `CrossAttentionBlock({{embedDim}}, {{kvDim}}, {{numHeads}}, {{ffDim}})`,
	Module: `class CrossAttentionBlock(nn.Module):
    def __init__(self, dim, kv_dim, heads, hidden):
        super().__init__()
        self.attention = nn.MultiheadAttention(dim, heads, kdim=kv_dim, vdim=kv_dim, batch_first=True)
        self.norm, self.norm_context = nn.LayerNorm(dim), nn.LayerNorm(kv_dim)
        self.feed_forward = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x, context):
        y = self.norm_context(context)
        x = x + self.attention(self.norm(x), y, y, need_weights=False)[0]
        return x + self.feed_forward(x)
`,
	WeightFormula: "2*embedDim*embedDim + 2*embedDim*kvDim + 2*embedDim*ffDim + 9*embedDim + 2*kvDim + ffDim",
	FLOPsFormula:  "4*in[0]*embedDim*embedDim + 4*in2[0]*kvDim*embedDim + 4*in[0]*in2[0]*embedDim + 4*in[0]*embedDim*ffDim",
	Examples: []Example{
		{In: "[8,5] [3,20]", Args: "embedDim=5 numHeads=1 kvDim=20", Out: "[8,5]", Weights: 555, FLOPs: 5680},
		{In: "[4,32] [2,32]", Args: "embedDim=32 numHeads=4 ffDim=53", Out: "[4,32]", Weights: 7893, FLOPs: 52736},
		{In: "[8,5] [3,20]", Args: "embedDim=5 numHeads=1", Err: "kvDim is 5 but 20 features arrive at the second input"},
		{In: "[8,5] [3,5]", Args: "embedDim=5 numHeads=2", Err: "embedDim 5 is not divisible by 2 heads"},
	},
})

// atLeastOne is a size that must not be zero.
func atLeastOne(p Param) Param { p.Min = 1; return p }
