package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "maximum",
	Title:   "The largest of its inputs",
	Doc:     `Takes the largest of its inputs element by element, as torch.maximum does. Shapes must agree as for add: an axis of size 1 is stretched, a different number of axes is refused. For the largest value along an axis use max.`,
	Source:  "torch.maximum",
	Group:   Merging,
	Aliases: []string{"elementwiseMaximum"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge | HasActivation,
	Ints:    IntsKept,
	Shape:   broadcastShape,
	Lower:   func(l *Lowering) op.Value { return l.fold(op.Maximum) },
	Torch:   `Maximum()`,
	Module: `class Maximum(nn.Module):
    def forward(self, x, *others):
        for y in others:
            x = torch.maximum(x, y)
        return x
`,
	Examples: []Example{
		{In: "[64,8] [64,8]", Out: "[64,8]"},
		{In: "[1,8] [64,1] int[64,8]", Out: "[64,8]"},
		{In: "[4,8] [4,9]", Err: "9 and 8 do not fit on axis 2"},
		{In: "[4,8] [8]", Err: "the numbers of axes differ"},
	},
})
