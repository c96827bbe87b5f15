package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "layerScale",
	Title:  "A trained factor for each feature",
	Doc:    `Multiplies every entry of the last axis by a trained factor of its own. It stands at the end of a residual branch, which starts small when initValue is small.`,
	Source: "Touvron et al. 2021, CaiT, section 2; timm.layers.LayerScale",
	Group:  Blocks,
	Traits: KeepsShape,
	Params: []Param{
		{Name: "dim", Kind: Int, Reads: At(-1), Aliases: []string{"embedDim", "hiddenDim", "dModel", "channels"}, Doc: "size of the last axis"},
		{Name: "initValue", Kind: Float, Default: 1.0, Aliases: []string{"initValues"}, Doc: "what the factors start with"},
	},
	Ints: IntsToFloat,
	Shape: func(c *Call) (Shape, error) {
		if err := c.lastAxis(FeatureMismatch, "dim"); err != nil {
			return nil, err
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) { c.Weight("gamma", c.Int("dim")) },
	Lower:   func(l *Lowering) op.Value { return op.Mul(l.P, l.X[0], l.W("gamma")) },
	Torch:   `LayerScale({{dim}}, {{initValue}})`,
	Module: `class LayerScale(nn.Module):
    def __init__(self, dim, value):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((dim,), float(value)))

    def forward(self, x):
        return x * self.gamma
`,
	WeightFormula: "dim",
	Examples: []Example{
		{In: "[12,16]", Args: "dim=16", Out: "[12,16]", Weights: 16},
		{In: "[12,16]", Args: "dim=12", Err: "dim is 12 but 16 features arrive"},
	},
})
