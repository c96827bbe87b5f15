package rules

// leastContrast is the least share of what passes that should differ between samples before training.
const leastContrast = 0.01

var _ = define(Rule{
	ID:        "samples-look-alike",
	Title:     "Biases drown what differs between samples",
	Severity:  Info,
	Comparing: true,
	Doc:       `When the model has just been initialised, less than a hundredth of what passes here differs from sample to sample: the rest comes from biases and from activations that are not centred, and is the same for all. Gradients of different samples are then alike, and training starts slowly or not at all. A normalisation over the features of each sample does not help, since it scales both alike; one over the batch does, and so do fewer layers, rectifiers instead of sigmoids, and shortcuts. It is asked of classifiers of images and tables alone.`,
	Source:    "Poole et al. 2016 and Schoenholz et al. 2017, Deep Information Propagation, with the variances of the initialisation of torch.nn; the limit was measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.contrast < leastContrast {
			p.Reportf(m.blurred, "at initialisation %.1g of what passes here differs between samples", m.contrast)
		}
	},
	Examples: []string{
		chain([]string{"input shape=[64]"}, times(2, "linear outFeatures=64", "sigmoid"), []string{"linear outFeatures=64", "sigmoid // want", "linear outFeatures=10", "output"}),
		chain([]string{"input shape=[64]"}, times(3, "linear outFeatures=64", "relu"), []string{"linear outFeatures=10", "output"}),
	},
})
