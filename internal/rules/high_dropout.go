package rules

// dropLimit is a rule of thumb: Srivastava et al. 2014 find the error flat while 40 % to 80 % of the units are kept, and
// language models with well-tuned dropout go up to 0.65 (Merity et al. 2018). Beyond, the signal is mostly noise.
const dropLimit = 0.7

var _ = define(Rule{
	ID:       "high-dropout",
	Title:    "Dropout that leaves little",
	Severity: Warn,
	Doc:      `More than 70 % of the values are dropped, and the rest is scaled up by more than three. What is left is mostly noise, and the model underfits; with a probability of 1 nothing passes at all. A parameter that was meant as the share to keep looks the same. Values from 0.1 to 0.5 are usual.`,
	Source:   "Srivastava et al. 2014, Dropout, which varies the rate; the limit itself is a rule of thumb",
	Whole: func(p *Pass) {
		for i := range p.Nodes {
			if p.Nodes[i].Type == nil || p.Nodes[i].Args == nil || !p.Is(i, 0) {
				continue
			}
			switch rate := p.dropRate(i); {
			case rate >= 1:
				p.Reportf(i, "drops every value: nothing passes in training")
			case rate > dropLimit:
				p.Reportf(i, "drops %.3g %% of the values and scales the others up by %.3g", 100*rate, 1/(1-rate))
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\nd: dropout p=0.9 // want\ng: linear outFeatures=10\no: output\nx -> f -> r -> d -> g -> o",
		"x: input shape=[12,32]\nt: transformerBlock embedDim=32 numHeads=4 dropout=0.8 // want\no: output\nx -> t -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\nd: dropout p=0.5\ng: linear outFeatures=10\no: output\nx -> f -> r -> d -> g -> o",
		"x: input shape=[32]\nn: norm p=2 dim=1 keepDim=true\nu: divide\ng: linear outFeatures=10\no: output\nx -> n\nx, n -> u -> g -> o",
	},
})
