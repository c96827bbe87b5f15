package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "classToken",
	Title:   "Puts a trained token before the sequence",
	Doc:     `Adds one trained token at the front of a sequence (sequence, embedDim), as BERT and vision transformers do: what it becomes behind the last block stands for the whole. The sequence grows by one, which encodings of positions behind it must allow for.`,
	Source:  "Devlin et al. 2018; Dosovitskiy et al. 2020, section 3.1",
	Group:   Embeddings,
	Aliases: []string{"clsToken"},
	Ints:    IntsToFloat,
	Params:  []Param{{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis of the input"}},
	Shape:   func(c *Call) (Shape, error) { return moreTokens(c, 1) },
	Weights: func(c *Call) { c.Weight("token", 1, 1, c.Int("embedDim")) },
	Lower: func(l *Lowering) op.Value {
		return op.Concatenate(l.P, l.Out, op.Expanded(l.P, l.W("token"), 1, l.Int("embedDim")), l.X[0])
	},
	Torch: `ClassToken({{embedDim}})`,
	Module: `class ClassToken(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, x):
        return torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1)
`,
	WeightFormula: "embedDim",
	Examples: []Example{
		{In: "[196,768]", Args: "embedDim=768", Out: "[197,768]", Weights: 768},
		{In: "[196,768]", Args: "embedDim=384", Err: "embedDim is 384 but 768 features arrive"},
		{In: "[768]", Args: "embedDim=768", Err: "takes (sequence, features), got [768]"},
	},
})

// moreTokens is the shape of a sequence that has grown by some tokens.
func moreTokens(c *Call, n int64) (Shape, error) {
	if err := c.Ranks(2, 2, "(sequence, features)"); err != nil {
		return nil, err
	}
	return c.In[0].With(0, c.Add(c.In[0][0], n)), c.Match(FeatureMismatch, "embedDim", "feature")
}
