package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "timeEmbedding",
	Title:   "Turns the timestep of a diffusion into a vector",
	Doc:     `Takes one number for each sample, computes freqDim sines and cosines of it and maps them to embedDim features with two linear layers around a SiLU, as diffusion models do. The input is a scalar per sample or one axis of size 1; it may be an integer. Its result conditions the blocks of the model.`,
	Source:  "facebookresearch/DiT TimestepEmbedder; Nichol et al. 2021, GLIDE",
	Group:   Embeddings,
	Aliases: []string{"timestepEmbedding", "timestepEmbedder"},
	Traits:  HasActivation,
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Writes: At(-1), Doc: "features of the result"},
		{Name: "freqDim", Kind: Int, Min: 2, Default: 256, Aliases: []string{"frequencyEmbeddingSize"}, Doc: "number of sines and cosines together"},
	},
	Shape: func(c *Call) (Shape, error) {
		out := Of(c.Int("embedDim"))
		if in := c.In[0]; in.Rank() > 0 && !in.Equal(Of(1)) {
			return out, c.Errorf(RankMismatch, "takes one timestep per sample, [] or [1], got %v", in)
		}
		return out, nil
	},
	Weights: func(c *Call) {
		c.Linear("0", c.Int("freqDim"), c.Int("embedDim"), true)
		c.Linear("2", c.Int("embedDim"), c.Int("embedDim"), true)
	},
	FLOPs: func(c *Call) int64 {
		e := c.Int("embedDim")
		return c.Add(c.MatMul(1, 1, c.Int("freqDim"), e), c.MatMul(1, 1, e, e))
	},
	Lower: func(l *Lowering) op.Value {
		p, half, n := l.P, l.Int("freqDim")/2, l.Int("freqDim")
		frequencies := op.Constant(p, op.Float32, true, half)
		angles := op.Mul(p, op.Copied32(p, l.X[0], 1), frequencies)
		waves := op.Concatenate(p, Of(2*half), op.OfInput(p, angles), op.OfInput(p, angles))
		if n%2 == 1 {
			waves = op.Padded(p, waves, n)
		}
		return l.Map(l.activate("silu", l.Map(waves, "0")), "2")
	},
	Torch: `TimeEmbedding({{freqDim}}, {{embedDim}})`,
	Module: `class TimeEmbedding(nn.Sequential):
    def __init__(self, freq_dim, dim):
        super().__init__(nn.Linear(freq_dim, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.freq_dim = freq_dim

    def forward(self, t):
        half = self.freq_dim // 2
        freq = torch.exp(-math.log(10000) * torch.arange(half, dtype=torch.float32, device=t.device) / half)
        angle = t.reshape(-1, 1).float() * freq
        y = torch.cat([angle.cos(), angle.sin()], -1)
        return super().forward(F.pad(y, (0, self.freq_dim % 2)))
`,
	WeightFormula: "freqDim*embedDim + embedDim*embedDim + 2*embedDim",
	FLOPsFormula:  "2*embedDim*(freqDim + embedDim)",
	Examples: []Example{
		{In: "[]", Args: "embedDim=32", Out: "[32]", Weights: 9280, FLOPs: 18432},
		{In: "int[1]", Args: "embedDim=4 freqDim=3", Out: "[4]", Weights: 36, FLOPs: 56},
		{In: "[2]", Args: "embedDim=32", Err: "takes one timestep per sample, [] or [1], got [2]"},
		{In: "[]", Args: "embedDim=32 freqDim=1", Err: "freqDim is 1 but takes an integer of at least 2"},
	},
})
