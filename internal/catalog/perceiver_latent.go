package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "perceiverLatent",
	Title: "Trained latents that attend to an input",
	Doc: `numLatents trained vectors of latentDim features attend to (sequence, inputDim) with numHeads heads of headDim features and go through a feed-forward network with GEGLU, ` +
		`each behind a layer norm and with a residual connection. The result is (numLatents, latentDim) whatever the length of the input.`,
	Source: "Jaegle et al. 2021, Perceiver; lucidrains/perceiver-pytorch, the latents and one cross-attention with its network",
	Group:  Blocks,
	Traits: IsAttention | HasResidual | HasNorm | HasActivation,
	Params: []Param{
		{Name: "numLatents", Kind: Int, Min: 1, Writes: At(0), Doc: "number of trained vectors, the length of the result"},
		{Name: "latentDim", Kind: Int, Min: 1, Writes: At(-1), Doc: "features of a latent, the last axis of the result"},
		{Name: "inputDim", Kind: Int, Min: 1, Reads: At(-1), Aliases: []string{"embedDim", "inFeatures"}, Doc: "features of the input"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 1, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "headDim", Kind: Int, Min: 1, Default: 64, Doc: "features of a head"},
	},
	Shape: func(c *Call) (Shape, error) {
		return Of(c.Int("numLatents"), c.Int("latentDim")), c.sequence(AttentionInMismatch, "inputDim")
	},
	Weights: func(c *Call) {
		d, in, inner := c.Int("latentDim"), c.Int("inputDim"), c.Mul(c.Int("numHeads"), c.Int("headDim"))
		c.Weight("latents", c.Int("numLatents"), d)
		c.normWeights("norm", d, true)
		c.normWeights("norm_context", in, true)
		c.normWeights("norm_ff", d, true)
		c.Linear("to_q", d, inner, false)
		c.Linear("to_kv", in, c.Mul(2, inner), false)
		c.Linear("to_out", inner, d, true)
		c.Linear("ff_in", d, c.Mul(8, d), true)
		c.Linear("ff_out", c.Mul(4, d), d, true)
	},
	FLOPs: func(c *Call) int64 {
		n, s, d, in, inner := c.Int("numLatents"), c.In[0][0], c.Int("latentDim"), c.Int("inputDim"), c.Mul(c.Int("numHeads"), c.Int("headDim"))
		return c.Add(c.MatMul(2, n, d, inner), c.MatMul(2, s, in, inner), c.MatMul(2, n, s, inner), c.MatMul(12, n, d, d))
	},
	Lower: func(l *Lowering) op.Value {
		p, n, s, d, h, size := l.P, l.Int("numLatents"), l.In[0][0], l.Int("latentDim"), l.Int("numHeads"), l.Int("headDim")
		y := op.Expanded(p, l.W("latents"), n, d)
		context := l.Map(op.LayerNorm(p, l.X[0], l.Int("inputDim"), l.Affine("norm_context")...), "to_kv")
		kv := op.Split(p, context, Of(s, h*size), Of(s, h*size))
		q := l.heads(l.Map(op.LayerNorm(p, y, d, l.Affine("norm")...), "to_q"), n, h, size)
		read := l.attendByProducts(q, l.heads(kv[0], s, h, size), l.heads(kv[1], s, h, size))
		y = op.Add(p, y, l.Map(l.joinHeads(read, n, h, size), "to_out"))
		parts := op.Split(p, l.Map(op.LayerNorm(p, y, d, l.Affine("norm_ff")...), "ff_in"), Of(n, 4*d), Of(n, 4*d))
		return op.Add(p, y, l.Map(op.Mul(p, parts[0], op.OfInput(p, parts[1])), "ff_out"))
	},
	Torch: `PerceiverLatent({{numLatents}}, {{latentDim}}, {{inputDim}}, {{numHeads}}, {{headDim}})`,
	Module: `class PerceiverLatent(nn.Module):
    def __init__(self, latents, dim, input_dim, heads, head_dim):
        super().__init__()
        self.heads, inner, self.latents = heads, heads * head_dim, nn.Parameter(torch.randn(latents, dim))
        self.norm, self.norm_context, self.norm_ff = nn.LayerNorm(dim), nn.LayerNorm(input_dim), nn.LayerNorm(dim)
        self.to_q, self.to_kv = nn.Linear(dim, inner, bias=False), nn.Linear(input_dim, 2 * inner, bias=False)
        self.to_out, self.ff_in, self.ff_out = nn.Linear(inner, dim), nn.Linear(dim, 8 * dim), nn.Linear(4 * dim, dim)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x):
        y = self.latents.expand(x.shape[0], -1, -1)
        k, v = self.to_kv(self.norm_context(x)).chunk(2, -1)
        q, k, v = self.split(self.to_q(self.norm(y))), self.split(k), self.split(v)
        w = torch.softmax(torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5, -1)
        y = y + self.to_out(torch.bmm(w, v).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2))
        a, b = self.ff_in(self.norm_ff(y)).chunk(2, -1)
        return y + self.ff_out(a * F.gelu(b))
`,
	WeightFormula: "numLatents*latentDim + 2*numHeads*headDim*(latentDim + inputDim) + 12*latentDim*latentDim + 14*latentDim + 2*inputDim",
	FLOPsFormula:  "4*numHeads*headDim*(numLatents*latentDim + in[0]*inputDim + numLatents*in[0]) + 24*numLatents*latentDim*latentDim",
	Examples: []Example{
		{In: "[50,16]", Args: "numLatents=8 latentDim=32 inputDim=16", Out: "[8,32]", Weights: 19168, FLOPs: 569344},
		{In: "[3,5]", Args: "numLatents=2 latentDim=4 inputDim=5 numHeads=2 headDim=3", Out: "[2,4]", Weights: 374, FLOPs: 1464},
		{In: "[50,16]", Args: "numLatents=8 latentDim=32 inputDim=12", Err: "inputDim is 12 but 16 features arrive"},
	},
})
