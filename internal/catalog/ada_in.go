package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "adaIN",
	Title: "Gives an image the statistics of a style",
	Doc: `Normalises each channel of an image (channels, height, width) over its positions, and gives it the mean and the deviation of a style. ` +
		`Without styleDim the style is the second input, an image with as many channels, and there are no weights. ` +
		`With styleDim the second input is a vector, of which a linear layer makes a factor and a summand for each channel, as in StyleGAN; numFeatures must then be given.`,
	Source:  "Huang and Belongie 2017, equation 8; rosinality/style-based-gan-pytorch model.py AdaptiveInstanceNorm",
	Group:   Normalisation,
	Aliases: []string{"adaptiveInstanceNorm"},
	Traits:  IsNorm | KeepsShape | CentresChannels | IsMerge,
	Inputs:  Arity{2, 2},
	Params: []Param{
		{Name: "numFeatures", Kind: Int, Min: 1, Optional: true, Reads: At(0), Aliases: []string{"channels", "numChannels"}, Doc: "number of channels"},
		{Name: "styleDim", Kind: Int, Min: 1, Optional: true, Doc: "features of the style, where it is a vector"},
		{Name: "eps", Kind: Float, Default: 1e-5, Aliases: []string{"epsilon"}, Doc: "added to the variance"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		in, style := c.In[0], c.In[1]
		if c.Has("numFeatures") {
			if err := c.Match(NormSizeMismatch, "numFeatures", "channel"); err != nil {
				return in, err
			}
		}
		if c.Has("styleDim") {
			return in, c.checkStyle()
		}
		if style.Rank() != 3 || style[0] != in[0] {
			return in, c.Errorf(MergeShapeMismatch, "the style must be an image of %d channels, got %v", in[0], style)
		}
		return in, nil
	},
	Weights: func(c *Call) {
		if !c.Has("styleDim") {
			return
		}
		if !c.Has("numFeatures") {
			c.LacksWeights()
			return
		}
		c.Linear("style", c.Int("styleDim"), c.Mul(2, c.Int("numFeatures")), true)
	},
	FLOPs: func(c *Call) int64 {
		if !c.Has("styleDim") {
			return 0
		}
		return c.MatMul(2, 1, c.Int("styleDim"), c.Int("numFeatures"))
	},
	Lower: lowerAdaIN,
	Torch: `AdaIN({{numFeatures}}, {{styleDim}}, {{eps}})`,
	Module: `class AdaIN(nn.Module):
    def __init__(self, channels, style_dim, eps):
        super().__init__()
        self.eps, self.style = eps, None if style_dim is None else nn.Linear(style_dim, 2 * channels)

    def stats(self, x):
        flat = x.flatten(2)
        return flat.mean(2)[:, :, None, None], (flat.var(2) + self.eps).sqrt()[:, :, None, None]

    def forward(self, x, y):
        if self.style is not None:
            gamma, beta = self.style(y)[:, :, None, None].chunk(2, 1)
            return gamma * F.instance_norm(x, eps=self.eps) + beta
        (mean, std), (style_mean, style_std) = self.stats(x), self.stats(y)
        return (x - mean) / std * style_std + style_mean
`,
	WeightFormula: "(styleDim > 0)*2*numFeatures*(styleDim + 1)",
	FLOPsFormula:  "4*styleDim*numFeatures",
	Examples: []Example{
		{In: "[8,4,4] [8,6,5]", Out: "[8,4,4]"},
		{In: "[8,4,4] [12]", Args: "numFeatures=8 styleDim=12", Out: "[8,4,4]", Weights: 208, FLOPs: 384},
		{In: "[8,4,4] [7,6,5]", Err: "the style must be an image of 8 channels, got [7,6,5]"},
		{In: "[8,4,4] [12]", Args: "numFeatures=8 styleDim=16", Err: "styleDim is 16 but the style is [12]"},
		{In: "[8,4,4] [12]", Args: "styleDim=12", Err: "numFeatures is missing"},
		{In: "[8,1,1] [12]", Args: "numFeatures=8 styleDim=12", Err: "each channel of [8,1,1] has 1 value"},
	},
})

// checkStyle refuses a style that is no vector of styleDim features, and what torch.nn.InstanceNorm2d refuses.
func (c *Call) checkStyle() error {
	if !c.Has("numFeatures") {
		return c.Errorf(MissingParam, "numFeatures is missing: number of channels").SetInt("numFeatures", c.In[0][0])
	}
	if want := c.Int("styleDim"); !c.In[1].Equal(Of(want)) {
		return c.Errorf(FeatureMismatch, "styleDim is %d but the style is %v", want, c.In[1])
	}
	if c.In[0][1] == 1 && c.In[0][2] == 1 {
		return c.Errorf(SingleValueNorm, "each channel of %v has 1 value: nothing to normalise", c.In[0])
	}
	return nil
}

func lowerAdaIN(l *Lowering) op.Value {
	p, x, n := l.P, l.X[0], l.In[0][0]
	if l.Has("styleDim") {
		style := op.Split(p, l.Map(l.X[1], "style"), Of(n), Of(n))
		y := op.BatchNorm(p, x, n, false, op.Affine{Weight: op.None, Bias: op.None})
		return op.Add(p, op.Mul(p, op.View(p, style[0], n, 1, 1), y), op.View(p, style[1], n, 1, 1))
	}
	stats := func(x op.Value) (mean, std op.Value) {
		return op.Mean(p, x, n, 1, 1), op.View(p, op.Sqrt(p, op.Scale(p, op.Var(p, x, n))), n, 1, 1)
	}
	mean, std := stats(x)
	styleMean, styleStd := stats(l.X[1])
	return op.Add(p, op.Mul(p, op.Div(p, op.Sub(p, x, mean), std), styleStd), styleMean)
}
