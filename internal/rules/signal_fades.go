package rules

// leastSignal is the least variance between samples that should arrive: a thousandth of the size of the input, squared.
const leastSignal = 1e-6

var _ = define(Rule{
	ID:        "signal-fades",
	Title:     "A sample hardly changes the first results",
	Severity:  Info,
	Comparing: true,
	Doc:       `When the model has just been initialised, what differs from sample to sample has shrunk to less than a thousandth of its size when it reaches the result: PyTorch draws the weights of linear layers and convolutions so that each divides the variance by three, and each rectifier by two to three more. Gradients shrink alike on their way back. Put normalisations between the layers, shortcuts around them, or use an initialisation that keeps the scale, such as that of He et al. It is asked of classifiers of images and tables alone.`,
	Source:    "He et al. 2015, Delving Deep into Rectifiers; torch.nn.Linear.reset_parameters, whose bound of one over the root of the inputs gives a variance of one third of that. The limit was measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.signal < leastSignal {
			p.Reportf(m.result, "at initialisation the variance between samples is %.1g here, for 1 at the input", m.signal)
		}
	},
	Examples: []string{
		chain([]string{"input shape=[64]"}, times(8, "linear outFeatures=64", "relu"), []string{"linear outFeatures=10 // want", "output"}),
		chain([]string{"input shape=[64]"}, times(8, "linear outFeatures=64", "batchNorm", "relu"), []string{"linear outFeatures=10", "output"}),
		chain([]string{"input shape=[64]"}, times(2, "linear outFeatures=64", "relu"), []string{"linear outFeatures=10", "output"}),
	},
})
