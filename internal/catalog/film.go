package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "film",
	Title: "Scales and shifts channels as a condition says",
	Doc: `A linear layer makes a factor and a summand for each channel of the second input, a vector of condDim features, and the first input is multiplied and shifted by them. ` +
		`The channels are the first axis behind the batch; any further axes are kept.`,
	Source:  "Perez et al. 2018, FiLM; ethanjperez/film vr/models/filmed_net.py FiLM",
	Group:   Blocks,
	Aliases: []string{"filmLayer", "featurewiseLinearModulation"},
	Traits:  KeepsShape | IsMerge,
	Inputs:  Arity{2, 2},
	Params: []Param{
		{Name: "numFeatures", Kind: Int, Min: 1, Reads: At(0), Aliases: []string{"channels", "numChannels"}, Doc: "number of channels"},
		{Name: "condDim", Kind: Int, Min: 1, Aliases: []string{"conditionDim"}, Doc: "features of the condition"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, MaxAxes, "channels and any further axes"); err != nil {
			return nil, err
		}
		if err := c.Match(ChannelMismatch, "numFeatures", "channel"); err != nil {
			return c.In[0], err
		}
		if want := c.Int("condDim"); !c.In[1].Equal(Of(want)) {
			return c.In[0], c.Errorf(FeatureMismatch, "condDim is %d but the condition is %v", want, c.In[1])
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) { c.Linear("generator", c.Int("condDim"), c.Mul(2, c.Int("numFeatures")), true) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(2, 1, c.Int("condDim"), c.Int("numFeatures")) },
	Lower: func(l *Lowering) op.Value {
		p, n := l.P, l.Int("numFeatures")
		shape := make(Shape, len(l.In[0]))
		for i := range shape {
			shape[i] = 1
		}
		shape[0] = n
		parts := op.Split(p, l.Map(l.X[1], "generator"), Of(n), Of(n))
		return op.Add(p, op.Mul(p, op.View(p, parts[0], shape...), l.X[0]), op.View(p, parts[1], shape...))
	},
	Torch: `FiLM({{numFeatures}}, {{condDim}})`,
	Module: `class FiLM(nn.Module):
    def __init__(self, channels, cond_dim):
        super().__init__()
        self.generator = nn.Linear(cond_dim, 2 * channels)

    def forward(self, x, y):
        if not x.is_floating_point():
            raise TypeError("takes numbers with a fraction")
        shape = (y.shape[0], -1) + (1,) * (x.dim() - 2)
        gamma, beta = self.generator(y).reshape(shape).chunk(2, 1)
        return gamma * x + beta
`,
	WeightFormula: "2*numFeatures*(condDim + 1)",
	FLOPsFormula:  "4*numFeatures*condDim",
	Examples: []Example{
		{In: "[16,8,8] [32]", Args: "numFeatures=16 condDim=32", Out: "[16,8,8]", Weights: 1056, FLOPs: 2048},
		{In: "[16] [3]", Args: "numFeatures=16 condDim=3", Out: "[16]", Weights: 128, FLOPs: 192},
		{In: "[16,8,8] [32]", Args: "numFeatures=8 condDim=32", Err: "numFeatures is 8 but 16 channels arrive"},
		{In: "[16,8,8] [4,32]", Args: "numFeatures=16 condDim=32", Err: "condDim is 32 but the condition is [4,32]"},
	},
})
