package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "transformerDecoderBlock",
	Title:   "Causal attention, attention to a memory, and feed-forward",
	Doc:     `One layer of a transformer decoder over (sequence, embedDim), as torch.nn.TransformerDecoderLayer: causal self-attention, attention to the second input, the memory, and a feed-forward network, each with a residual connection and a layer normalisation, which comes first unless normFirst is false. Without a second input the memory is the first one itself. The memory must have embedDim features.`,
	Source:  "torch.nn.TransformerDecoderLayer; Vaswani et al. 2017, section 3.1",
	Group:   Blocks,
	Aliases: []string{"transformerDecoderLayer", "decoderLayer", "decoderBlock"},
	Traits:  IsAttention | HasResidual | HasNorm | HasActivation | KeepsShape | IsMerge | IsCausal | HasMemory,
	Inputs:  Arity{1, 2},
	Params:  blockParams(),
	Shape: func(c *Call) (Shape, error) {
		out, err := multiHeadShape(c)
		if err == nil && len(c.In) == 2 {
			err = c.secondStream("embedDim", false)
		}
		return out, err
	},
	Weights: func(c *Call) {
		m := multiHeadOf(c)
		m.named("self_attn").weights(c)
		m.named("multihead_attn").weights(c)
		blockRestWeights(c, "norm1", "norm2", "norm3")
	},
	FLOPs: func(c *Call) int64 {
		m, s := multiHeadOf(c), c.In[0][0]
		return c.Add(m.flops(c, s, s), m.flops(c, s, c.In[len(c.In)-1][0]), c.MatMul(2, s, m.dim, c.Int("ffDim")))
	},
	Lower: lowerDecoder,
	Torch: `DecoderBlock({{embedDim}}, {{numHeads}}, {{ffDim}}, dropout={{dropout}}, activation={{activation}}, ` +
		`layer_norm_eps={{layerNormEps}}, batch_first=True, norm_first={{normFirst}}, bias={{bias}})`,
	Module: `class DecoderBlock(nn.TransformerDecoderLayer):
    def forward(self, x, memory=None):
        ahead = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
        return super().forward(x, x if memory is None else memory, tgt_mask=ahead)
`,
	WeightFormula: "8*embedDim*embedDim + 2*embedDim*ffDim + 3*embedDim + bias*(12*embedDim+ffDim)",
	FLOPsFormula: "12*in[0]*embedDim*embedDim + 4*in(inputs()-1)[0]*embedDim*embedDim + 4*in[0]*(in[0]+in(inputs()-1)[0])*embedDim" +
		" + 4*in[0]*embedDim*ffDim",
	Examples: []Example{
		{In: "[9,8] [4,8]", Args: "embedDim=8 numHeads=2 activation=gelu normFirst=false", Out: "[9,8]", Weights: 1176, FLOPs: 20896},
		{In: "[4,20]", Args: "embedDim=20 numHeads=4 bias=false", Out: "[4,20]", Weights: 6460, FLOPs: 53760},
		{In: "[9,8] [4,6]", Args: "embedDim=8 numHeads=2", Err: "embedDim is 8 but 6 features arrive at the second input"},
		{In: "[9,8] [4,8]", Args: "embedDim=8 numHeads=3", Err: "embedDim 8 is not divisible by 3 heads"},
	},
})

// lowerDecoder is torch.nn.TransformerDecoderLayer in training, behind a causal mask.
func lowerDecoder(l *Lowering) op.Value {
	m, x := multiHeadOf(&l.Call), l.X[0]
	memory := l.X[len(l.X)-1]
	return l.residuals(x,
		func(x op.Value) op.Value { return m.named("self_attn").behindMask().lower(l, x, x, false) },
		func(x op.Value) op.Value { return m.named("multihead_attn").lower(l, x, memory, false) },
		l.blockFeed)
}
