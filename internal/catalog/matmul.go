package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "matmul",
	Title:   "The matrix product of two inputs",
	Doc:     `Multiplies the matrices in the last two axes of its inputs, as torch.matmul does: (…, n, k) by (…, k, m) gives (…, n, m). The axes before them must agree, where one of size 1 is stretched. Both inputs carry the batch and so must have the same number of axes, at least two.`,
	Source:  "torch.matmul",
	Group:   Merging,
	Aliases: []string{"bmm", "batchMatmul", "matrixMultiply"},
	Inputs:  Arity{2, 2},
	Traits:  IsMerge,
	Ints:    IntsKept,
	Shape: func(c *Call) (Shape, error) {
		a, b := c.In[0], c.In[1]
		if c.isInt(0) != c.isInt(1) {
			return nil, c.Errorf(DtypeMismatch, "one input has integers and the other numbers with a fraction")
		}
		// PyTorch takes a vector or a matrix, with the batch, for the matrix of every sample: the batch is then lost, or
		// must equal another axis.
		if a.Rank() < 2 || b.Rank() < 2 {
			return nil, c.Errorf(RankMismatch, "takes (…, n, k) and (…, k, m), got %v and %v", a, b)
		}
		if a.Rank() != b.Rank() {
			return nil, c.Errorf(MatmulShapeMismatch, "%v and %v have %d and %d axes, so that the batch of one would meet another axis", a, b, a.Rank(), b.Rank())
		}
		batch, ok := broadcast(a[:a.Rank()-2], b[:b.Rank()-2])
		switch {
		case !ok:
			return nil, c.Errorf(MatmulShapeMismatch, "%v and %v do not agree in the axes before the matrices", a, b)
		case a.At(-1) != b.At(-2):
			return nil, c.Errorf(MatmulShapeMismatch, "%v and %v: rows of %d do not fit columns of %d", a, b, a.At(-1), b.At(-2))
		}
		return append(batch, a.At(-2), b.At(-1)), nil
	},
	FLOPs:        func(c *Call) int64 { return c.MatMul(1, c.Size(c.Out), c.In[0].At(-1), 1) },
	Lower:        func(l *Lowering) op.Value { return op.MatMul(l.P, l.X[0], l.X[1]) },
	Torch:        `torch.matmul`,
	FLOPsFormula: "2*size(out)*in[-1]",
	Examples: []Example{
		{In: "[12,64] [64,12]", Out: "[12,12]", FLOPs: 18432},
		{In: "[8,12,64] [1,64,5]", Out: "[8,12,5]", FLOPs: 61440},
		{In: "[12,64] [32,12]", Err: "[12,64] and [32,12]: rows of 64 do not fit columns of 32"},
		{In: "[8,12,64] [64,5]", Err: "have 3 and 2 axes"},
		{In: "[2,3,4] [3,4,5]", Err: "do not agree in the axes before the matrices"},
		{In: "[64] [64,12]", Err: "takes (…, n, k) and (…, k, m), got [64] and [64,12]"},
		{In: "int[3,4] [4,5]", Err: "one input has integers"},
	},
})
