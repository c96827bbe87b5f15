package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "softmax",
	Title:  "Shares that add up to one",
	Doc:    `Exponentiates the values along the axis dim and divides them by their sum. dim counts the batch as axis 0; dim 0 is legal, but mixes the samples of a batch. CrossEntropyLoss expects the values before it, not the shares.`,
	Source: "torch.nn.Softmax",
	Group:  Activation,
	Traits: IsSoftmax | KeepsShape | InUnit,
	Params: []Param{paramSoftmaxDim},
	Shape:  softmaxShape,
	Lower:  func(l *Lowering) op.Value { return op.Softmax(l.P, l.X[0]) },
	Torch:  `nn.Softmax(dim={{dim}})`,
	Examples: []Example{
		{In: "[10]", Out: "[10]"},
		{In: "[8,12,12]", Args: "dim=-1", Out: "[8,12,12]"},
		{In: "[10]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1 for 2 axes with the batch"},
		{In: "int[10]", Err: "takes numbers with a fraction"},
	},
})

// paramSoftmaxDim is the axis of the functions that normalise along one, with the default of the reference.
var paramSoftmaxDim = Param{Name: "dim", Kind: Int, Negative: true, Default: -1, Doc: "axis along which the values are normalised; the batch is axis 0"}

func softmaxShape(c *Call) (Shape, error) {
	in := c.In[0]
	_, err := c.Axis("dim", c.Int("dim"), in.Rank())
	return in, err
}
