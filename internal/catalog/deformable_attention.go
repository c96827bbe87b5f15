package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "deformableAttention",
	Title: "Attention to a few points at trained offsets",
	Doc: `Each pixel of an image (embedDim, height, width) reads numPoints places for each head, at offsets from itself that a linear layer gives, and weighs them with shares that another gives. ` +
		`The heads must divide embedDim. It is deformable attention with one level, in which every pixel asks.`,
	Source: "Zhu et al. 2021, Deformable DETR; fundamentalvision/Deformable-DETR ms_deform_attn.py over ms_deform_attn_core_pytorch",
	Group:  Attention,
	Traits: IsAttention | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(0), Doc: "number of channels"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 8, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "numPoints", Kind: Int, Min: 1, Default: 4, Aliases: []string{"nPoints"}, Doc: "places that each head reads"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		if err := c.Match(AttentionInMismatch, "embedDim", "channel"); err != nil {
			return c.In[0], err
		}
		return c.In[0], c.dividedByHeads(1)
	},
	Weights: func(c *Call) {
		e, points := c.Int("embedDim"), c.Mul(c.Int("numHeads"), c.Int("numPoints"))
		c.Linear("value_proj", e, e, true)
		c.Linear("output_proj", e, e, true)
		c.Linear("sampling_offsets", e, c.Mul(2, points), true)
		c.Linear("attention_weights", e, points, true)
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.MatMul(1, c.Mul(c.In[0][1], c.In[0][2]), e, c.Add(c.Mul(2, e), c.Mul(3, c.Int("numHeads"), c.Int("numPoints"))))
	},
	Lower: lowerDeformableAttention,
	Torch: `DeformableAttention({{embedDim}}, {{numHeads}}, {{numPoints}})`,
	Module: `class DeformableAttention(nn.Module):
    def __init__(self, dim, heads, points):
        super().__init__()
        self.heads, self.points = heads, points
        self.value_proj, self.output_proj = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.sampling_offsets, self.attention_weights = nn.Linear(dim, heads * points * 2), nn.Linear(dim, heads * points)

    def forward(self, x):
        b, e, height, width = x.shape
        x = x.flatten(2).transpose(1, 2).contiguous()
        value = self.value_proj(x).transpose(1, 2).reshape(b * self.heads, -1, height, width)
        offsets = self.sampling_offsets(x).unflatten(2, (self.heads, self.points, 2)) / x.new_tensor([width, height])
        weights = torch.softmax(self.attention_weights(x).unflatten(2, (self.heads, self.points)), -1)
        rows = (torch.arange(height, device=x.device) + 0.5) / height
        columns = (torch.arange(width, device=x.device) + 0.5) / width
        centres = torch.stack(torch.meshgrid(rows, columns, indexing="ij")[::-1], -1).view(-1, 1, 1, 2)
        grid = (2 * (centres + offsets) - 1).transpose(1, 2).flatten(0, 1)
        y = F.grid_sample(value, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        y = (y * weights.transpose(1, 2).flatten(0, 1)[:, None]).sum(-1).view(b, e, -1).transpose(1, 2)
        return self.output_proj(y).transpose(1, 2).unflatten(2, (height, width))
`,
	WeightFormula: "(embedDim + 1)*(2*embedDim + 3*numHeads*numPoints)",
	FLOPsFormula:  "2*size(in)*(2*embedDim + 3*numHeads*numPoints)",
	Examples: []Example{
		{In: "[16,5,7]", Args: "embedDim=16", Out: "[16,5,7]", Weights: 2176, FLOPs: 143360},
		{In: "[6,1,2]", Args: "embedDim=6 numHeads=2 numPoints=3", Out: "[6,1,2]", Weights: 210, FLOPs: 720},
		{In: "[16,5,7]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[35,16]", Args: "embedDim=16", Err: "takes (channels, height, width), got [35,16]"},
	},
})

func lowerDeformableAttention(l *Lowering) op.Value {
	p, in, e, h, points := l.P, l.In[0], l.Int("embedDim"), l.Int("numHeads"), l.Int("numPoints")
	n := in[1] * in[2]
	x := op.View(p, l.X[0], n, e)
	if n > 1 && e > 1 {
		x = op.Contiguous(p, x, n, e)
	}
	value := op.View(p, l.Map(x, "value_proj"), h, e/h, in[1], in[2])
	if n > 1 {
		value = op.Contiguous(p, value, h, e/h, in[1], in[2])
	}
	offsets := op.Div(p, op.View(p, l.Map(x, "sampling_offsets"), n, h, points, 2), op.Constant(p, op.Float, true, 2))
	weights := op.Softmax(p, op.View(p, l.Map(x, "attention_weights"), n, h, points))
	grid := op.Scale(p, op.Add(p, op.Constant(p, op.Float, true, n, 1, 1, 2), offsets))
	shares := op.View(p, weights, h, 1, n, points)
	if n > 1 && h > 1 {
		grid, shares = op.Contiguous(p, grid, h, n, points, 2), op.Contiguous(p, shares, h, 1, n, points)
	}
	y := op.GridSample(p, value, grid, h, e/h, n, points)
	y = op.View(p, op.Sum(p, op.Mul(p, y, shares), h, e/h, n), n, e)
	return op.View(p, l.Map(y, "output_proj"), in...)
}
