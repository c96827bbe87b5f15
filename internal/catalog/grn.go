package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "grn",
	Title: "Normalises the response of each channel by that of all",
	Doc: `Takes the norm of each channel over the image, divides it by the mean norm of all channels and scales the channel with it; a factor and a summand per channel are trained, and the input is added. ` +
		`It takes an image, with the channels as its last axis unless channelsLast is false. dim must equal the number of channels.`,
	Source:  "facebookresearch/ConvNeXt-V2, models/utils.py GRN; Woo et al. 2023",
	Group:   Normalisation,
	Aliases: []string{"globalResponseNorm"},
	Traits:  IsNorm | HasResidual | KeepsShape,
	Params: []Param{
		{Name: "dim", Kind: Int, Aliases: []string{"channels", "numFeatures"}, Doc: "number of channels"},
		{Name: "channelsLast", Kind: Bool, Default: true, Doc: "whether the channels are the last axis, or the first one behind the batch"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, "an image of three axes"); err != nil {
			return nil, err
		}
		axis := At(0)
		if c.Bool("channelsLast") {
			axis = At(-1)
		}
		i, _ := axis.In(3)
		if want, got := c.Int("dim"), c.In[0][i]; want != got {
			return c.In[0], c.Errorf(NormSizeMismatch, "dim is %d but %s", want, arrive(got, "channel")).SetInt("dim", got).Wants(0, axis, want)
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) {
		shape := Of(1, 1, 1, c.Int("dim"))
		if !c.Bool("channelsLast") {
			shape = Of(1, c.Int("dim"), 1, 1)
		}
		c.Weight("gamma", shape...)
		c.Weight("beta", shape...)
	},
	Lower: lowerGRN,
	Torch: `GRN({{dim}}, channels_last={{channelsLast}})`,
	Module: `class GRN(nn.Module):
    def __init__(self, dim, channels_last=True):
        super().__init__()
        shape = (1, 1, 1, dim) if channels_last else (1, dim, 1, 1)
        self.channel, self.image = (3, (1, 2)) if channels_last else (1, (2, 3))
        self.gamma = nn.Parameter(torch.zeros(shape))
        self.beta = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        g = torch.norm(x, p=2, dim=self.image, keepdim=True)
        n = g / (g.mean(dim=self.channel, keepdim=True) + 1e-6)
        return self.gamma * (x * n) + self.beta + x
`,
	WeightFormula: "2*dim",
	Examples: []Example{
		{In: "[7,7,96]", Args: "dim=96", Out: "[7,7,96]", Weights: 192},
		{In: "[96,7,7]", Args: "dim=96 channelsLast=false", Out: "[96,7,7]", Weights: 192},
		{In: "[96,7,7]", Args: "dim=96", Err: "dim is 96 but 7 channels arrive"},
		{In: "[49,96]", Args: "dim=96", Err: "takes an image of three axes, got [49,96]"},
	},
})

func lowerGRN(l *Lowering) op.Value {
	x, norms, one := l.X[0], Of(l.Int("dim"), 1, 1), Of(1, 1, 1)
	if l.Bool("channelsLast") {
		norms = Of(1, 1, l.Int("dim"))
	}
	g := op.VectorNorm(l.P, x, norms...)
	n := op.Div(l.P, g, op.Scale(l.P, op.Mean(l.P, g, one...)))
	weight := func(name string) op.Value { return op.View(l.P, l.W(name), norms...) }
	y := op.Mul(l.P, weight("gamma"), op.Mul(l.P, x, n))
	return op.Add(l.P, op.Add(l.P, y, weight("beta")), x)
}
