package rules

import "github.com/modelverifier/verifier/internal/catalog"

// saturation is where a chain of saturating activations is reported: 5 that map to 0…1, whose slope is at most 1/4, so that
// a gradient shrinks at least a thousandfold (4^5), or 10 whose slope is at most 1. In Glorot and Bengio 2010 the
// sigmoid network with 5 hidden layers never left saturation; with tanh 5 still trained, and 10 is a rule of thumb.
const saturation = 10

var _ = define(Rule{
	ID:       "vanishing-gradient",
	Title:    "A long chain of saturating activations",
	Severity: Warn,
	Doc:      `Each sigmoid lets at most a quarter of the gradient through, and each tanh less than all of it wherever it is not at zero; the product over a chain leaves nothing for the first layers, which then hardly learn. Use relu, gelu or silu inside the network and keep sigmoid for gates and the last layer, or put normalisations or shortcuts in between. A chain ends at a normalisation and at a shortcut.`,
	Source:   "Glorot and Bengio 2010, Understanding the difficulty of training deep feedforward neural networks, sections 3 and 4; 10 for activations of slope 1 is a rule of thumb",
	Whole: func(p *Pass) {
		if p.inferred || !p.Any(catalog.Saturates) {
			return
		}
		depths := p.depths()
		for _, i := range p.Wiring.Order {
			if d := depths[i]; d.slopes >= saturation {
				p.Reportf(i, "%d saturating activations follow each other here, with neither a normalisation nor a shortcut between them", d.saturating)
				return // once: what follows is the same chain
			}
		}
	},
	Examples: []string{
		chain([]string{"input shape=[16]"}, times(4, "linear outFeatures=16", "sigmoid"), []string{"linear outFeatures=16", "sigmoid // want", "linear outFeatures=4", "output"}),
		chain([]string{"input shape=[16]"}, times(9, "linear outFeatures=16", "tanh"), []string{"linear outFeatures=16", "tanh // want", "linear outFeatures=4", "output"}),
		chain([]string{"input shape=[16]"}, times(5, "linear outFeatures=16", "relu"), []string{"linear outFeatures=4", "output"}),
		chain([]string{"input shape=[16]"}, times(6, "linear outFeatures=16", "layerNorm normalizedShape=16", "sigmoid"), []string{"linear outFeatures=4", "output"}),
		chain([]string{"input shape=[1,32,32]", "conv2d outChannels=6 kernelSize=5", "tanh", "avgpool2d kernelSize=2", "conv2d outChannels=16 kernelSize=5", "tanh", "avgpool2d kernelSize=2", "flatten", "linear outFeatures=120", "tanh", "linear outFeatures=84", "tanh", "linear outFeatures=10", "output"}),
	},
})
