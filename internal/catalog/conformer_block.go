package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "conformerBlock",
	Title:   "Attention and convolution between two half feed-forward networks",
	Doc:     `One layer of a speech encoder over (sequence, embedDim), as torchaudio's ConformerLayer: half a feed-forward network, self-attention, a gated depthwise convolution along the sequence, half a feed-forward network, each with a residual connection, and a layer normalisation. The kernel must be odd, so that the length is kept; the heads must divide embedDim. Its batch normalisation cannot train on a single value.`,
	Source:  "Gulati et al. 2020; torchaudio.models.conformer.ConformerLayer",
	Group:   Blocks,
	Aliases: []string{"conformerLayer", "conformer"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape,
	Params: headParams(
		ffDim(),
		Param{Name: "kernelSize", Kind: Int, Min: 1, Bools: true, Default: 31, Aliases: []string{"depthwiseConvKernelSize", "convKernel"}, Doc: "kernel of the depthwise convolution, an odd number"},
		Param{Name: "useGroupNorm", Kind: Bool, Default: false, Doc: "whether the convolution is normalised in one group, and not over the batch"},
		Param{Name: "convolutionFirst", Kind: Bool, Default: false, Doc: "whether the convolution comes before the attention"},
		innerDropout("probability of dropout in every part"),
	),
	Shape: func(c *Call) (Shape, error) {
		out, err := multiHeadShape(c)
		if k := c.Int("kernelSize"); err == nil && k%2 == 0 {
			err = c.Errorf(BadParam, "kernelSize is %d but must be odd, so that the length is kept", k)
		}
		return out, err
	},
	Weights: conformerWeights,
	FLOPs: func(c *Call) int64 {
		s, e := c.In[0][0], c.Int("embedDim")
		return c.Add(multiHeadFLOPs(c), c.MatMul(4, s, e, c.Int("ffDim")), c.MatMul(3, s, e, e), c.MatMul(1, s, e, c.Int("kernelSize")))
	},
	Lower:  lowerConformer,
	Torch:  `Conformer({{embedDim}}, {{ffDim}}, {{numHeads}}, {{kernelSize}}, {{dropout}}, {{useGroupNorm}}, {{convolutionFirst}})`,
	Module: conformerModule,
	WeightFormula: "4*embedDim*embedDim + 4*embedDim + 2*(2*embedDim*ffDim + ffDim + embedDim) + 3*embedDim*embedDim + 3*embedDim" +
		" + embedDim*(kernelSize+1) + 12*embedDim",
	FLOPsFormula: "14*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim + 8*in[0]*embedDim*ffDim + 2*in[0]*embedDim*kernelSize",
	Examples: []Example{
		{In: "[4,2]", Args: "embedDim=2 numHeads=1 kernelSize=5 useGroupNorm=true", Out: "[4,2]", Weights: 162, FLOPs: 944},
		{In: "[9,8]", Args: "embedDim=8 numHeads=2 ffDim=35", Out: "[9,8]", Weights: 2062, FLOPs: 35280},
		{In: "[9,8]", Args: "embedDim=8 numHeads=2 kernelSize=4", Err: "kernelSize is 4 but must be odd"},
		{In: "[9,8]", Args: "embedDim=8 numHeads=3", Err: "embedDim 8 is not divisible by 3 heads"},
	},
})

func conformerWeights(c *Call) {
	e, f := c.Int("embedDim"), c.Int("ffDim")
	for _, half := range []string{"ffn1.sequential", "ffn2.sequential"} {
		c.normWeights(half+".0", e, true)
		c.Linear(half+".1", e, f, true)
		c.Linear(half+".4", f, e, true)
	}
	c.normWeights("self_attn_layer_norm", e, true)
	multiHeadOf(c).named("self_attn").weights(c)
	c.normWeights("conv_module.layer_norm", e, true)
	c.Weight("conv_module.sequential.0.weight", c.Mul(2, e), e, 1)
	c.Weight("conv_module.sequential.0.bias", c.Mul(2, e))
	c.Weight("conv_module.sequential.2.weight", e, 1, c.Int("kernelSize"))
	c.Weight("conv_module.sequential.2.bias", e)
	c.normWeights("conv_module.sequential.3", e, true)
	c.Weight("conv_module.sequential.5.weight", e, e, 1)
	c.Weight("conv_module.sequential.5.bias", e)
	c.normWeights("final_layer_norm", e, true)
}

// lowerConformer is torchaudio's ConformerLayer, which has the positions in front of the batch.
func lowerConformer(l *Lowering) op.Value {
	x := l.halfStep(l.X[0], "ffn1.sequential")
	if l.Bool("convolutionFirst") {
		x = l.convolveAlong(x)
	}
	m := multiHeadOf(&l.Call).named("self_attn")
	m.positionsFirst = true
	y := op.LayerNorm(l.P, x, m.dim, l.Affine("self_attn_layer_norm")...)
	x = op.Add(l.P, l.dropout(m.lower(l, y, y, false)), x)
	if !l.Bool("convolutionFirst") {
		x = l.convolveAlong(x)
	}
	return op.LayerNorm(l.P, l.halfStep(x, "ffn2.sequential"), m.dim, l.Affine("final_layer_norm")...)
}

// halfStep adds half of a feed-forward network.
func (l *Lowering) halfStep(x op.Value, name string) op.Value {
	h := l.Map(op.LayerNorm(l.P, x, l.Int("embedDim"), l.Affine(name+".0")...), name+".1")
	h = l.Map(l.dropout(l.activate("silu", h)), name+".4")
	return op.Add(l.P, op.Scale(l.P, l.dropout(h)), x)
}

// convolveAlong adds a gated convolution along the sequence.
func (l *Lowering) convolveAlong(x op.Value) op.Value {
	const name = "conv_module.sequential."
	p, s, e := l.P, l.In[0][0], l.Int("embedDim")
	y := op.View(p, op.LayerNorm(p, x, e, l.Affine("conv_module.layer_norm")...), e, s)
	y = op.GLU(p, l.conv(y, name+"0", op.Geometry{Groups: 1}, s), e, s)
	y = l.conv(y, name+"2", op.Geometry{Groups: e}, s)
	if l.Bool("useGroupNorm") {
		y = op.GroupNorm(p, y, 1, l.Affine(name+"3")...)
	} else {
		y = l.batchNorm(y, name+"3")
	}
	y = l.conv(l.activate("silu", y), name+"5", op.Geometry{Groups: 1, Permuted: true}, s)
	return op.Add(p, x, op.View(p, l.dropout(y), s, e))
}

const conformerModule = `class Convolve(nn.Module):
    def __init__(self, dim, kernel, dropout, group_norm):
        super().__init__()
        self.layer_norm = nn.LayerNorm(dim)
        self.sequential = nn.Sequential(
            nn.Conv1d(dim, 2 * dim, 1), nn.GLU(dim=1), nn.Conv1d(dim, dim, kernel, padding=(kernel - 1) // 2, groups=dim),
            nn.GroupNorm(1, dim) if group_norm else nn.BatchNorm1d(dim), nn.SiLU(), nn.Conv1d(dim, dim, 1), nn.Dropout(dropout))

    def forward(self, x):
        return self.sequential(self.layer_norm(x).transpose(1, 2)).transpose(1, 2)


class HalfStep(nn.Module):
    def __init__(self, dim, hidden, dropout):
        super().__init__()
        self.sequential = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden), nn.SiLU(), nn.Dropout(dropout),
                                        nn.Linear(hidden, dim), nn.Dropout(dropout))

    def forward(self, x):
        return x + 0.5 * self.sequential(x)


class Conformer(nn.Module):
    def __init__(self, dim, hidden, heads, kernel, dropout, group_norm, convolution_first):
        super().__init__()
        self.ffn1, self.ffn2 = HalfStep(dim, hidden, dropout), HalfStep(dim, hidden, dropout)
        self.self_attn_layer_norm, self.final_layer_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.self_attn, self.self_attn_dropout = nn.MultiheadAttention(dim, heads, dropout=dropout), nn.Dropout(dropout)
        self.conv_module, self.convolution_first = Convolve(dim, kernel, dropout, group_norm), convolution_first

    def forward(self, x):
        x = self.ffn1(x)
        if self.convolution_first:
            x = x + self.conv_module(x)
        y = self.self_attn_layer_norm(x).transpose(0, 1)
        x = x + self.self_attn_dropout(self.self_attn(y, y, y, need_weights=False)[0]).transpose(0, 1)
        if not self.convolution_first:
            x = x + self.conv_module(x)
        return self.final_layer_norm(self.ffn2(x))
`
