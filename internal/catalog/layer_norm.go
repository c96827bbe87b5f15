package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "layerNorm",
	Title:   "Normalises each sample over its last axes",
	Doc:     `Brings the values of the last axes to mean 0 and variance 1, each position for itself, then scales and shifts them with weights of the size of those axes. normalizedShape must equal the last axes of the input. It does not depend on the batch, and does the same in training and evaluation.`,
	Source:  "torch.nn.LayerNorm; Ba et al. 2016",
	Group:   Normalisation,
	Aliases: []string{"layerNormalization"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		paramNormalizedShape, paramEps,
		{Name: "elementwiseAffine", Kind: Bool, Default: true, Aliases: []string{"affine"}, Doc: "whether there is a trained scale"},
		{Name: "bias", Kind: Bool, Default: true, Doc: "whether there is a trained shift, too"},
	},
	Shape: lastAxesShape,
	Weights: func(c *Call) {
		if !c.Bool("elementwiseAffine") {
			return
		}
		c.Weight("weight", c.Ints("normalizedShape")...)
		if c.Bool("bias") {
			c.Weight("bias", c.Ints("normalizedShape")...)
		}
	},
	Lower: func(l *Lowering) op.Value {
		return op.LayerNorm(l.P, l.X[0], l.In[0].Size()/max(1, Of(lastAxesGroups(&l.Call)...).Size()), l.Affine("")...)
	},
	Torch:         `nn.LayerNorm({{normalizedShape}}, eps={{eps}}, elementwise_affine={{elementwiseAffine}}, bias={{bias}})`,
	WeightFormula: "elementwiseAffine*(1+bias)*size(normalizedShape)",
	Examples: []Example{
		{In: "[128,768]", Args: "normalizedShape=768", Out: "[128,768]", Weights: 1536},
		{In: "[16,7,9]", Args: "normalizedShape=[7,9] bias=false", Out: "[16,7,9]", Weights: 63},
		{In: "[128,768]", Args: "normalizedShape=768 elementwiseAffine=false", Out: "[128,768]"},
		{In: "[4,9]", Args: "normalizedShape=10", Err: "normalizedShape is 10 but 9 features arrive"},
		{In: "[7,9]", Args: "normalizedShape=[8,10]", Err: "normalizedShape is [8,10] but the last axes of [7,9] are [7,9]"},
		{In: "[9]", Args: "normalizedShape=[2,9]", Err: "normalizedShape has 2 axes, more than the 1 of [9]"},
		{In: "[4,9]", Err: "normalizedShape is missing"},
	},
})
