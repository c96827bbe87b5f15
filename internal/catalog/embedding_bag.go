package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "embeddingBag",
	Title:  "Looks up the vectors of a bag of ids and joins them into one",
	Doc:    `Looks up a row of a trained table for each id and joins the rows of a sample into one vector by their mean, sum or maximum, as torch.nn.EmbeddingBag does with a two-dimensional input. The input is one axis of integers, the bag. Every id must be below numEmbeddings.`,
	Source: "torch.nn.EmbeddingBag",
	Group:  Embeddings,
	Traits: IsEmbedding,
	Params: []Param{
		{Name: "numEmbeddings", Kind: Int, Min: 1, Doc: "number of rows of the table"},
		{Name: "embeddingDim", Kind: Int, Writes: At(-1), Doc: "size of each vector"},
		{Name: "mode", Kind: String, Default: "mean", Values: []string{"sum", "mean", "max"}, Doc: "how the rows of a bag are joined"},
		{Name: "paddingIdx", Kind: Int, Negative: true, Optional: true, Doc: "row that is left out of its bag"},
		{Name: "maxNorm", Kind: Float, Optional: true, Doc: "rows that are longer are scaled down to this norm"},
		{Name: "normType", Kind: Float, Default: 2.0, Doc: "the p of the norm for maxNorm"},
		{Name: "scaleGradByFreq", Kind: Bool, Default: false, Doc: "whether gradients are divided by how often an id occurs"},
		{Name: "sparse", Kind: Bool, Default: false, Doc: "whether the gradient is a sparse tensor"},
	},
	Indices: []int{0},
	Shape: func(c *Call) (Shape, error) {
		out := Of(c.Int("embeddingDim"))
		if err := c.Ranks(1, 1, "one axis of ids"); err != nil {
			return out, err
		}
		if n, i := c.Int("numEmbeddings"), c.Int("paddingIdx"); i >= n || i < -n {
			return out, c.Errorf(IndexOutOfRange, "paddingIdx is %d but must be from %d to %d for %d rows", i, -n, n-1, n)
		}
		if c.Str("mode") == "max" && (c.Bool("scaleGradByFreq") || c.Bool("sparse")) {
			return out, c.Errorf(BadParam, "mode max works with neither scaleGradByFreq nor sparse")
		}
		return out, nil
	},
	Weights: func(c *Call) { c.Weight("weight", c.Int("numEmbeddings"), c.Int("embeddingDim")) },
	Lower: func(l *Lowering) op.Value {
		return op.EmbeddingBag(l.P, l.X[0], l.W("weight"), l.Str("mode") == "max")
	},
	Torch: `nn.EmbeddingBag({{numEmbeddings}}, {{embeddingDim}}, max_norm={{maxNorm}}, norm_type={{normType}}, ` +
		`scale_grad_by_freq={{scaleGradByFreq}}, mode={{mode}}, sparse={{sparse}}, padding_idx={{paddingIdx}})`,
	WeightFormula: "numEmbeddings*embeddingDim",
	Examples: []Example{
		{In: "int[20]", Args: "numEmbeddings=1000 embeddingDim=16", Out: "[16]", Weights: 16000},
		{In: "int[1]", Args: "vocabSize=10 embedDim=4 mode=max paddingIdx=-1", Out: "[4]", Weights: 40},
		{In: "int[20,3]", Args: "numEmbeddings=1000 embeddingDim=16", Err: "takes one axis of ids, got [20,3]"},
		{In: "int[20]", Args: "numEmbeddings=10 embeddingDim=4 paddingIdx=10", Err: "must be from -10 to 9"},
		{In: "int[20]", Args: "numEmbeddings=10 embeddingDim=4 mode=max sparse=true", Err: "works with neither"},
		{In: "int[20]", Args: "numEmbeddings=10 embeddingDim=4 mode=min", Err: "takes one of sum, mean, max"},
	},
})
