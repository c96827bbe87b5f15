package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "globalMaxPool1d",
	Title:   "Largest value of each channel over its length",
	Doc:     `Takes the largest value of each channel over the whole length and drops that axis, as x.amax(2) does. Only the places that hold the largest value get a gradient.`,
	Source:  "torch.amax",
	Group:   Pooling,
	Aliases: []string{"globalMaxPooling1d"},
	Traits:  IsPool,
	Ints:    IntsKept,
	Shape:   globalShape(1),
	Lower:   func(l *Lowering) op.Value { return op.Amax(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.amax(2)`,
	Examples: []Example{
		{In: "[64,50]", Out: "[64]"},
		{In: "[64]", Err: "takes (channels, length), got [64]"},
	},
})
