package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "weightNorm",
	Title: "A layer whose weight has a trained length",
	Doc: `A linear layer or convolution whose weight is a direction and, for each output, a length, both trained, as torch.nn.utils.parametrizations.weight_norm makes it. ` +
		`layer says which: linear takes (…, inFeatures), conv1d (inFeatures, length), conv2d (inFeatures, height, width). kernelSize, stride and padding are for the convolutions only.`,
	Source: "torch.nn.utils.parametrizations.weight_norm; Salimans and Kingma 2016",
	Group:  Normalisation,
	Traits: IsAffine,
	Params: normedParams,
	Shape:  normedShape,
	Weights: func(c *Call) {
		out := c.Int("outFeatures")
		if c.Bool("bias") {
			c.Weight("bias", out)
		}
		length := normedWeight(c)
		for i := range length[1:] {
			length[i+1] = 1
		}
		c.Weight("parametrizations.weight.original0", length...)
		c.Weight("parametrizations.weight.original1", normedWeight(c)...)
	},
	FLOPs: normedFLOPs,
	Lower: func(l *Lowering) op.Value {
		const original = "parametrizations.weight.original"
		return l.lowerNormed(op.WeightNorm(l.P, l.W(original+"1"), l.W(original+"0")))
	},
	Torch:         `torch.nn.utils.parametrizations.weight_norm(` + normedTorch + `)`,
	Module:        normedModule,
	WeightFormula: "outFeatures*(1 + bias + inFeatures*" + normedKernelFormula + ")",
	FLOPsFormula:  "2*size(out)*inFeatures*" + normedKernelFormula,
	Examples: []Example{
		{In: "[7,6,4]", Args: "inFeatures=4 outFeatures=12", Out: "[7,6,12]", Weights: 72, FLOPs: 4032},
		{In: "[7,9,3]", Args: "layer=conv2d inFeatures=7 outFeatures=13 kernelSize=3", Out: "[13,7,1]", Weights: 845, FLOPs: 11466},
		{In: "[14,3]", Args: "layer=conv1d inFeatures=14 outFeatures=12 kernelSize=2 bias=false", Out: "[12,2]", Weights: 348, FLOPs: 1344},
		{In: "[10,6]", Args: "layer=conv1d inFeatures=7 outFeatures=12", Err: "inFeatures is 7 but 10 channels arrive"},
		{In: "[7,5]", Args: "layer=conv1d inFeatures=7 outFeatures=12 kernelSize=6", Err: "the kernel spans 6 but the padded axis has 5"},
	},
})
