package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "add",
	Title:   "The sum of its inputs",
	Doc:     `Adds its inputs element by element, as torch.add does: the joint of a residual connection. All must have the same shape, except that an axis of size 1 is stretched to the others. Inputs with different numbers of axes do not add up, since PyTorch would then meet the batch with another axis.`,
	Source:  "torch.add",
	Group:   Merging,
	Aliases: []string{"addition", "elementwiseAdd", "residualAdd", "residual", "skipConnection"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge | IsAdd,
	Ints:    IntsKept,
	Shape:   broadcastShape,
	Lower:   func(l *Lowering) op.Value { return l.fold(op.Add) },
	Torch:   `lambda x, *others: sum(others, x)`,
	Examples: []Example{
		{In: "[64,8,8] [64,8,8]", Out: "[64,8,8]"},
		{In: "[64,8,8] [64,1,1] [1,8,8]", Out: "[64,8,8]"},
		{In: "[7]", Out: "[7]"},
		{In: "[4,8] [5,8]", Err: "input 1 is [5,8] but input 0 is [4,8]: 5 and 4 do not fit on axis 1"},
		{In: "[4] [5] [5]", Err: "input 0 is [4] but input 1 is [5]: 4 and 5 do not fit on axis 1; the others fit each other"},
		{In: "[4,8] [8]", Err: "input 1 is [8] but input 0 is [4,8]: the numbers of axes differ"},
	},
})
