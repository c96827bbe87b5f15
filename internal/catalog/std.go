package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "std",
	Title:   "The standard deviation over axes",
	Doc:     `Gives the standard deviation over one axis or several, as torch.std does: divided by one less than the number of values. A single value has none, and gives NaN without an error. dim counts the batch as axis 0; integers are refused.`,
	Source:  "torch.std",
	Group:   Arithmetic,
	Aliases: []string{"standardDeviation", "reduceStd"},
	Params:  []Param{reducedDims, keepDim, correction},
	Shape:   reducedShape,
	Lower:   func(l *Lowering) op.Value { return op.Std(l.P, l.X[0], l.Out...) },
	Torch:   `lambda x: x.std({{dim}}, correction={{correction}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "int[64]", Args: "dim=1", Err: "takes numbers with a fraction"},
	},
})

// correction is a number, not an integer: torch takes any.
var correction = Param{Name: "correction", Kind: Float, Default: 1, Doc: "what the divisor is less than the number of values"}
