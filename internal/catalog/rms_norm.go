package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "rmsNorm",
	Title:   "Divides by the root mean square of the last axes",
	Doc:     `Divides the values of the last axes by their root mean square, each position for itself, and scales them with weights of the size of those axes. Unlike layerNorm it subtracts no mean and has no bias. normalizedShape must equal the last axes of the input.`,
	Source:  "torch.nn.RMSNorm; Zhang and Sennrich 2019",
	Group:   Normalisation,
	Aliases: []string{"rmsNormalization"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		paramNormalizedShape,
		{Name: "eps", Kind: Float, Optional: true, Aliases: []string{"epsilon"}, Doc: "added to the mean square before its root is taken; the precision of the numbers if left out"},
		{Name: "elementwiseAffine", Kind: Bool, Default: true, Aliases: []string{"affine"}, Doc: "whether there is a trained scale"},
	},
	Shape: lastAxesShape,
	Weights: func(c *Call) {
		if c.Bool("elementwiseAffine") {
			c.Weight("weight", c.Ints("normalizedShape")...)
		}
	},
	Lower: func(l *Lowering) op.Value {
		return op.RMSNorm(l.P, l.X[0], l.W("weight"), l.Size(Shape(l.Ints("normalizedShape"))))
	},
	Torch:         `nn.RMSNorm({{normalizedShape}}, eps={{eps}}, elementwise_affine={{elementwiseAffine}})`,
	WeightFormula: "elementwiseAffine*size(normalizedShape)",
	Examples: []Example{
		{In: "[128,4096]", Args: "normalizedShape=4096 eps=1e-6", Out: "[128,4096]", Weights: 4096},
		{In: "[9,2,8]", Args: "normalizedShape=[2,8]", Out: "[9,2,8]", Weights: 16},
		{In: "[2]", Args: "normalizedShape=[3]", Err: "normalizedShape is 3 but 2 features arrive"},
		{In: "[9,2,8]", Args: "normalizedShape=[3,9]", Err: "normalizedShape is [3,9] but the last axes of [9,2,8] are [2,8]"},
	},
})
