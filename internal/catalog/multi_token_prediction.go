package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "multiTokenPrediction",
	Title: "Logits of several tokens ahead",
	Doc: `numTokens heads, each with numLayers residual layers of SiLU and a linear layer without bias, give logits over the vocabulary of as many tokens ahead. ` +
		`It takes (sequence, embedDim); the result is (numTokens, sequence, vocabSize).`,
	Source:  "Cai et al. 2024; FasterDecoding/Medusa medusa_model.py",
	Group:   Blocks,
	Aliases: []string{"medusaHeads", "multiTokenHead"},
	Traits:  HasResidual | HasActivation,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "vocabSize", Kind: Int, Min: 1, Writes: At(-1), Doc: "size of the vocabulary"},
		{Name: "numTokens", Kind: Int, Min: 1, Default: 4, Writes: At(0), Aliases: []string{"numFutureTokens", "nPredict", "numHeads"}, Doc: "number of tokens ahead"},
		{Name: "numLayers", Kind: Int, Min: 1, Default: 1, Doc: "residual layers of each head"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return nil, err
		}
		return Of(c.Int("numTokens"), c.In[0][0], c.Int("vocabSize")), nil
	},
	Weights: func(c *Call) {
		e, n := c.Int("embedDim"), c.Int("numTokens")
		blocks := c.Mul(n, c.Int("numLayers"))
		c.LinearTimes(blocks, numbered("blocks.", 0, blocks), e, e, true)
		c.LinearTimes(n, numbered("heads.", 0, n), e, c.Int("vocabSize"), false)
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.MatMul(c.Int("numTokens"), c.In[0][0], e, c.Add(c.Mul(c.Int("numLayers"), e), c.Int("vocabSize")))
	},
	Lower: func(l *Lowering) op.Value {
		p, n, layers := l.P, l.Int("numTokens"), l.Int("numLayers")
		if n > MostParts || layers > MostParts/n {
			return op.None
		}
		ys := make([]op.Value, n)
		for k := range n {
			y := l.X[0]
			for layer := range layers {
				y = op.Add(p, y, op.OfInput(p, l.mapOf(y, l.Weights[0].Module, k*layers+layer)))
			}
			ys[k] = l.mapOf(y, l.Weights[2].Module, k)
		}
		return op.Concatenate(p, l.Out, ys...)
	},
	Torch: `MultiTokenPrediction({{embedDim}}, {{vocabSize}}, {{numTokens}}, {{numLayers}})`,
	Module: `class MultiTokenPrediction(nn.Module):
    def __init__(self, dim, vocab, tokens, layers):
        super().__init__()
        self.layers, self.blocks = layers, nn.ModuleList(nn.Linear(dim, dim) for _ in range(tokens * layers))
        self.heads = nn.ModuleList(nn.Linear(dim, vocab, bias=False) for _ in range(tokens))

    def forward(self, x):
        ys = []
        for k, head in enumerate(self.heads):
            y = x
            for linear in self.blocks[k * self.layers : (k + 1) * self.layers]:
                y = y + F.silu(linear(y))
            ys.append(head(y))
        return torch.stack(ys, 1)
`,
	WeightFormula: "numTokens*embedDim*(numLayers*(embedDim + 1) + vocabSize)",
	FLOPsFormula:  "2*numTokens*in[0]*embedDim*(numLayers*embedDim + vocabSize)",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 vocabSize=100", Out: "[4,12,100]", Weights: 7488, FLOPs: 178176},
		{In: "[3,4]", Args: "embedDim=4 vocabSize=5 numTokens=2 numLayers=2", Out: "[2,3,5]", Weights: 120, FLOPs: 624},
		{In: "[12,16]", Args: "embedDim=8 vocabSize=100", Err: "embedDim is 8 but 16 features arrive"},
		{In: "[16]", Args: "embedDim=16 vocabSize=100", Err: "takes (sequence, features), got [16]"},
	},
})
