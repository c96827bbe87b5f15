package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "gatedDeltaNet",
	Title: "The delta rule with a memory that fades",
	Doc: `As deltaNet, and the matrix of each head fades at a rate that the position decides; the result is multiplied by a gate. Heads have headDim features for keys and expandV times as many for values, ` +
		`whatever embedDim is. It takes (sequence, embedDim). The memory stated is that of the recurrence in PyTorch; the fused kernel keeps less.`,
	Source: "Yang et al. 2025, Gated Delta Networks; fla.layers.GatedDeltaNet",
	Group:  Recurrent,
	Traits: IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 6, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "headDim", Kind: Int, Min: 1, Default: 256, Doc: "features of the keys of a head"},
		{Name: "expandV", Kind: Int, Min: 1, Default: 2, Doc: "how many times more features the values have"},
		{Name: "convKernel", Kind: Int, Min: 1, Default: 4, Aliases: []string{"convSize"}, Doc: "positions that the convolutions see"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.sequence(FeatureMismatch, "embedDim") },
	Weights: func(c *Call) {
		d := gatedDeltaOf(c)
		c.Weight("A_log", d.heads)
		c.Weight("dt_bias", d.heads)
		d.weights(c)
		c.Linear("a_proj", d.embed, d.heads, false)
		c.Linear("g_proj", d.embed, c.Mul(d.heads, d.values), false)
	},
	FLOPs: func(c *Call) int64 {
		d := gatedDeltaOf(c)
		return c.Add(d.flops(c), c.MatMul(1, c.In[0][0], d.embed, c.Add(d.heads, c.Mul(d.heads, d.values))))
	},
	State: func(c *Call) int64 { return gatedDeltaOf(c).state(c) },
	Lower: func(l *Lowering) op.Value {
		p, d, s := l.P, gatedDeltaOf(&l.Call), l.In[0][0]
		dt := op.WideOfInput(p, op.Add(p, l.Map(l.X[0], "a_proj"), l.W("dt_bias")))
		decay := op.WideOfOutput(p, op.Mul(p, op.Scale(p, op.WideOfOutput(p, l.W("A_log"))), dt))
		y := op.View(p, d.lower(l, decay), s, d.heads*d.values)
		return l.Map(op.Mul(p, y, op.OfInput(p, l.Map(l.X[0], "g_proj"))), "o_proj")
	},
	Torch:         `DeltaNet({{embedDim}}, {{numHeads}}, {{headDim}}, {{headDim}} * {{expandV}}, {{convKernel}}, gated=True)`,
	Module:        deltaModule,
	WeightFormula: "numHeads*headDim*((2 + expandV)*(embedDim + convKernel) + 2*expandV*embedDim) + 2*numHeads*embedDim + 2*numHeads + headDim*expandV",
	FLOPsFormula:  "2*in[0]*embedDim*numHeads*(headDim*(2 + 3*expandV) + 2) + 2*numHeads*headDim*(2 + expandV)*convKernel*(in[0] + convKernel - 1)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16 numHeads=2 headDim=4", Out: "[10,16]", Weights: 1228, FLOPs: 25088},
		{In: "[2,5]", Args: "embedDim=5 numHeads=1 headDim=3 expandV=1 convKernel=2", Out: "[2,5]", Weights: 108, FLOPs: 448},
		{In: "[10,16]", Args: "embedDim=12", Err: "embedDim is 12 but 16 features arrive"},
		{In: "[10,16]", Args: "embedDim=16 headDim=0", Err: "headDim is 0"},
	},
})

func gatedDeltaOf(c *Call) deltaSizes {
	d := c.Int("headDim")
	return deltaSizes{c.Int("embedDim"), c.Int("numHeads"), d, c.Mul(d, c.Int("expandV")), c.Int("convKernel")}
}
