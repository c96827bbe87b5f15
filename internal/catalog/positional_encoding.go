package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "positionalEncoding",
	Title:   "Adds fixed sinusoids that tell positions apart",
	Doc:     `Adds a fixed vector of sines and cosines to each position of a sequence (sequence, embedDim). It has no weights. A sequence longer than maxLen does not run.`,
	Source:  "Vaswani et al. 2017, section 3.5",
	Group:   Embeddings,
	Aliases: []string{"sinusoidalPositionalEncoding", "sinusoidalEmbedding"},
	Traits:  IsPositional | KeepsShape,
	Params:  positionParams(),
	Ints:    IntsKept,
	Shape:   positionShape,
	Lower: func(l *Lowering) op.Value {
		dtype := op.Float
		if l.OutIsInt {
			dtype = op.Int64
		}
		table := l.P.Buffer(dtype, l.Int("maxLen"), l.Int("embedDim"))
		return op.Add(l.P, l.X[0], op.View(l.P, table, l.In[0]...))
	},
	Torch: `PositionalEncoding({{maxLen}}, {{embedDim}})`,
	Module: `class PositionalEncoding(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        angle = torch.arange(max_len)[:, None] * torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
        table = torch.stack([angle.sin(), angle.cos()], 2).flatten(1)[:, :dim]
        self.register_buffer("table", table, persistent=False)

    def forward(self, x):
        return x + self.table[: x.shape[1]].to(x.dtype)
`,
	Examples: []Example{
		{In: "[12,16]", Args: "maxLen=32 embedDim=16", Out: "[12,16]"},
		{In: "[12,15]", Args: "max_seq_len=12 d_model=15", Out: "[12,15]"},
		{In: "[12,16]", Args: "maxLen=8 embedDim=16", Err: "maxLen is 8 but 12 positions arrive"},
		{In: "[12,16]", Args: "maxLen=32 embedDim=8", Err: "embedDim is 8 but 16 features arrive"},
		{In: "[16]", Args: "maxLen=32 embedDim=16", Err: "takes (sequence, features), got [16]"},
	},
})

func positionParams() []Param {
	return []Param{
		{Name: "maxLen", Kind: Int, Reads: At(0), Aliases: []string{"maxPositionEmbeddings", "numPositions"}, Doc: "the longest sequence"},
		{Name: "embedDim", Kind: Int, Reads: At(-1), Doc: "size of the last axis of the input"},
	}
}

// positionShape accepts a sequence that is not longer than maxLen.
func positionShape(c *Call) (Shape, error) {
	if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
		return nil, err
	}
	if n, got := c.Int("maxLen"), c.In[0][0]; got > n {
		return c.In[0], c.Errorf(SequenceExceedsPosition, "maxLen is %d but %s", n, arrive(got, "position")).SetInt("maxLen", got)
	}
	return c.In[0], nil
}
