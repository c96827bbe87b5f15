package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "norm",
	Title:   "The norm of vectors",
	Doc:     `Gives the p-norm over one axis or several taken as one vector, as torch.linalg.vector_norm does: the Euclidean length for p 2, the number of non-zeros for p 0. dim counts the batch as axis 0. Integers are refused. It does not normalise: divide by it, or use a normalisation.`,
	Source:  "torch.linalg.vector_norm",
	Group:   Arithmetic,
	Aliases: []string{"vectorNorm", "lpNorm"},
	Params: []Param{
		{Name: "p", Kind: Float, Default: 2, Aliases: []string{"ord"}, Doc: "the exponent of the norm"},
		reducedDims, keepDim,
	},
	Shape: reducedShape,
	Lower: func(l *Lowering) op.Value { return op.VectorNorm(l.P, l.X[0], l.Out...) },
	Torch: `lambda x: torch.linalg.vector_norm(x, {{p}}, dim={{dim}}, keepdim={{keepDim}})`,
	Examples: []Example{
		{In: "[12,64]", Args: "dim=1", Out: "[64]"},
		{In: "[64,8,8]", Args: "dim=[2,-1] keepDim=true", Out: "[64,1,1]"},
		{In: "[64]", Args: "dim=2", Err: "dim is 2 but must be from -2 to 1"},
		{In: "[64]", Args: "dim=0", Err: "dim names the batch"},
		{In: "[64]", Args: "dim=1 p=nuc", Err: "takes a number"},
	},
})
