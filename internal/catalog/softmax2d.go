package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "softmax2d",
	Title:  "Shares of the channels at each position",
	Doc:    `The softmax over the channels of (channels, height, width), each position for itself. PyTorch counts the axis from the end: it also takes (height, width), but then mixes the samples of a batch.`,
	Source: "torch.nn.Softmax2d",
	Group:  Activation,
	Traits: IsSoftmax | KeepsShape | InUnit,
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(2, 3, "(channels, height, width) or (height, width)"); err != nil {
			return nil, err
		}
		return c.In[0], nil
	},
	Lower: func(l *Lowering) op.Value { return op.Softmax(l.P, l.X[0]) },
	Torch: `nn.Softmax2d()`,
	Examples: []Example{
		{In: "[21,64,64]", Out: "[21,64,64]"},
		{In: "[64,64]", Out: "[64,64]"},
		{In: "[10]", Err: "takes (channels, height, width) or (height, width), got [10]"},
		{In: "int[3,8,8]", Err: "takes numbers with a fraction"},
	},
})
