package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "attentionPool",
	Title: "A trained query that sums a sequence up",
	Doc: `One trained vector attends to a sequence (sequence, embedDim) with numHeads heads; the result is one vector of embedDim features whatever the length. ` +
		`The heads must divide embedDim.`,
	Source:  "Lee et al. 2019, Set Transformer, section 3.2 with one seed; timm AttentionPoolLatent without its mlp",
	Group:   Attention,
	Aliases: []string{"attentionPooling"},
	Traits:  IsAttention | HasActivation,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Writes: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 8, Aliases: []string{"heads"}, Doc: "number of heads"},
	},
	Shape: func(c *Call) (Shape, error) { return Of(c.Int("embedDim")), c.dividedSequence() },
	Weights: func(c *Call) {
		e := c.Int("embedDim")
		c.Weight("query", 1, e)
		for _, name := range []string{"q", "k", "v", "proj"} {
			c.Linear(name, e, e, true)
		}
	},
	FLOPs: func(c *Call) int64 {
		s, e := c.In[0][0], c.Int("embedDim")
		return c.Add(c.MatMul(2, 1, e, e), c.MatMul(2, s, e, e), c.MatMul(2, s, e, 1))
	},
	Lower: func(l *Lowering) op.Value {
		p, s, e, h := l.P, l.In[0][0], l.Int("embedDim"), l.Int("numHeads")
		q := l.heads(l.Map(op.Expanded(p, l.W("query"), 1, e), "q"), 1, h, e/h)
		k, v := l.heads(l.Map(l.X[0], "k"), s, h, e/h), l.heads(l.Map(l.X[0], "v"), s, h, e/h)
		y := l.joinHeads(l.attendByProducts(q, k, v), 1, h, e/h)
		return op.View(p, l.Map(y, "proj"), e)
	},
	Torch: `AttentionPool({{embedDim}}, {{numHeads}})`,
	Module: `class AttentionPool(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.query = heads, nn.Parameter(torch.randn(1, dim))
        self.q, self.k, self.v, self.proj = (nn.Linear(dim, dim) for _ in range(4))

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, x):
        q = self.split(self.q(self.query.expand(x.shape[0], 1, -1)))
        w = torch.softmax(torch.bmm(q, self.split(self.k(x)).transpose(1, 2)) * q.shape[-1] ** -0.5, -1)
        y = torch.bmm(w, self.split(self.v(x))).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2)
        return self.proj(y)[:, 0]
`,
	WeightFormula: "4*embedDim*embedDim + 5*embedDim",
	FLOPsFormula:  "4*(in[0] + 1)*embedDim*embedDim + 4*in[0]*embedDim",
	Examples: []Example{
		{In: "[49,64]", Args: "embedDim=64", Out: "[64]", Weights: 16704, FLOPs: 831744},
		{In: "[5,6]", Args: "embedDim=6 numHeads=3", Out: "[6]", Weights: 174, FLOPs: 984},
		{In: "[49,64]", Args: "embedDim=64 numHeads=7", Err: "embedDim 64 is not divisible by numHeads 7"},
		{In: "[49,64]", Args: "embedDim=32", Err: "embedDim is 32 but 64 features arrive"},
	},
})

// dividedSequence refuses what is no sequence of embedDim features that the heads divide.
func (c *Call) dividedSequence() error {
	if err := c.sequence(AttentionInMismatch, "embedDim"); err != nil {
		return err
	}
	return c.dividedByHeads(1)
}

// dividedByHeads refuses features that heads of so many parts do not divide.
func (c *Call) dividedByHeads(parts int64) error {
	e, h := c.Int("embedDim"), c.Int("numHeads")
	switch {
	case e%c.Mul(parts, h) == 0:
		return nil
	case parts == 1:
		return c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by numHeads %d", e, h)
	}
	return c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by %d times numHeads %d", e, parts, h)
}
