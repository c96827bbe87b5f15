package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "relativePositionBias",
	Title:   "Adds a trained bias for each distance to attention scores",
	Doc:     `Adds to each score of an attention a trained number that depends on the head and on the bucket of the distance between key and query. Near distances have a bucket each, farther ones share buckets that widen logarithmically up to maxDistance. It takes scores (heads, queries, keys), from before the softmax. numBuckets must be at least 4, or 2 if not bidirectional.`,
	Source:  "Raffel et al. 2019, T5; transformers T5Attention.compute_bias",
	Group:   Embeddings,
	Aliases: []string{"t5RelativePositionBias"},
	Traits:  IsPositional | KeepsShape,
	Ints:    IntsToFloat,
	Params: []Param{
		scoreHeads,
		{Name: "numBuckets", Kind: Int, Min: 1, Default: 32, Aliases: []string{"relativeAttentionNumBuckets"}, Doc: "number of buckets, of both directions together"},
		{Name: "maxDistance", Kind: Int, Min: 1, Default: 128, Aliases: []string{"relativeAttentionMaxDistance"}, Doc: "distance from which on all share the last bucket"},
		{Name: "bidirectional", Kind: Bool, Default: true, Doc: "whether keys behind the query have buckets of their own; otherwise all share the bucket of distance 0"},
	},
	Shape: func(c *Call) (Shape, error) {
		out, err := scoresShape(c)
		if err != nil {
			return out, err
		}
		n, least := c.Int("numBuckets"), int64(2)
		if c.Bool("bidirectional") {
			least = 4
		}
		exact := n / least
		if exact < 1 {
			return out, c.Errorf(BadParam, "numBuckets is %d but must be at least %d: half of those of a direction are for exact distances", n, least)
		}
		if far := c.Int("maxDistance"); far <= exact {
			return out, c.Errorf(BadParam, "maxDistance is %d but must be larger than %d, the number of exact distances", far, exact)
		}
		return out, nil
	},
	Weights: func(c *Call) { c.Weight("weight", c.Int("numBuckets"), c.Int("numHeads")) },
	Lower: func(l *Lowering) op.Value {
		p, queries, keys := l.P, l.In[0][1], l.In[0][2]
		buckets := op.Constant(p, op.Int64, true, queries, keys)
		return op.Add(p, l.X[0], op.View(p, op.Embedding(p, buckets, l.W("weight")), l.In[0]...))
	},
	Torch: `RelativePositionBias({{numHeads}}, {{numBuckets}}, {{maxDistance}}, {{bidirectional}})`,
	Module: `class RelativePositionBias(nn.Embedding):
    def __init__(self, heads, buckets, far, both):
        super().__init__(buckets, heads)
        self.far, self.both = far, both
        self.side = buckets // 2 if both else buckets
        self.exact = self.side // 2

    def forward(self, x):
        q, k = x.shape[2:]
        rel = torch.arange(k, device=x.device)[None, :] - torch.arange(q, device=x.device)[:, None]
        start = (rel > 0).long() * self.side if self.both else torch.zeros_like(rel)
        rel = rel.abs() if self.both else (-rel).clamp(min=0)
        log = torch.log(rel.clamp(min=1).float() / self.exact) / math.log(self.far / self.exact)
        large = (self.exact + (log * (self.side - self.exact)).long()).clamp(max=self.side - 1)
        return x + super().forward(start + torch.where(rel < self.exact, rel, large)).permute(2, 0, 1)
`,
	WeightFormula: "numBuckets*numHeads",
	Examples: []Example{
		{In: "[8,12,12]", Args: "numHeads=8", Out: "[8,12,12]", Weights: 256},
		{In: "[8,1,20]", Args: "numHeads=8 numBuckets=2 bidirectional=false", Out: "[8,1,20]", Weights: 16},
		{In: "[8,12,12]", Args: "numHeads=8 numBuckets=3", Err: "numBuckets is 3 but must be at least 4"},
		{In: "[8,12,12]", Args: "numHeads=8 maxDistance=8", Err: "maxDistance is 8 but must be larger than 8"},
		{In: "[8,12,12]", Args: "numHeads=4", Err: "numHeads is 4 but 8 heads arrive"},
	},
})
