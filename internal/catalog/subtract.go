package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "subtract",
	Title:   "The first input less the others",
	Doc:     `Takes the second and every further input from the first, in the order of the connections, as torch.sub does. Shapes must agree as for add: an axis of size 1 is stretched, a different number of axes is refused.`,
	Source:  "torch.sub",
	Group:   Merging,
	Aliases: []string{"sub", "subtraction", "elementwiseSubtract"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge | IsLinear,
	Ints:    IntsKept,
	Shape:   broadcastShape,
	Lower:   func(l *Lowering) op.Value { return l.fold(op.Sub) },
	Torch:   `Subtract()`,
	Module: `class Subtract(nn.Module):
    def forward(self, x, *others):
        for y in others:
            x = x - y
        return x
`,
	Examples: []Example{
		{In: "[64,8] [64,8]", Out: "[64,8]"},
		{In: "[1,8] [64,1]", Out: "[64,8]"},
		{In: "[4,8] [4,9]", Err: "9 and 8 do not fit on axis 2"},
	},
})
