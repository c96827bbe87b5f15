package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "globalMaxPool3d",
	Title:   "Largest value of each channel over the volume",
	Doc:     `Takes the largest value of each channel over the whole volume and drops its three axes, as x.amax((2, 3, 4)) does. Only the places that hold the largest value get a gradient.`,
	Source:  "torch.amax",
	Group:   Pooling,
	Aliases: []string{"globalMaxPooling3d"},
	Traits:  IsPool,
	Ints:    IntsKept,
	Shape:   globalShape(3),
	Lower:   func(l *Lowering) op.Value { return op.Amax(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.amax((2, 3, 4))`,
	Examples: []Example{
		{In: "[512,4,7,7]", Out: "[512]"},
		{In: "[512,7,7]", Err: "takes (channels, depth, height, width), got [512,7,7]"},
	},
})
