package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "multiply",
	Title:   "The product of its inputs",
	Doc:     `Multiplies its inputs element by element, as torch.mul does: a gate. Shapes must agree as for add: an axis of size 1 is stretched, a different number of axes is refused. For the backward pass every factor is kept.`,
	Source:  "torch.mul",
	Group:   Merging,
	Aliases: []string{"mul", "multiplication", "elementwiseMultiply", "hadamard"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge,
	Ints:    IntsKept,
	Shape:   broadcastShape,
	Lower:   func(l *Lowering) op.Value { return l.fold(op.Mul) },
	Torch:   `Multiply()`,
	Module: `class Multiply(nn.Module):
    def forward(self, x, *others):
        for y in others:
            x = x * y
        return x
`,
	Examples: []Example{
		{In: "[64,8,8] [64,1,1]", Out: "[64,8,8]"},
		{In: "[7] [7] [7]", Out: "[7]"},
		{In: "[4,8] [4,9]", Err: "9 and 8 do not fit on axis 2"},
	},
})
