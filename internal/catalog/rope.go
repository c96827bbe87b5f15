package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "rope",
	Title:   "Turns pairs of features by an angle that grows with the position",
	Doc:     `Rotates each pair of features of a head, the first half with the second, by an angle proportional to the position, so that products of queries and keys depend on their distance alone. It takes (sequence, heads*headDim) or (heads, sequence, headDim) and has no weights. headDim must be even. Place one behind the queries and one behind the keys.`,
	Source:  "Su et al. 2021, RoFormer; transformers models/llama rotate_half",
	Group:   Embeddings,
	Aliases: []string{"rotaryEmbedding", "rotaryPositionalEmbedding", "rotary"},
	Traits:  IsPositional | KeepsShape,
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "headDim", Kind: Int, Min: 1, Doc: "features of one head"},
		{Name: "base", Kind: Float, Default: 10000.0, Aliases: []string{"theta", "ropeTheta"}, Doc: "the larger, the slower the slowest pair turns"},
	},
	Shape: ropeShape,
	Lower: func(l *Lowering) op.Value {
		if in, d := l.In[0], l.Int("headDim"); in.Rank() == 2 {
			return op.View(l.P, l.rotate(op.View(l.P, l.X[0], in[1]/d, in[0], d)), in...)
		}
		return l.rotate(l.X[0])
	},
	Torch: `Rope({{headDim}}, {{base}})`,
	Module: `class Rope(nn.Module):
    def __init__(self, head_dim, base):
        super().__init__()
        self.head_dim, self.base = head_dim, base

    def forward(self, x):
        folded = x.dim() == 3
        if folded:
            x = x.view(x.shape[0], x.shape[1], -1, self.head_dim).transpose(1, 2)
        s, d = x.shape[-2:]
        turns = 1.0 / self.base ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d)
        angle = (torch.arange(s, dtype=torch.float32, device=x.device)[:, None] * turns).repeat(1, 2)
        dtype = x.dtype if x.is_floating_point() else angle.dtype
        half = torch.cat((-x[..., d // 2 :], x[..., : d // 2]), -1)
        y = x * angle.cos().to(dtype) + half * angle.sin().to(dtype)
        return y.transpose(1, 2).flatten(2) if folded else y
`,
	Examples: []Example{
		{In: "[12,64]", Args: "headDim=16", Out: "[12,64]"},
		{In: "[4,12,16]", Args: "headDim=16 base=500000", Out: "[4,12,16]"},
		{In: "[12,64]", Args: "headDim=24", Err: "64 features arrive, which heads of 24 do not divide"},
		{In: "[4,12,16]", Args: "headDim=8", Err: "headDim is 8 but 16 features arrive"},
		{In: "[12,63]", Args: "headDim=7", Err: "headDim is 7 but must be even"},
		{In: "[12,64]", Args: "headDim=16 base=0", Err: "base is 0 but must be positive"},
		{In: "[64]", Args: "headDim=16", Err: "got [64]"},
	},
})

func ropeShape(c *Call) (Shape, error) {
	if err := c.Ranks(2, 3, "(sequence, heads*headDim) or (heads, sequence, headDim)"); err != nil {
		return nil, err
	}
	in, d := c.In[0], c.Int("headDim")
	switch features := in.At(-1); {
	case in.Rank() == 2 && features%d != 0:
		return in, c.Errorf(HeadDimDivisibility, "%s, which heads of %d do not divide", arrive(features, "feature"), d)
	case in.Rank() == 3 && features != d:
		r := c.Errorf(FeatureMismatch, "headDim is %d but %s", d, arrive(features, "feature")).Wants(0, At(-1), d)
		if features%2 == 0 {
			r.SetInt("headDim", features)
		}
		return in, r
	case d%2 != 0:
		return in, c.Errorf(OddRotary, "headDim is %d but must be even: features turn in pairs", d)
	case !(c.Float("base") > 0):
		return in, c.Errorf(BadParam, "base is %v but must be positive", c.arg("base"))
	}
	return in, nil
}
