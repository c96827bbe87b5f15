package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "segmentEmbedding",
	Title:   "Adds a trained vector for the segment of each position",
	Doc:     `Adds to each position of a sequence (sequence, embedDim) the trained vector of the segment that it belongs to, as BERT does to tell two sentences apart. The second input has one integer for each position; without it all belong to segment 0. Every id must be below numSegments.`,
	Source:  "Devlin et al. 2018, section 3; transformers BertEmbeddings.token_type_embeddings",
	Group:   Embeddings,
	Aliases: []string{"tokenTypeEmbedding"},
	Traits:  KeepsShape,
	Inputs:  Arity{1, 2},
	Indices: []int{1},
	Ints:    IntsToFloat,
	Params: []Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis of the input"},
		{Name: "numSegments", Kind: Int, Min: 1, Default: 2, Aliases: []string{"typeVocabSize", "numTypes"}, Doc: "number of segments"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.sequence(FeatureMismatch, "embedDim"); err != nil {
			return nil, err
		}
		if s := c.In[0][0]; len(c.In) == 2 && !c.In[1].Equal(Of(s)) {
			return c.In[0], c.Errorf(MergeShapeMismatch, "the ids have the shape %v but must be one for each position: %v", c.In[1], Of(s))
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) { c.Weight("weight", c.Int("numSegments"), c.Int("embedDim")) },
	Lower: func(l *Lowering) op.Value {
		var ids op.Value
		if len(l.X) == 2 {
			ids = l.X[1]
		} else {
			ids = op.Constant(l.P, op.Int64, false, l.In[0][0])
		}
		return op.Add(l.P, l.X[0], op.Embedding(l.P, ids, l.W("weight")))
	},
	Torch: `SegmentEmbedding({{numSegments}}, {{embedDim}})`,
	Module: `class SegmentEmbedding(nn.Embedding):
    def forward(self, x, ids=None):
        if ids is None:
            ids = torch.zeros(x.shape[:2], dtype=torch.long, device=x.device)
        return x + super().forward(ids)
`,
	WeightFormula: "numSegments*embedDim",
	Examples: []Example{
		{In: "[12,16] int[12]", Args: "embedDim=16", Out: "[12,16]", Weights: 32},
		{In: "[12,16]", Args: "embedDim=16 numSegments=3", Out: "[12,16]", Weights: 48},
		{In: "[12,16] int[11]", Args: "embedDim=16", Err: "the ids have the shape [11] but must be one for each position: [12]"},
		{In: "[12,16] [12]", Args: "embedDim=16", Err: "must be token ids"},
		{In: "[12,16]", Args: "embedDim=8", Err: "embedDim is 8 but 16 features arrive"},
	},
})
