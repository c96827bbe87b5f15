package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "transformerBlock",
	Title:   "Attention and feed-forward with residuals and normalisations",
	Doc:     `One layer of a transformer encoder over (sequence, embedDim), as torch.nn.TransformerEncoderLayer: self-attention and a feed-forward network, each with a residual connection and a layer normalisation, which comes first unless normFirst is false. The heads must divide embedDim, and the activation is relu or gelu.`,
	Source:  "torch.nn.TransformerEncoderLayer; Vaswani et al. 2017; Xiong et al. 2020 for normFirst",
	Group:   Blocks,
	Aliases: []string{"transformerEncoderLayer", "transformerEncoderBlock", "encoderLayer"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape,
	Params:  blockParams(),
	Shape:   multiHeadShape,
	Weights: blockWeights,
	FLOPs: func(c *Call) int64 {
		return c.Add(multiHeadFLOPs(c), c.MatMul(2, c.In[0][0], c.Int("embedDim"), c.Int("ffDim")))
	},
	Lower: lowerBlock,
	Torch: `nn.TransformerEncoderLayer({{embedDim}}, {{numHeads}}, {{ffDim}}, dropout={{dropout}}, activation={{activation}}, ` +
		`layer_norm_eps={{layerNormEps}}, batch_first=True, norm_first={{normFirst}}, bias={{bias}})`,
	WeightFormula: "4*embedDim*embedDim + 2*embedDim*ffDim + 2*embedDim + bias*(7*embedDim+ffDim)",
	FLOPsFormula:  "8*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim + 4*in[0]*embedDim*ffDim",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 numHeads=4", Out: "[12,16]", Weights: 3280, FLOPs: 82944},
		{In: "[5,6]", Args: "dModel=6 numHeads=2 dim_feedforward=8 activation=gelu bias=false normFirst=false", Out: "[5,6]", Weights: 252, FLOPs: 3000},
		{In: "[12,16]", Args: "embedDim=16 numHeads=5", Err: "embedDim 16 is not divisible by 5 heads"},
		{In: "[12,16]", Args: "embedDim=16 numHeads=4 activation=silu", Err: "activation is \"silu\" but takes one of relu, gelu"},
	},
})

// blockParams are those of torch.nn's transformer layers.
func blockParams() []Param {
	return headParams(
		ffDim(),
		Param{Name: "activation", Kind: String, Default: "relu", Values: []string{"relu", "gelu"}, Doc: "what stands inside the feed-forward network"},
		Param{Name: "normFirst", Kind: Bool, Default: true, Doc: "whether each part normalises its input, and not its result"},
		Param{Name: "bias", Kind: Bool, Default: true, Doc: "whether maps and normalisations add a bias"},
		innerDropout("probability of dropout in attention and feed-forward network"),
		Param{Name: "layerNormEps", Kind: Float, Default: 1e-5, Doc: "what the normalisations add to the variance"},
	)
}

func blockWeights(c *Call) {
	multiHeadOf(c).named("self_attn").weights(c)
	blockRestWeights(c, "norm1", "norm2")
}

// blockRestWeights declares the feed-forward network and the normalisations.
func blockRestWeights(c *Call, norms ...string) {
	e, f, bias := c.Int("embedDim"), c.Int("ffDim"), c.Bool("bias")
	c.Linear("linear1", e, f, bias)
	c.Linear("linear2", f, e, bias)
	for _, norm := range norms {
		c.normWeights(norm, e, bias)
	}
}

// normWeights declares a layer normalisation inside a block.
func (c *Call) normWeights(name string, size int64, bias bool) {
	c.weight(1, name, "weight", size)
	if bias {
		c.weight(1, name, "bias", size)
	}
}

// lowerBlock is torch.nn.TransformerEncoderLayer in training. It asks its attention for no weights, whatever is
// wanted elsewhere.
func lowerBlock(l *Lowering) op.Value {
	m := multiHeadOf(&l.Call).named("self_attn")
	if m.fastPath(l, l.X[0], l.X[0]) {
		return m.nativeBlock(l)
	}
	return l.residuals(l.X[0], func(x op.Value) op.Value { return m.lower(l, x, x, false) }, l.blockFeed)
}

// blockFeed is the feed-forward network of torch.nn's transformer layers.
func (l *Lowering) blockFeed(x op.Value) op.Value {
	return l.Map(l.dropout(l.activate(l.Str("activation"), l.Map(x, "linear1"))), "linear2")
}

// residuals adds the results of parts to what arrives at each, and normalises what arrives or the sum.
func (l *Lowering) residuals(x op.Value, parts ...func(op.Value) op.Value) op.Value {
	first := l.Bool("normFirst")
	for k, part := range parts {
		norm := func(x op.Value) op.Value {
			return op.LayerNorm(l.P, x, l.Int("embedDim"), l.Affine(numbered("norm", int64(k+1), 1))...)
		}
		if first {
			y := norm(x)
			x = op.Add(l.P, x, l.named(l.dropout(part(y)), y))
		} else {
			x = norm(op.Add(l.P, x, l.dropout(part(x))))
		}
	}
	return x
}
