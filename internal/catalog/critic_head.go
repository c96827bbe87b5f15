package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "criticHead",
	Title:   "The value of a state",
	Doc:     `A linear layer that gives the value of a state, or outputDim of them. If inFeatures is left out it is taken from the input.`,
	Source:  "vwxyzjn/cleanrl ppo.py Agent, the last layer",
	Group:   Dense,
	Aliases: []string{"valueHead"},
	Traits:  IsAffine,
	Params:  []Param{paramHeadIn, paramValues},
	Shape:   headShape("outputDim"),
	Weights: func(c *Call) { c.Linear("", c.Int("inFeatures"), c.Int("outputDim"), true) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(1, c.positions(), c.Int("inFeatures"), c.Int("outputDim")) },
	Lower:   func(l *Lowering) op.Value { return l.Map(l.X[0], "") },
	Torch:   `nn.Linear({{inFeatures}}, {{outputDim}})`,

	WeightFormula: "(inFeatures + 1)*outputDim",
	FLOPsFormula:  "2*size(in)*outputDim",
	Examples: []Example{
		{In: "[256]", Out: "[1]", Weights: 257, FLOPs: 512},
		{In: "[5,8]", Args: "outputDim=3", Out: "[5,3]", Weights: 27, FLOPs: 240},
		{In: "[256]", Args: "inFeatures=64", Err: "inFeatures is 64 but 256 features arrive"},
	},
})
