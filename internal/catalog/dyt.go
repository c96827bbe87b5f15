package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "dyt",
	Title: "A hyperbolic tangent in the place of a normalisation",
	Doc: `Multiplies by a trained number, takes the hyperbolic tangent, and scales and shifts each feature. It stands where a transformer has its layer norms. ` +
		`The features are the last axis; with channelsLast false it takes an image with the channels in front.`,
	Source:  "Zhu et al. 2025, Transformers without Normalization; jiachenzhu/DyT dynamic_tanh.py DynamicTanh",
	Group:   Normalisation,
	Aliases: []string{"dynamicTanh"},
	Traits:  KeepsShape | HasActivation,
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "dim", Kind: Int, Min: 1, Aliases: []string{"normalizedShape", "numFeatures", "embedDim"}, Doc: "number of features"},
		{Name: "alphaInit", Kind: Float, Default: 0.5, Aliases: []string{"alphaInitValue", "alpha"}, Doc: "what the trained number starts with"},
		{Name: "channelsLast", Kind: Bool, Default: true, Doc: "whether the features are the last axis, or the first one behind the batch of an image"},
	},
	Shape: func(c *Call) (Shape, error) {
		in, axis := c.In[0], At(-1)
		if c.Bool("channelsLast") {
			if err := c.Ranks(1, MaxAxes, "(…, features)"); err != nil {
				return nil, err
			}
		} else {
			if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
				return nil, err
			}
			axis = At(0)
		}
		i, _ := axis.In(in.Rank())
		if want, got := c.Int("dim"), in[i]; want != got {
			return in, c.Errorf(NormSizeMismatch, "dim is %d but %s", want, arrive(got, "feature")).SetInt("dim", got).Wants(0, axis, want)
		}
		return in, nil
	},
	Weights: func(c *Call) {
		c.Weight("alpha", 1)
		c.Weight("weight", c.Int("dim"))
		c.Weight("bias", c.Int("dim"))
	},
	Lower: func(l *Lowering) op.Value {
		p, shape := l.P, Of(l.Int("dim"))
		if !l.Bool("channelsLast") {
			shape = Of(l.Int("dim"), 1, 1)
		}
		y := op.OfOutput(p, op.Mul(p, l.W("alpha"), l.X[0]))
		return op.Add(p, op.Mul(p, y, op.View(p, l.W("weight"), shape...)), op.View(p, l.W("bias"), shape...))
	},
	Torch: `DynamicTanh({{dim}}, {{alphaInit}}, channels_last={{channelsLast}})`,
	Module: `class DynamicTanh(nn.Module):
    def __init__(self, dim, alpha, channels_last=True):
        super().__init__()
        self.shape = (dim,) if channels_last else (dim, 1, 1)
        self.alpha = nn.Parameter(torch.ones(1) * alpha)
        self.weight, self.bias = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return torch.tanh(self.alpha * x) * self.weight.view(self.shape) + self.bias.view(self.shape)
`,
	WeightFormula: "2*dim + 1",
	Examples: []Example{
		{In: "[12,64]", Args: "dim=64", Out: "[12,64]", Weights: 129},
		{In: "[64,7,7]", Args: "dim=64 channelsLast=false", Out: "[64,7,7]", Weights: 129},
		{In: "[12,64]", Args: "dim=32", Err: "dim is 32 but 64 features arrive"},
		{In: "[]", Args: "dim=32", Err: "takes (…, features), got []"},
	},
})
