package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "spectralNorm",
	Title: "A layer whose weight has spectral norm 1",
	Doc: `A linear layer or convolution whose weight is divided by its largest singular value, found by power iteration, as torch.nn.utils.parametrizations.spectral_norm makes it. ` +
		`layer says which: linear takes (…, inFeatures), conv1d (inFeatures, length), conv2d (inFeatures, height, width). kernelSize, stride and padding are for the convolutions only.`,
	Source: "torch.nn.utils.parametrizations.spectral_norm; Miyato et al. 2018",
	Group:  Normalisation,
	Traits: IsAffine,
	Params: normedParams,
	Shape:  normedShape,
	Weights: func(c *Call) {
		if c.Bool("bias") {
			c.Weight("bias", c.Int("outFeatures"))
		}
		c.Weight("parametrizations.weight.original", normedWeight(c)...)
	},
	FLOPs:         normedFLOPs,
	Lower:         lowerSpectralNorm,
	Torch:         `torch.nn.utils.parametrizations.spectral_norm(` + normedTorch + `)`,
	Module:        normedModule,
	WeightFormula: "outFeatures*(bias + inFeatures*" + normedKernelFormula + ")",
	FLOPsFormula:  "2*size(out)*inFeatures*" + normedKernelFormula,
	Examples: []Example{
		{In: "[7,6]", Args: "inFeatures=6 outFeatures=5", Out: "[7,5]", Weights: 35, FLOPs: 420},
		{In: "[10,3,6]", Args: "layer=conv2d inFeatures=10 outFeatures=10 kernelSize=[3,2]", Out: "[10,1,5]", Weights: 610, FLOPs: 6000},
		{In: "[14,4]", Args: "layer=conv1d inFeatures=14 outFeatures=6 kernelSize=3 padding=same", Out: "[6,4]", Weights: 258, FLOPs: 2016},
		{In: "[19]", Args: "inFeatures=16 outFeatures=10", Err: "inFeatures is 16 but 19 features arrive"},
		{In: "[14,4]", Args: "layer=conv1d inFeatures=14 outFeatures=6 padding=same stride=2", Err: "padding same needs stride 1"},
	},
})

// lowerSpectralNorm is torch.nn.utils.parametrizations._SpectralNorm: the singular vectors, found without gradients, are copied, and the
// weight is divided by u^T W v.
func lowerSpectralNorm(l *Lowering) op.Value {
	w := l.W("parametrizations.weight.original")
	shape := l.P.Shape(w)
	rows, columns := shape[0], Shape(shape[1:]).Size()
	u := op.Contiguous(l.P, l.P.Buffer(op.Float, rows), rows)
	v := op.Contiguous(l.P, l.P.Buffer(op.Float, columns), columns)
	product := op.Dot(l.P, op.View(l.P, w, rows, columns), v, rows)
	return l.lowerNormed(op.Div(l.P, w, op.Dot(l.P, u, product)))
}
