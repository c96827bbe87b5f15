package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "coAttention",
	Title:  "Two sequences that attend to each other",
	Doc:    `Each of two sequences, (sequence, embedDim) and (sequence, kvDim), attends to the other, with a torch.nn.MultiheadAttention of its own. Both are computed; index says which result flows on, 0 for that of the first sequence, and the other is lost. The heads must divide both sizes.`,
	Source: "Lu et al. 2019, ViLBERT, section 3.1; torch.nn.MultiheadAttention",
	Group:  Attention,
	Traits: IsAttention | HasActivation | IsMerge,
	Inputs: Arity{2, 2},
	Params: headParams(
		Param{Name: "kvDim", Kind: Int, Min: 1, Aliases: []string{"kdim", "contextDim"}, Doc: "size of the last axis of the second input",
			Derive: func(c *Call) int64 { return c.Int("embedDim") }, DeriveDoc: "embedDim"},
		Param{Name: "index", Kind: Int, Max: 1, Default: 0, Doc: "which result flows on: 0 for the first sequence, 1 for the second"},
	),
	Shape: func(c *Call) (Shape, error) {
		if _, err := c.headsOf(); err != nil {
			return nil, err
		}
		if kv, h := c.Int("kvDim"), c.Int("numHeads"); kv%h != 0 {
			return nil, c.Errorf(HeadDimDivisibility, "kvDim %d is not divisible by %d heads", kv, h)
		}
		if err := c.secondStream("kvDim", false); err != nil {
			return nil, err
		}
		return c.In[c.Int("index")], nil
	},
	Weights: func(c *Call) {
		x, y := coAttention(c)
		x.weights(c)
		y.weights(c)
	},
	FLOPs: func(c *Call) int64 {
		x, y := coAttention(c)
		s, t := c.In[0][0], c.In[1][0]
		return c.Add(x.flops(c, s, t), y.flops(c, t, s))
	},
	Lower: func(l *Lowering) op.Value {
		x, y := coAttention(&l.Call)
		results := [2]op.Value{x.lower(l, l.X[0], l.X[1], l.Eager), y.lower(l, l.X[1], l.X[0], l.Eager)}
		return results[l.Int("index")]
	},
	Torch: `CoAttention({{embedDim}}, {{kvDim}}, {{numHeads}}, {{index}})`,
	Module: `class CoAttention(nn.Module):
    def __init__(self, dim, kv_dim, heads, index):
        super().__init__()
        self.x = nn.MultiheadAttention(dim, heads, kdim=kv_dim, vdim=kv_dim, batch_first=True)
        self.y = nn.MultiheadAttention(kv_dim, heads, kdim=dim, vdim=dim, batch_first=True)
        self.index = index

    def forward(self, x, y):
        return (self.x(x, y, y, need_weights=False)[0], self.y(y, x, x, need_weights=False)[0])[self.index]
`,
	WeightFormula: "2*embedDim*embedDim + 2*kvDim*kvDim + 4*embedDim*kvDim + 4*(embedDim+kvDim)",
	FLOPsFormula:  "4*(in[0]*embedDim*embedDim + in2[0]*kvDim*kvDim + (in[0]+in2[0])*embedDim*kvDim + in[0]*in2[0]*(embedDim+kvDim))",
	Examples: []Example{
		{In: "[11,12] [6,6]", Args: "embedDim=12 numHeads=3 kvDim=6", Out: "[11,12]", Weights: 720, FLOPs: 16848},
		{In: "[7,24] [8,24]", Args: "embedDim=24 numHeads=3 index=1", Out: "[8,24]", Weights: 4800, FLOPs: 79872},
		{In: "[7,24] [8,24]", Args: "embedDim=24 numHeads=3 index=2", Err: "index is 2 but takes an integer from 0 to 1"},
		{In: "[7,24] [8,20]", Args: "embedDim=24 numHeads=3 kvDim=20", Err: "kvDim 20 is not divisible by 3 heads"},
		{In: "[7,24] [8,12]", Args: "embedDim=24 numHeads=3", Err: "kvDim is 24 but 12 features arrive at the second input"},
		{In: "[7,24]", Args: "embedDim=24 numHeads=3", Err: "takes 2 inputs, got 1"},
	},
})

// coAttention is the attention of each sequence to the other.
func coAttention(c *Call) (x, y multiHead) {
	e, kv := c.Int("embedDim"), c.Int("kvDim")
	x = multiHeadOf(c).named("x").keysOf(kv)
	y = multiHead{module: "y", dim: kv, keyDim: e, heads: x.heads, bias: true}
	return x, y
}
