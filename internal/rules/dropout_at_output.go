package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "dropout-at-output",
	Title:    "Dropout of the result",
	Severity: Warn,
	Doc:      `Dropout works because the layers behind it learn not to rely on any one value. Behind the last layer there is none: the results themselves are replaced by zeros, the loss is computed on them, and training gets noise that nothing can average out. Move the dropout in front of the last layer.`,
	Source:   "Srivastava et al. 2014, section 4: units are dropped from inputs and hidden layers, not from the output",
	Whole: func(p *Pass) {
		seen := map[int]bool{}
		for o := range p.Outputs() {
			i, ok := p.Behind(o, catalog.IsView|catalog.IsSoftmax|catalog.Saturates)
			if !ok || seen[i] || !p.Is(i, catalog.IsDropout) || p.dropRate(i) == 0 {
				continue
			}
			seen[i] = true
			if j, ok := p.Behind(i, catalog.IsView); ok && p.Is(j, catalog.IsAffine) {
				p.Reportf(i, "drops %.3g %% of the results of %s, and only the output follows", 100*p.dropRate(i), p.Label(j))
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=10\nd: dropout p=0.2 // want\no: output\nx -> f -> d -> o",
		"x: input shape=[32]\nd: dropout p=0.2\nf: linear outFeatures=10\no: output\nx -> d -> f -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\nd: dropout p=0\no: output\nx -> f -> d -> o",
	},
})
