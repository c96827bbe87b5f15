package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:      "squaredRelu",
	Title:   "Square of the rectified linear unit",
	Doc:     `Replaces negative values by zero and squares the others: max(0, x)². Takes any shape, integers too. It grows faster than its input, so it wants a normalisation around it.`,
	Source:  "So et al. 2021 (Primer)",
	Aliases: []string{"relu2", "reluSquared"},
	Traits:  Rectifies,
	Ints:    IntsKept,
	Lower:   func(l *Lowering) op.Value { return op.Pow(l.P, op.OfOutput(l.P, l.X[0])) },
	Torch:   `lambda x: F.relu(x) ** 2`,
	Examples: []Example{
		{In: "[128,3072]", Out: "[128,3072]"},
		{In: "int[12]", Out: "[12]"},
		{In: "[8] [8]", Err: "takes one input, got 2"},
	},
}))
