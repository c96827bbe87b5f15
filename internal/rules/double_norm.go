package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "double-norm",
	Title:    "A normalisation behind a normalisation",
	Severity: Warn,
	Doc:      `The second normalises what has just been normalised: it costs a pass over memory and changes nothing but the scale and shift that its own weights could have learned in the first. Remove one, or put the layer between them that is missing. A first normalisation that others read too, such as one behind an embedding that a residual connection also takes, is left alone.`,
	Source:   "arithmetic: the mean and variance of a normalised tensor are its shift and scale; for different kinds of normalisation in a row it is a rule of thumb",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsNorm) {
			j, ok := p.Behind(i, catalog.IsDropout)
			if ok && p.Is(j, catalog.IsNorm) && !p.Is(j, catalog.HasResidual) && !p.Is(i, catalog.HasResidual) && p.Sole(j) {
				p.Reportf(i, "normalises what %s has just normalised", p.Label(j))
			}
		}
	},
	Examples: []string{
		"x: input shape=[12,32]\nf: linear outFeatures=64\nl: layerNorm normalizedShape=64\nm: layerNorm normalizedShape=64 // want\nr: relu\no: output\nx -> f -> l -> m -> r -> o",
		"x: input shape=[12,32]\nf: linear outFeatures=64\nl: layerNorm normalizedShape=64\nr: relu\no: output\nx -> f -> l -> r -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nl: layerNorm normalizedShape=32\nm: layerNorm normalizedShape=32\na: groupedQueryAttention embedDim=32 numHeads=4\ns: add\no: output\nx -> e -> l -> m -> a\nl, a -> s -> o",
	},
})
