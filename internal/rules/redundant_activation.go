package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "redundant-activation",
	Title:    "An activation behind an activation",
	Severity: Warn,
	Doc:      `No layer with weights stands between the two, so the second bends what the first has bent: a rectifier behind a rectifier does nothing, a sigmoid behind a rectifier cannot go below 0.5, a softmax behind a softmax flattens the shares until they hardly differ. A layer between them is missing, or one of them is left over: remove it. Activations that are multiplied onto something, as in gates, are left alone.`,
	Source:   "arithmetic: relu(relu(x)) = relu(x), sigmoid(relu(x)) ≥ 1/2, softmax of values from 0 to 1 differs by a factor of at most e",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsActivation | catalog.IsSoftmax) {
			j, ok := p.Behind(i, catalog.IsDropout)
			if !ok || !p.Sole(j) || p.gates(i) {
				continue
			}
			if p.Is(i, catalog.IsActivation) && p.Is(j, catalog.IsActivation) || p.Is(i, catalog.IsSoftmax) && p.Is(j, catalog.IsSoftmax) {
				p.Reportf(i, "follows %s with no layer between them", p.Label(j))
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\ns: relu // want\ng: linear outFeatures=10\no: output\nx -> f -> r -> s -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\ns: softmax\nt: logSoftmax // want\no: output\nx -> f -> s -> t -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\nh: linear outFeatures=64\ns: relu\ng: linear outFeatures=10\no: output\nx -> f -> r -> h -> s -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nq: softplus\nt: tanh\nm: multiply\no: output\nx -> f -> q -> t\nf, t -> m -> o", // mish, by hand
	},
})

// gates reports whether the result of a component flows straight into a merge.
func (p *Pass) gates(i int) bool {
	for _, j := range p.Wiring.Outputs(i) {
		if p.Is(int(j), catalog.IsMerge) {
			return true
		}
	}
	return false
}
