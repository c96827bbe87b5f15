package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "deltaNet",
	Title: "Linear attention that corrects its memory",
	Doc: `Each head has a matrix that maps keys to values. At every position what it gives for the key is compared with the value, and the matrix is changed by a share of the difference; queries read it. ` +
		`Queries, keys and values come from linear layers behind short causal convolutions. It takes (sequence, embedDim); the heads must divide embedDim. ` +
		`The memory stated is that of the recurrence in PyTorch; the fused kernel keeps less.`,
	Source:  "Yang et al. 2024, Parallelizing Linear Transformers with the Delta Rule; fla.layers.DeltaNet",
	Group:   Recurrent,
	Aliases: []string{"deltaRule"},
	Traits:  IsRecurrent | HasActivation | KeepsShape,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis"},
		{Name: "numHeads", Kind: Int, Min: 1, Default: 4, Aliases: []string{"heads"}, Doc: "number of heads"},
		{Name: "convKernel", Kind: Int, Min: 1, Default: 4, Aliases: []string{"convSize"}, Doc: "positions that the convolutions see"},
	},
	Shape:   func(c *Call) (Shape, error) { return c.In[0], c.dividedSequence() },
	Weights: func(c *Call) { deltaOf(c).weights(c) },
	FLOPs:   func(c *Call) int64 { return deltaOf(c).flops(c) },
	State:   func(c *Call) int64 { return deltaOf(c).state(c) },
	Lower: func(l *Lowering) op.Value {
		y := deltaOf(&l.Call).lower(l, op.None)
		return l.Map(op.View(l.P, y, l.In[0][0], l.Int("embedDim")), "o_proj")
	},
	Torch:         `DeltaNet({{embedDim}}, {{numHeads}}, {{embedDim}} // {{numHeads}}, {{embedDim}} // {{numHeads}}, {{convKernel}})`,
	Module:        deltaModule,
	WeightFormula: "4*embedDim*embedDim + 3*embedDim*convKernel + embedDim*numHeads + embedDim/numHeads",
	FLOPsFormula:  "2*in[0]*embedDim*(4*embedDim + numHeads) + 6*embedDim*convKernel*(in[0] + convKernel - 1)",
	Examples: []Example{
		{In: "[10,16]", Args: "embedDim=16", Out: "[10,16]", Weights: 1284, FLOPs: 26752},
		{In: "[3,6]", Args: "embedDim=6 numHeads=2 convKernel=1", Out: "[3,6]", Weights: 177, FLOPs: 1044},
		{In: "[10,16]", Args: "embedDim=16 numHeads=3", Err: "embedDim 16 is not divisible by numHeads 3"},
		{In: "[16]", Args: "embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})

func deltaOf(c *Call) deltaSizes {
	e, h := c.Int("embedDim"), c.Int("numHeads")
	d := c.Part(e, h)
	return deltaSizes{e, h, d, d, c.Int("convKernel")}
}
