package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "log-before-softmax",
	Title:    "A logarithm next to a softmax",
	Severity: Warn,
	Doc:      `A softmax takes the exponential of what it reads. Behind a logarithm it gives the numbers in front of the logarithm back, divided by their sum: the curve that a softmax is there for is gone, and a zero becomes minus infinity on the way. Behind a softmax, a logarithm of its own loses small shares to zero and gives minus infinity for them, where logSoftmax computes the same without. Remove the logarithm in front, or write logSoftmax for the two.`,
	Source:   "arithmetic: softmax(log x) = x / sum(x); torch.nn.functional.log_softmax: doing the two operations separately is slower and numerically unstable",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsSoftmax) {
			if j, ok := p.Behind(i, catalog.IsDropout); ok && p.isLog(j) {
				p.Reportf(i, "reads the logarithm of %s: it gives what that read back, divided by its sum", p.Label(j))
			}
		}
		for i := range p.With(catalog.HasActivation) {
			if !p.isLog(i) {
				continue
			}
			if j, ok := p.Only(i); ok && p.Is(j, catalog.IsSoftmax|catalog.InUnit) {
				p.Reportf(i, "takes the logarithm of %s by itself: logSoftmax gives the same where a share rounds to zero, too", p.Label(j))
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=10\nl: log\ns: softmax // want\no: output\nx -> f -> l -> s -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\ns: softmax\nl: log // want\no: output\nx -> f -> s -> l -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\ns: logSoftmax\no: output\nx -> f -> s -> o",
	},
})

// isLog reports whether a component is a logarithm of each value.
func (p *Pass) isLog(i int) bool { t := p.Nodes[i].Type; return t != nil && t.ID == "log" }
