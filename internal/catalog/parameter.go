package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "parameter",
	Title:   "A tensor of the model itself",
	Doc:     `A trained tensor that is used as it is, as nn.Parameter holds one: positions, a class token, a scale, the queries of a pooling head. The same values serve every sample; the input only tells how many samples there are, and nothing of it flows into the result. With trainable set to false it is a constant, as register_buffer holds one, and counts no weights. The shape leaves the batch out.`,
	Source:  "torch.nn.Parameter, torch.nn.Module.register_buffer, torch.Tensor.expand",
	Group:   Structure,
	Aliases: []string{"nnParameter", "learnedTensor"},
	Traits:  IsTensor,
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "shape", Kind: Ints, Min: 1, EmptyOK: true, Aliases: []string{"size", "sizes"}, Doc: "size of every axis behind the batch"},
		{Name: "trainable", Kind: Bool, Default: true, Aliases: []string{"requiresGrad"}, Doc: "whether training changes it; a constant counts no weights"},
	},
	Shape: func(c *Call) (Shape, error) { return c.Ints("shape"), nil },
	Weights: func(c *Call) {
		if c.Bool("trainable") {
			c.Weight("weight", c.Ints("shape")...)
		}
	},
	Lower: func(l *Lowering) op.Value {
		weight := l.W("weight")
		if weight == op.None {
			weight = l.P.Buffer(op.Float, l.Out...)
		}
		return op.Expanded(l.P, weight, l.Out...)
	},
	Torch: `BatchedTensor({{shape}}, {{trainable}})`,
	Module: `class BatchedTensor(nn.Module):
    def __init__(self, shape, trainable):
        super().__init__()
        if trainable:
            self.weight = nn.Parameter(torch.zeros(shape))
        else:
            self.register_buffer("weight", torch.zeros(shape))

    def forward(self, x):
        return self.weight.expand(x.shape[0], *self.weight.shape)
`,
	WeightFormula: "(trainable != 0)*size(shape)",
	Examples: []Example{
		{In: "[196,768]", Args: "shape=[1,768]", Out: "[1,768]", Weights: 768},
		{In: "int[12]", Args: "shape=[12,64]", Out: "[12,64]", Weights: 768},
		{In: "[3]", Args: "shape=[12,12] trainable=false", Out: "[12,12]"},
		{In: "[3]", Args: "shape=[]", Out: "[]", Weights: 1},
		{In: "[]", Args: "shape=5", Out: "[5]", Weights: 5},
		{In: "[3]", Args: "shape=[4,0]", Err: "shape is [4,0] but takes"},
		{In: "[3]", Args: "shape=[-1,8]", Err: "shape is [-1,8] but takes"},
		{In: "[3]", Err: "shape is missing"},
		{In: "[3] [3]", Args: "shape=[4]", Err: "takes one input, got 2"},
		{Args: "shape=[4]", Err: "takes one input, got 0"},
	},
})
