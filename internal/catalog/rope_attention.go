package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "ropeAttention",
	Title:   "Attention with rotary positions inside",
	Doc:     `groupedQueryAttention whose queries and keys are turned by angles that grow with the position, as in Llama, so that no other encoding of positions is needed. Takes (sequence, embedDim). Each head must have an even number of features. With windowSize a position sees itself and the windowSize-1 before it.`,
	Source:  "Su et al. 2021; transformers LlamaAttention, Qwen3Attention for qkNorm, MistralAttention for windowSize",
	Group:   Attention,
	Aliases: []string{"rotaryAttention", "llamaAttention"},
	Traits:  IsAttention | HasActivation | KeepsShape | IsPositional,
	Params: groupedParams(atLeastOne(perHead()),
		Param{Name: "base", Kind: Float, Default: 10000.0, Aliases: []string{"ropeTheta", "theta"}, Doc: "what the wavelengths of the angles are powers of"},
		Param{Name: "windowSize", Kind: Int, Min: 1, Optional: true, Aliases: []string{"slidingWindow", "window"}, Doc: "how far back a position sees, itself included"},
	),
	Shape:   rotaryAttentionShape,
	Weights: groupedWeights,
	FLOPs:   groupedFLOPs,
	Lower:   func(l *Lowering) op.Value { return grouped{turns: true, windowed: l.Has("windowSize")}.lower(l) },
	Torch:   `RopeAttention({{embedDim}}, {{numHeads}}, {{numKVHeads}}, {{headDim}}, {{bias}}, {{outBias}}, {{qkNorm}}, {{causal}}, {{base}}, {{windowSize}}, dropout={{dropout}}, softcap={{softcap}}, clip={{clip}})`,
	Module: groupedModule + `

class RopeAttention(GroupedQueryAttention):
    def __init__(self, dim, heads, kv_heads, head_dim, bias, out_bias, qk_norm, causal, base, window, **given):
        super().__init__(dim, heads, kv_heads, head_dim, bias, out_bias, qk_norm, causal, **given)
        self.base, self.window = base, window

    def positions(self, x):
        i = torch.arange(x.shape[2], device=x.device)
        angle = i[:, None] * self.base ** (-torch.arange(0, self.head_dim, 2, device=x.device) / self.head_dim)
        angle = torch.cat((angle, angle), -1)
        a, b = x.chunk(2, -1)
        return x * angle.cos().to(x.dtype) + torch.cat((-b, a), -1) * angle.sin().to(x.dtype)

    def mask(self, x):
        if self.window is None:
            return None
        i = torch.arange(x.shape[1], device=x.device)
        away = i[:, None] - i[None, :]
        return (away >= 0) & (away < self.window)
`,
	WeightFormula: groupedWeightFormula,
	FLOPsFormula:  groupedFLOPsFormula,
	Examples: []Example{
		{In: "[9,8]", Args: "embedDim=8 numHeads=2 numKVHeads=2 outBias=true", Out: "[9,8]", Weights: 264, FLOPs: 7200},
		{In: "[6,12]", Args: "embedDim=12 numHeads=3 numKVHeads=1 bias=true qkNorm=true windowSize=4", Out: "[6,12]", Weights: 424, FLOPs: 6336},
		{In: "[6,12]", Args: "embedDim=12 numHeads=4", Err: "rotary positions need an even number of features in each head, but headDim is 3"},
		{In: "[6,12]", Args: "embedDim=12 numHeads=5", Err: "embedDim 12 is not divisible by 5 heads"},
		{In: "[6,12]", Args: "embedDim=12 numHeads=3 base=0", Err: "base is 0 but must be positive"},
	},
})

func rotaryAttentionShape(c *Call) (Shape, error) {
	out, err := groupedShape(c)
	if err != nil {
		return out, err
	}
	if d := c.Int("headDim"); d%2 != 0 {
		return out, c.Errorf(OddRotary, "rotary positions need an even number of features in each head, but headDim is %d", d)
	}
	if c.Float("base") <= 0 {
		return out, c.Errorf(BadParam, "base is %v but must be positive", c.arg("base"))
	}
	return out, nil
}
