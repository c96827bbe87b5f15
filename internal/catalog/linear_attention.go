package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "linearAttention",
	Title:  "Attention whose cost grows linearly with the sequence",
	Doc:    `Attends without scores between all pairs of positions: keys and values are first summed into one matrix for each head, which every query then reads. Queries and keys pass elu(x)+1 to stay positive. It takes (sequence, embedDim); the heads must divide embedDim. It is not causal: every position sees the whole sequence.`,
	Source: "Katharopoulos et al. 2020, Transformers are RNNs; idiap/fast-transformers LinearAttention",
	Group:  Attention,
	Traits: IsAttention | HasActivation | KeepsShape,
	Params: headParams(Param{Name: "bias", Kind: Bool, Default: true, Doc: "whether the four linear layers add a bias"}),
	Shape:  (*Call).headsOf,
	Weights: func(c *Call) {
		for _, name := range []string{"q_proj", "k_proj", "v_proj", "out_proj"} {
			c.Linear(name, c.Int("embedDim"), c.Int("embedDim"), c.Bool("bias"))
		}
	},
	FLOPs: linearAttentionFLOPs,
	Lower: lowerLinearAttention,
	Torch: `LinearAttention({{embedDim}}, {{numHeads}}, {{bias}})`,
	Module: `class LinearAttention(nn.Module):
    def __init__(self, dim, heads, bias):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(dim, dim, bias=bias) for _ in range(4))

    def forward(self, x):
        q, k, v = (m(x).unflatten(2, (self.heads, -1)) for m in (self.q_proj, self.k_proj, self.v_proj))
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("nshd,nshm->nhmd", k, v)
        z = 1 / (torch.einsum("nlhd,nhd->nlh", q, k.sum(1)) + 1e-6)
        y = torch.einsum("nlhd,nhmd,nlh->nlhm", q, kv, z)
        return self.out_proj(y.reshape(x.shape))
`,
	WeightFormula: "4*embedDim*(embedDim + bias)",
	FLOPsFormula: "8*in[0]*embedDim*embedDim + (in[0] > 1)*2*in[0]*embedDim*(embedDim/numHeads) + " +
		"(embedDim > numHeads)*2*in[0]*embedDim*(embedDim/numHeads + 1)",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 numHeads=4", Out: "[12,16]", Weights: 1088, FLOPs: 28032},
		{In: "[1,6]", Args: "embedDim=6 numHeads=2 bias=false", Out: "[1,6]", Weights: 144, FLOPs: 336},
		{In: "[7,3]", Args: "embedDim=3 numHeads=3", Out: "[7,3]", Weights: 48, FLOPs: 546},
		{In: "[12,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by 3 heads"},
		{In: "[12,16]", Args: "embedDim=32 numHeads=4", Err: "embedDim is 32 but 16 features arrive"},
	},
})

// linearAttentionFLOPs leaves out what einsum multiplies element by element, because the axis that it sums over has one
// entry: no matrix product is there to be counted.
func linearAttentionFLOPs(c *Call) int64 {
	s, e := c.In[0][0], c.Int("embedDim")
	d := e / c.Int("numHeads")
	n := c.MatMul(4, s, e, e)
	if s > 1 { // keys with values
		n = c.Add(n, c.MatMul(1, s, e, d))
	}
	if d > 1 { // queries with the sum of the keys, and with what the keys and values came to
		n = c.Add(n, c.MatMul(1, s, e, 1), c.MatMul(1, s, e, d))
	}
	return n
}

// lowerLinearAttention has torch.einsum's products, for each of which an operand is copied so that its heads lie one
// after the other.
func lowerLinearAttention(l *Lowering) op.Value {
	p, x, s, e, h := l.P, l.X[0], l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
	d := e / h
	q, k := op.View(p, l.Map(x, "q_proj"), h, s, d), op.View(p, l.Map(x, "k_proj"), h, s, d)
	v := op.View(p, l.Map(x, "v_proj"), h, s, d)
	q, k = l.both(func(x op.Value) op.Value { return op.Scale(p, op.OfInput(p, x)) }, q, k)
	kv := op.Contract(p, op.View(p, l.headByHead(k, false), h, d, s), l.headByHead(v, false))
	ones := op.Contract(p, l.headByHead(q, d == 1), op.View(p, op.Sum(p, k, h, 1, d), h, d, 1))
	z := op.Scale(p, op.WideOfOutput(p, op.Scale(p, ones)))
	y := op.Mul(p, op.Contract(p, l.headByHead(q, d == 1), kv), z)
	return l.named(l.Map(op.Contiguous(p, y, s, e), "out_proj"), q, k, v, kv, y)
}
