package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(Rule{
	ID:       "moe-no-balance",
	Title:    "Experts without a word on their balance",
	Severity: Info,
	Doc:      `A router that is trained on the task alone tends to send nearly all tokens to a few experts, which then learn faster and get still more; the others are dead weight. Training needs something against it: a load-balancing loss (a coefficient of 0.01 is common) or a bias that is adjusted to the load. The graph does not say that there is one. State auxLossCoef, 0 where another scheme balances.`,
	Source:   "Shazeer et al. 2017, Outrageously Large Neural Networks; Fedus et al. 2022, Switch Transformers (coefficient 0.01); Wang et al. 2024 for balancing without a loss",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsExperts) {
			experts, top := p.Arg(i, "numExperts").Int(), p.Arg(i, "topK").Int()
			if p.param(i, "auxLossCoef") >= 0 && top < experts && p.Arg(i, "auxLossCoef").Kind() == graph.Null {
				p.Reportf(i, "each token visits %d of %d experts, and nothing says how they are kept evenly loaded", top, experts)
			}
		}
	},
	Examples: []string{
		"x: input shape=[12,64]\nm: moeLayer embedDim=64 numExperts=8 topK=2 expertDim=128 // want\no: output\nx -> m -> o",
		"x: input shape=[12,64]\nm: moeLayer embedDim=64 numExperts=8 topK=2 expertDim=128 auxLossCoef=0.01\no: output\nx -> m -> o",
		"x: input shape=[12,64]\nm: moeLayer embedDim=64 numExperts=2 topK=2 expertDim=128\no: output\nx -> m -> o",
	},
})
