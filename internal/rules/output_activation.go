package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "output-activation",
	Title:    "An activation in front of the output",
	Severity: Info,
	Doc:      `CrossEntropyLoss and BCEWithLogitsLoss apply softmax and sigmoid themselves, and do so without loss of precision: with one in the model too it is applied twice, gradients shrink and training stalls at a poor result without an error. A rectifier behind the last layer gives no negative values, and no gradient where it gives zero. Return the values before the activation for training, or choose the loss that expects it (NLLLoss on a logarithm, BCELoss). A model that is only served, or whose result is a picture or a gate, may well end in one.`,
	Source:   "torch.nn.CrossEntropyLoss (\"expected to contain the unnormalized logits\"), torch.nn.BCEWithLogitsLoss",
	Whole: func(p *Pass) {
		seen := map[int]bool{}
		for o := range p.Outputs() {
			i, ok := p.Behind(o, catalog.IsView)
			if !ok || seen[i] {
				continue
			}
			seen[i] = true
			switch {
			case p.Is(i, catalog.InUnit):
				p.Reportf(i, "the model returns values from 0 to 1, not the logits that CrossEntropyLoss and BCEWithLogitsLoss take")
			case p.Is(i, catalog.Rectifies):
				if j, ok := p.Only(i); ok && p.Is(j, catalog.IsAffine) {
					p.Reportf(i, "the model cannot return a negative value, and %s gets no gradient where the result is zero", p.Label(j))
				}
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=10\ns: softmax // want\no: output\nx -> f -> s -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\nr: relu // want\no: output\nx -> f -> r -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\ns: logSoftmax\no: output\nx -> f -> s -> o",
	},
})
