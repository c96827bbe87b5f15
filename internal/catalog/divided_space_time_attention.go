package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "dividedSpaceTimeAttention",
	Title: "Attention over time, then over space",
	Doc: `Each patch of a video (frames, patches, embedDim) attends to the same patch of all frames, then to all patches of its frame; both stand behind a layer norm and have a residual connection, ` +
		`and the first has a further linear layer behind it. The heads must divide embedDim. There is no class token and no feed-forward network in it.`,
	Source: "Bertasius et al. 2021; facebookresearch/TimeSformer vit.py Block with divided_space_time, without class token and mlp",
	Group:  Attention,
	Traits: IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 8, Aliases: []string{"heads"}, Doc: "number of heads of both attentions"},
		{Name: "qkvBias", Kind: Bool, Default: false, Doc: "whether queries, keys and values have a bias"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, "(frames, patches, features)"); err != nil {
			return nil, err
		}
		if err := c.Match(AttentionInMismatch, "embedDim", "feature"); err != nil {
			return c.In[0], err
		}
		return c.In[0], c.dividedByHeads(1)
	},
	Weights: func(c *Call) {
		e := c.Int("embedDim")
		for _, name := range []string{"temporal", "spatial"} {
			c.normWeights(name+"_norm", e, true)
			c.Linear(name+"_qkv", e, c.Mul(3, e), c.Bool("qkvBias"))
			c.Linear(name+"_proj", e, e, true)
		}
		c.Linear("temporal_fc", e, e, true)
	},
	FLOPs: func(c *Call) int64 {
		t, n, e := c.In[0][0], c.In[0][1], c.Int("embedDim")
		s := c.Mul(t, n)
		return c.Add(c.MatMul(9, s, e, e), c.MatMul(2, s, e, t), c.MatMul(2, s, e, n))
	},
	Lower: func(l *Lowering) op.Value {
		p, t, n, e := l.P, l.In[0][0], l.In[0][1], l.Int("embedDim")
		y := op.LayerNorm(p, l.X[0], e, l.Affine("temporal_norm")...)
		if t > 1 && n > 1 {
			y = op.Contiguous(p, y, n, t, e)
		}
		y = l.Map(l.attendInGroups(op.View(p, y, n*t, e), "temporal", n, t), "temporal_fc")
		x := op.Add(p, l.X[0], op.View(p, y, t, n, e))
		y = op.View(p, op.LayerNorm(p, x, e, l.Affine("spatial_norm")...), t*n, e)
		return op.Add(p, x, op.View(p, l.attendInGroups(y, "spatial", t, n), t, n, e))
	},
	Torch: `DividedSpaceTimeAttention({{embedDim}}, {{numHeads}}, qkv_bias={{qkvBias}})`,
	Module: `class DividedSpaceTimeAttention(nn.Module):
    def __init__(self, dim, heads, qkv_bias=False):
        super().__init__()
        self.heads = heads
        self.temporal_norm, self.spatial_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.temporal_qkv, self.spatial_qkv = (nn.Linear(dim, 3 * dim, bias=qkv_bias) for _ in range(2))
        self.temporal_proj, self.spatial_proj, self.temporal_fc = (nn.Linear(dim, dim) for _ in range(3))

    def attend(self, x, qkv, proj):
        q, k, v = (y.unflatten(2, (self.heads, -1)).transpose(1, 2).flatten(0, 1) for y in qkv(x).chunk(3, -1))
        w = torch.softmax(torch.bmm(q, k.transpose(1, 2)) * q.shape[-1] ** -0.5, -1)
        return proj(torch.bmm(w, v).unflatten(0, (-1, self.heads)).transpose(1, 2).flatten(2))

    def forward(self, x):
        b, t, n, e = x.shape
        y = self.temporal_norm(x).transpose(1, 2).reshape(b * n, t, e)
        y = self.temporal_fc(self.attend(y, self.temporal_qkv, self.temporal_proj))
        x = x + y.view(b, n, t, e).transpose(1, 2)
        y = self.attend(self.spatial_norm(x).view(b * t, n, e), self.spatial_qkv, self.spatial_proj)
        return x + y.view(b, t, n, e)
`,
	WeightFormula: "9*embedDim*embedDim + 7*embedDim + 6*qkvBias*embedDim",
	FLOPsFormula:  "18*size(in)*embedDim + 4*size(in)*(in[0] + in[1])",
	Examples: []Example{
		{In: "[4,9,16]", Args: "embedDim=16", Out: "[4,9,16]", Weights: 2416, FLOPs: 195840},
		{In: "[2,3,4]", Args: "embedDim=4 numHeads=2 qkvBias=true", Out: "[2,3,4]", Weights: 196, FLOPs: 2208},
		{In: "[4,9,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[36,16]", Args: "embedDim=16", Err: "takes (frames, patches, features), got [36,16]"},
	},
})

// attendInGroups is attention within groups of so many positions each, with one map for queries, keys and values.
func (l *Lowering) attendInGroups(x op.Value, name string, groups, size int64) op.Value {
	p, e, h := l.P, l.Int("embedDim"), l.Int("numHeads")
	row := Of(groups*size, e)
	qkv := op.Split(p, l.Map(x, name+"_qkv"), row, row, row)
	part := func(k int) op.Value {
		if h > 1 {
			return op.Contiguous(p, qkv[k], groups*h, size, e/h)
		}
		return op.View(p, qkv[k], groups*h, size, e/h)
	}
	y := l.attendByProducts(part(0), part(1), part(2))
	if h > 1 && size > 1 {
		y = op.Contiguous(p, y, row...)
	}
	return l.Map(op.View(p, y, row...), name+"_proj")
}
