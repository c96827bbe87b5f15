package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "divide",
	Title:   "The first input divided by the others",
	Doc:     `Divides the first input by the second and every further one, in the order of the connections, as torch.div does. Shapes must agree as for add: an axis of size 1 is stretched, a different number of axes is refused. Integers become numbers with a fraction; division by zero gives infinity without an error.`,
	Source:  "torch.div",
	Group:   Merging,
	Aliases: []string{"div", "division", "elementwiseDivide"},
	Inputs:  Arity{1, Any},
	Traits:  IsMerge,
	Ints:    IntsToFloat,
	Shape: func(c *Call) (Shape, error) {
		c.OutIsInt = len(c.In) == 1 && c.isInt(0) // one input alone comes out as it is
		return broadcastShape(c)
	},
	Lower: func(l *Lowering) op.Value { return l.fold(op.Div) },
	Torch: `Divide()`,
	Module: `class Divide(nn.Module):
    def forward(self, x, *others):
        for y in others:
            x = x / y
        return x
`,
	Examples: []Example{
		{In: "[64,8] [64,8]", Out: "[64,8]"},
		{In: "[1,8] [64,1] int[64,8]", Out: "[64,8]"},
		{In: "[4,8] [4,9]", Err: "9 and 8 do not fit on axis 2"},
		{In: "[4,8] [8]", Err: "the numbers of axes differ"},
	},
})
