package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "minimum",
	Title:   "The smallest of its inputs",
	Doc:     `Takes the smallest of its inputs element by element, as torch.minimum does. Shapes must agree as for add: an axis of size 1 is stretched, a different number of axes is refused. For the smallest value along an axis use min.`,
	Source:  "torch.minimum",
	Group:   Merging,
	Aliases: []string{"elementwiseMinimum"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge | HasActivation,
	Ints:    IntsKept,
	Shape:   broadcastShape,
	Lower:   func(l *Lowering) op.Value { return l.fold(op.Maximum) },
	Torch:   `Minimum()`,
	Module: `class Minimum(nn.Module):
    def forward(self, x, *others):
        for y in others:
            x = torch.minimum(x, y)
        return x
`,
	Examples: []Example{
		{In: "[64,8] [64,8]", Out: "[64,8]"},
		{In: "[1,8] [64,1] int[64,8]", Out: "[64,8]"},
		{In: "[4,8] [4,9]", Err: "9 and 8 do not fit on axis 2"},
		{In: "[4,8] [8]", Err: "the numbers of axes differ"},
	},
})
