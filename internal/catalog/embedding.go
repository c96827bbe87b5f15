package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "embedding",
	Title:   "Looks up a vector for each token id",
	Doc:     `Replaces every token id by a row of a trained table, as torch.nn.Embedding does; the result has one axis more than the input. The input must be an integer tensor, and every id must be below numEmbeddings. A paddingIdx must name a row of the table, counted from the end where it is negative.`,
	Source:  "torch.nn.Embedding",
	Group:   Embeddings,
	Aliases: []string{"tokenEmbedding", "wordEmbedding"},
	Traits:  IsEmbedding,
	Params: []Param{
		{Name: "numEmbeddings", Kind: Int, Min: 1, Aliases: []string{"inputDim"}, Doc: "number of rows of the table: the vocabulary"},
		{Name: "embeddingDim", Kind: Int, Writes: At(-1), Aliases: []string{"outputDim"}, Doc: "size of each vector"},
		{Name: "paddingIdx", Kind: Int, Negative: true, Optional: true, Doc: "row that is not trained"},
		{Name: "maxNorm", Kind: Float, Optional: true, Doc: "rows that are longer are scaled down to this norm"},
		{Name: "normType", Kind: Float, Default: 2.0, Doc: "the p of the norm for maxNorm"},
		{Name: "scaleGradByFreq", Kind: Bool, Default: false, Doc: "whether gradients are divided by how often an id occurs"},
		{Name: "sparse", Kind: Bool, Default: false, Doc: "whether the gradient is a sparse tensor"},
		tiedTo, tied,
	},
	Indices: []int{0},
	Shape: func(c *Call) (Shape, error) {
		out := Of(append(append([]int64{}, c.In[0]...), c.Int("embeddingDim"))...)
		if n, i := c.Int("numEmbeddings"), c.Int("paddingIdx"); i >= n || i < -n {
			return out, c.Errorf(IndexOutOfRange, "paddingIdx is %d but must be from %d to %d for %d rows", i, -n, n-1, n)
		}
		return out, nil
	},
	Weights: func(c *Call) { c.Weight("weight", c.Int("numEmbeddings"), c.Int("embeddingDim")) },
	Lower:   func(l *Lowering) op.Value { return op.Embedding(l.P, l.X[0], l.W("weight")) },
	Torch: `nn.Embedding({{numEmbeddings}}, {{embeddingDim}}, padding_idx={{paddingIdx}}, max_norm={{maxNorm}}, norm_type={{normType}}, ` +
		`scale_grad_by_freq={{scaleGradByFreq}}, sparse={{sparse}})`,
	WeightFormula: "numEmbeddings*embeddingDim",
	Examples: []Example{
		{In: "int[12]", Args: "numEmbeddings=100 embeddingDim=16", Out: "[12,16]", Weights: 1600},
		{In: "int[]", Args: "vocab_size=10 dModel=4 paddingIdx=-10", Out: "[4]", Weights: 40},
		{In: "int[3,5]", Args: "numEmbeddings=7 hiddenDim=2 paddingIdx=6", Out: "[3,5,2]", Weights: 14},
		{In: "int[12]", Args: "numEmbeddings=10 embeddingDim=4 paddingIdx=10", Err: "paddingIdx is 10 but must be from -10 to 9 for 10 rows"},
		{In: "[12]", Args: "numEmbeddings=10 embeddingDim=4", Err: "must be token ids"},
	},
})
