package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "registerTokens",
	Title:  "Puts trained tokens behind the sequence",
	Doc:    `Adds numTokens trained tokens at the end of a sequence (sequence, embedDim), in which a vision transformer can keep what belongs to no patch. The sequence grows by as many; what they become is not used, so cut them off behind the last block.`,
	Source: "Darcet et al. 2023, Vision Transformers Need Registers",
	Group:  Embeddings,
	Ints:   IntsToFloat,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "numTokens", Kind: Int, Min: 1, Aliases: []string{"numRegisters", "numRegisterTokens"}, Doc: "number of tokens"},
	},
	Shape:   func(c *Call) (Shape, error) { return moreTokens(c, c.Int("numTokens")) },
	Weights: func(c *Call) { c.Weight("tokens", 1, c.Int("numTokens"), c.Int("embedDim")) },
	Lower: func(l *Lowering) op.Value {
		return op.Concatenate(l.P, l.Out, l.X[0], op.Expanded(l.P, l.W("tokens"), l.Int("numTokens"), l.Int("embedDim")))
	},
	Torch: `RegisterTokens({{numTokens}}, {{embedDim}})`,
	Module: `class RegisterTokens(nn.Module):
    def __init__(self, n, dim):
        super().__init__()
        self.tokens = nn.Parameter(torch.zeros(1, n, dim))

    def forward(self, x):
        return torch.cat((x, self.tokens.expand(x.shape[0], -1, -1)), 1)
`,
	WeightFormula: "numTokens*embedDim",
	Examples: []Example{
		{In: "[197,768]", Args: "embedDim=768 numTokens=4", Out: "[201,768]", Weights: 3072},
		{In: "[197,768]", Args: "embedDim=384 numTokens=4", Err: "embedDim is 384 but 768 features arrive"},
		{In: "[197,768]", Args: "embedDim=768 numTokens=0", Err: "numTokens is 0 but takes an integer of at least 1"},
	},
})
