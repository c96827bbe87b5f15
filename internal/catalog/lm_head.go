package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "lmHead",
	Title:   "Logits over a vocabulary",
	Doc:     `Maps the last axis to one logit for each token of the vocabulary, without a bias unless asked for. With tied or tiedTo it uses the table of an embedding, and its weight is counted once.`,
	Source:  "torch.nn.Linear; Press and Wolf 2017 for tied weights",
	Group:   Dense,
	Aliases: []string{"languageModelHead", "vocabHead"},
	Traits:  IsAffine | IsHead,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "vocabSize", Kind: Int, Writes: At(-1), Doc: "number of tokens"},
		{Name: "bias", Kind: Bool, Default: false, Doc: "whether a bias is added"},
		tiedTo, tied,
		{Name: "softcap", Kind: Float, Optional: true, Aliases: []string{"finalLogitSoftcapping"}, Doc: "logits go through softcap*tanh(logits/softcap)"},
	},
	Shape: func(c *Call) (Shape, error) {
		if c.In[0].Rank() == 0 {
			return nil, c.lastAxis(LinearInMismatch, "embedDim")
		}
		if err := c.lastAxis(LinearInMismatch, "embedDim"); err != nil {
			return c.In[0].With(-1, c.Int("vocabSize")), err
		}
		return c.In[0].With(-1, c.Int("vocabSize")), c.checkGiven()
	},
	Weights: func(c *Call) { c.Linear("", c.Int("embedDim"), c.Int("vocabSize"), c.Bool("bias")) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(1, c.positions(), c.Int("embedDim"), c.Int("vocabSize")) },
	Lower:   func(l *Lowering) op.Value { return l.capped(l.Map(l.X[0], "")) },
	Torch:   `nn.Linear({{embedDim}}, {{vocabSize}}, bias={{bias}})`,
	Given: &Given{Param: "softcap", Torch: `SoftcappedLinear({{embedDim}}, {{vocabSize}}, {{softcap}}, bias={{bias}})`,
		Module: `class SoftcappedLinear(nn.Linear):
    def __init__(self, dim, vocab, softcap, bias):
        super().__init__(dim, vocab, bias=bias)
        self.softcap = softcap

    def forward(self, x):
        return self.softcap * torch.tanh(super().forward(x) / self.softcap)
`},
	WeightFormula: "embedDim*vocabSize + bias*vocabSize",
	FLOPsFormula:  "2*size(out)*embedDim",
	Examples: []Example{
		{In: "[12,16]", Args: "embedDim=16 vocabSize=100", Out: "[12,100]", Weights: 1600, FLOPs: 38400},
		{In: "[16]", Args: "hiddenDim=16 numEmbeddings=10 bias=true", Out: "[10]", Weights: 170, FLOPs: 320},
		{In: "[12,16]", Args: "embedDim=16 vocabSize=100 softcap=30", Out: "[12,100]", Weights: 1600},
		{In: "[12,16]", Args: "embedDim=16 vocabSize=100 softcap=-1", Err: "softcap is -1 but must be positive"},
		{In: "[12,16]", Args: "embedDim=32 vocabSize=100", Err: "embedDim is 32 but 16 features arrive"},
	},
})
