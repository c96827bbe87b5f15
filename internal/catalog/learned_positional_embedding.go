package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "learnedPositionalEmbedding",
	Title:   "Adds a trained vector to each position",
	Doc:     `Adds the first rows of a trained table to the positions of a sequence (sequence, embedDim), as GPT-2 and BERT do. A sequence longer than maxLen does not run.`,
	Source:  "Gehring et al. 2017, section 3.1; torch.nn.Embedding",
	Group:   Embeddings,
	Aliases: []string{"learnedPositionalEncoding", "positionEmbedding", "positionalEmbedding"},
	Traits:  IsPositional | KeepsShape,
	Params:  positionParams(),
	Ints:    IntsToFloat,
	Shape:   positionShape,
	Weights: func(c *Call) { c.Weight("weight", c.Int("maxLen"), c.Int("embedDim")) },
	Lower: func(l *Lowering) op.Value {
		rows := op.View(l.P, l.W("weight"), l.In[0]...)
		return op.Add(l.P, l.X[0], rows)
	},
	Torch: `LearnedPositionalEmbedding({{maxLen}}, {{embedDim}})`,
	Module: `class LearnedPositionalEmbedding(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_len, dim))

    def forward(self, x):
        return x + self.weight[: x.shape[1]]
`,
	WeightFormula: "maxLen*embedDim",
	Examples: []Example{
		{In: "[12,16]", Args: "maxLen=32 embedDim=16", Out: "[12,16]", Weights: 512},
		{In: "[4,3]", Args: "maxSeqLen=4 hiddenDim=3", Out: "[4,3]", Weights: 12},
		{In: "[12,16]", Args: "maxLen=11 embedDim=16", Err: "maxLen is 11 but 12 positions arrive"},
		{In: "[12,16]", Args: "maxLen=32 embedDim=17", Err: "embedDim is 17 but 16 features arrive"},
	},
})
