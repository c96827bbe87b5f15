package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "revIN",
	Title: "Normalises each series of a sample over time",
	Doc: `Takes the mean of each feature over the sequence away and divides by its deviation, through neither of which gradients flow; with affine each feature is scaled and shifted. ` +
		`It takes (sequence, features). The way back, which puts mean and deviation of the input onto a forecast, is not part of it.`,
	Source:  "Kim et al. 2022; ts-kim/RevIN RevIN.py with mode norm",
	Group:   Normalisation,
	Aliases: []string{"reversibleInstanceNorm"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		{Name: "numFeatures", Kind: Int, Min: 1, Reads: At(-1), Doc: "number of features"},
		{Name: "eps", Kind: Float, Default: 1e-5, Aliases: []string{"epsilon"}, Doc: "added to the variance"},
		{Name: "affine", Kind: Bool, Default: true, Doc: "whether there is a trained scale and shift for each feature"},
	},
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.sequence(NormSizeMismatch, "numFeatures") },
	Weights: func(c *Call) {
		if c.Bool("affine") {
			c.Weight("affine_weight", c.Int("numFeatures"))
			c.Weight("affine_bias", c.Int("numFeatures"))
		}
	},
	Lower: func(l *Lowering) op.Value {
		p, n := l.P, l.Int("numFeatures")
		mean, std := op.SumWithoutGradient(p, l.X[0], 1, n), op.SumWithoutGradient(p, l.X[0], 1, n)
		y := op.Div(p, op.Sub(p, l.X[0], mean), std)
		if w := l.W("affine_weight"); w != op.None {
			y = op.Add(p, op.Mul(p, y, w), l.W("affine_bias"))
		}
		return y
	},
	Torch: `RevIN({{numFeatures}}, {{eps}}, affine={{affine}})`,
	Module: `class RevIN(nn.Module):
    def __init__(self, features, eps, affine=True):
        super().__init__()
        self.eps, self.affine = eps, affine
        if affine:
            self.affine_weight, self.affine_bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x):
        y = x.detach()
        mean, std = torch.mean(y, dim=1, keepdim=True), torch.sqrt(torch.var(y, dim=1, keepdim=True, unbiased=False) + self.eps)
        x = (x - mean) / std
        return x * self.affine_weight + self.affine_bias if self.affine else x
`,
	WeightFormula: "affine*2*numFeatures",
	Examples: []Example{
		{In: "[96,7]", Args: "numFeatures=7", Out: "[96,7]", Weights: 14},
		{In: "[96,7]", Args: "numFeatures=7 affine=false", Out: "[96,7]"},
		{In: "[96,7]", Args: "numFeatures=8", Err: "numFeatures is 8 but 7 features arrive"},
		{In: "[7]", Args: "numFeatures=7", Err: "takes (sequence, features), got [7]"},
	},
})
