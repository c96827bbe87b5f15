package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "actorHead",
	Title:   "A logit for each action",
	Doc:     `A linear layer that gives a logit for each of numActions discrete actions, or the mean of each of numActions continuous ones. If inFeatures is left out it is taken from the input.`,
	Source:  "vwxyzjn/cleanrl ppo.py Agent, the last layer",
	Group:   Dense,
	Aliases: []string{"policyHead"},
	Traits:  IsAffine,
	Params:  []Param{paramHeadIn, paramActions},
	Shape:   headShape("numActions"),
	Weights: func(c *Call) { c.Linear("", c.Int("inFeatures"), c.Int("numActions"), true) },
	FLOPs:   func(c *Call) int64 { return c.MatMul(1, c.positions(), c.Int("inFeatures"), c.Int("numActions")) },
	Lower:   func(l *Lowering) op.Value { return l.Map(l.X[0], "") },
	Torch:   `nn.Linear({{inFeatures}}, {{numActions}})`,

	WeightFormula: "(inFeatures + 1)*numActions",
	FLOPsFormula:  "2*size(in)*numActions",
	Examples: []Example{
		{In: "[256]", Args: "numActions=6", Out: "[6]", Weights: 1542, FLOPs: 3072},
		{In: "[256]", Args: "inFeatures=64 numActions=6", Err: "inFeatures is 64 but 256 features arrive"},
		{In: "[]", Args: "numActions=6", Err: "takes (…, features), got a scalar per sample"},
	},
})
