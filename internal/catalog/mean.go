package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "mean",
	Title:   "The mean over axes",
	Doc:     `Averages over one axis or several, as torch.mean does. dim counts the batch as axis 0, which cannot be averaged; 1 is the sequence or the channels. Integers have no mean in PyTorch.`,
	Source:  "torch.mean",
	Group:   Arithmetic,
	Aliases: []string{"reduceMean"},
	Traits:  IsLinear,
	Params:  []Param{reducedDims, keepDim},
	Shape:   reducedShape,
	Lower:   func(l *Lowering) op.Value { return op.Mean(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.mean({{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=1", Out: "[]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "[64,8]", Args: "dim=[2,-1]", Err: "dim names axis 2 twice"},
		{In: "[64]", Args: "dim=1 keepDim=1", Err: "keepDim is 1 but takes true or false"},
		{In: "int[64]", Args: "dim=1", Err: "takes numbers with a fraction"},
	},
})
