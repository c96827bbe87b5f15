package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "residualVQ",
	Title: "Replaces vectors by a sum out of several codebooks",
	Doc: `Takes the nearest vector of a codebook from each vector of the last axis, then that of the next codebook from what is left, and so on, and gives the sum of what was taken. ` +
		`The gradient passes as if nothing had been replaced.`,
	Source:  "Zeghidour et al. 2021, SoundStream, algorithm 1",
	Group:   Blocks,
	Aliases: []string{"residualVectorQuantizer", "rvq"},
	Traits:  KeepsShape,
	Params:  codebookParams(Param{Name: "numQuantizers", Kind: Int, Min: 1, Aliases: []string{"numCodebooks"}, Doc: "number of codebooks"}),
	Shape:   codebookShape,
	Weights: func(c *Call) {
		n := c.Int("numQuantizers")
		c.WeightTimes(n, numbered("codebooks.", 0, n), c.Int("numEmbeddings"), c.Int("embeddingDim"))
	},
	FLOPs: func(c *Call) int64 {
		return c.MatMul(c.Int("numQuantizers"), c.positions(), c.Int("embeddingDim"), c.Int("numEmbeddings"))
	},
	Lower: func(l *Lowering) op.Value {
		p, n := l.P, l.Int("numQuantizers")
		if n > MostParts {
			return op.None
		}
		rest := l.X[0]
		for k := range n {
			rest = op.Nearest(p, rest, p.WeightOf(0, k, l.Weights[0].Shape...))
		}
		return op.Add(p, l.X[0], rest)
	},
	Torch:  `VectorQuantizer({{numEmbeddings}}, {{embeddingDim}}, {{numQuantizers}})`,
	Module: codebookModule,

	WeightFormula: "numQuantizers*numEmbeddings*embeddingDim",
	FLOPsFormula:  "2*numQuantizers*size(in)*numEmbeddings",
	Examples: []Example{
		{In: "[50,16]", Args: "numEmbeddings=32 embeddingDim=16 numQuantizers=8", Out: "[50,16]", Weights: 4096, FLOPs: 409600},
		{In: "[3]", Args: "numEmbeddings=5 embeddingDim=3 numQuantizers=1", Out: "[3]", Weights: 15, FLOPs: 30},
		{In: "[50,16]", Args: "numEmbeddings=32 embeddingDim=16", Err: "numQuantizers is missing"},
		{In: "[50,16]", Args: "numEmbeddings=32 embeddingDim=8 numQuantizers=2", Err: "embeddingDim is 8 but 16 features arrive"},
	},
})
