package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "dropout-before-bn",
	Title:    "Dropout straight into batch normalisation",
	Severity: Warn,
	Doc:      `Dropout raises the variance of what it passes on during training and not in evaluation, while batch normalisation keeps the variance of training for evaluation: the two disagree, and accuracy drops just when the model is used. Put dropout behind the last batch normalisation, or leave it out there. Only dropout that feeds the normalisation directly is reported; further ahead the effect is the same in kind, but smaller.`,
	Source:   "Li, Chen, Hu and Yang 2019, Understanding the Disharmony between Dropout and Batch Normalization by Variance Shift",
	Whole: func(p *Pass) {
		for e := range p.Edges(catalog.IsDropout, catalog.IsBatchNorm) {
			if rate := p.dropRate(e.From); rate > 0 && rate < 1 {
				p.Reportf(e.To, "keeps a variance that %s raises at least %.3g times, in training only", p.Label(e.From), 1/(1-rate))
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\nd: dropout p=0.5\nb: batchNorm // want\nr: relu\ng: linear outFeatures=10\no: output\nx -> f -> d -> b -> r -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=64 bias=false\nb: batchNorm\nr: relu\nd: dropout p=0.5\ng: linear outFeatures=10\no: output\nx -> f -> b -> r -> d -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nd: dropout p=0\nb: batchNorm\nr: relu\ng: linear outFeatures=10\no: output\nx -> f -> d -> b -> r -> g -> o",
	},
})

// dropRate returns the probability with which a component drops what passes through it, 0 where it has none.
func (p *Pass) dropRate(i int) float64 {
	n := &p.Nodes[i]
	for k := range n.Args {
		switch name := n.Type.Params[k].Name; name {
		case "p", "dropProb", "dropout":
			if name == "p" && n.Type.Traits&catalog.IsDropout == 0 { // of a norm it is the exponent
				continue
			}
			if n.Args[k].Bool() { // to Python true is 1
				return 1
			}
			return n.Args[k].Float()
		}
	}
	return 0
}
