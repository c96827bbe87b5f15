package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "duplicate-positional-encoding",
	Title:    "Positions added twice",
	Severity: Warn,
	Doc:      `Two encodings of positions follow each other with nothing between them that uses the first. The sum carries no more about order than one of them, takes twice the share of the embedding's scale and, where both are learned, splits one gradient between two tables. Keep one. Positions that each layer adds for itself, and rotations inside attention, are no duplicates.`,
	Source:   "Vaswani et al. 2017, Attention Is All You Need, Positional Encoding: one encoding is added at the bottom of the stack, and learned and fixed ones gave nearly identical results",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsPositional) {
			if p.Is(i, catalog.IsAttention) {
				continue
			}
			j, ok := p.Behind(i, catalog.IsDropout|catalog.IsNorm)
			if ok && p.Is(j, catalog.IsPositional) && !p.Is(j, catalog.IsAttention) {
				p.Reportf(i, "adds positions to what %s has already added them to", p.Label(j))
			}
		}
	},
	Examples: []string{
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: positionalEncoding maxLen=64 embedDim=32\nd: dropout p=0.1\nl: learnedPositionalEmbedding maxLen=64 embedDim=32 // want\nt: transformerBlock embedDim=32 numHeads=4\no: output\nx -> e -> q -> d -> l -> t -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: positionalEncoding maxLen=64 embedDim=32\nt: transformerBlock embedDim=32 numHeads=4\no: output\nx -> e -> q -> t -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: positionalEncoding maxLen=64 embedDim=32\nt: transformerBlock embedDim=32 numHeads=4\nr: positionalEncoding maxLen=64 embedDim=32\nu: transformerBlock embedDim=32 numHeads=4\no: output\nx -> e -> q -> t -> r -> u -> o",
	},
})
