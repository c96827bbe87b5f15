package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "scaledDotProductAttention",
	Title: "Attention of queries to keys and values",
	Doc: `Queries, keys and values, each (…, sequence, features), in this order: every query becomes the sum of the values, weighted by the softmax of its products with the keys, as torch.nn.functional.scaled_dot_product_attention does. ` +
		`A fourth input is added to the scores (…, queries, keys); axes of size 1 are stretched. Queries and keys have the same number of features, keys and values the same length, and the axes before must agree, where one of size 1 is stretched; with enableGqa the heads of keys and values, the axis before the sequence, may divide those of the queries instead. ` +
		`It has no weights: the projections are components of their own. PyTorch refuses causal together with a mask, although some fused kernels let it pass. FLOPs are counted in full, as PyTorch does, although half of the scores of a causal one are masked.`,
	Source:  "torch.nn.functional.scaled_dot_product_attention; Vaswani et al. 2017, section 3.2.1",
	Group:   Attention,
	Aliases: []string{"sdpa", "dotProductAttention"},
	Inputs:  Arity{3, 4},
	Traits:  IsAttention | IsMerge | HasActivation | IsCausal,
	Params: []Param{
		{Name: "causal", Kind: Bool, Strict: true, Default: false, Aliases: []string{"isCausal"}, Doc: "whether a query sees only the keys up to its own position"},
		{Name: "enableGqa", Kind: Bool, Strict: true, Default: false, Doc: "whether heads of queries may share heads of keys and values"},
		{Name: "scale", Kind: Float, Optional: true, Doc: "factor of the scores; without it, one over the root of the number of features"},
	},
	Shape: func(c *Call) (Shape, error) {
		a, err := newAttending(c)
		if err != nil {
			return nil, err
		}
		return append(a.lead, a.queries, a.out), nil
	},
	FLOPs: func(c *Call) int64 {
		a, _ := newAttending(c) // was refused with the shape
		return c.Add(c.MatMul(c.Size(a.scored), a.queries, a.features, a.keys), c.MatMul(c.Size(a.lead), a.queries, a.keys, a.out))
	},
	Lower: lowerAttention,
	Torch: `ScaledDotProductAttention({{causal}}, {{enableGqa}}, {{scale}})`,
	Module: `class ScaledDotProductAttention(nn.Module):
    def __init__(self, causal, gqa, scale):
        super().__init__()
        self.causal, self.gqa, self.scale = causal, gqa, scale

    def forward(self, q, k, v, mask=None):
        if self.gqa:
            k, v = [t if t.shape[-3] == q.shape[-3] else t.repeat_interleave(q.shape[-3] // t.shape[-3], -3) for t in (k, v)]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.causal, scale=self.scale)
`,
	FLOPsFormula: "2*max(size(in)/in[-1], size(in2)/in2[-1]/in2[-2]*in[-2])*in2[-2]*in[-1] + 2*size(out)*in2[-2]",
	Examples: []Example{
		{In: "[8,12,64] [8,12,64] [8,12,64]", Args: "causal=true", Out: "[8,12,64]", FLOPs: 294912},
		{In: "[8,5,16] [8,7,16] [8,7,24] [1,5,7]", Args: "scale=0.5", Out: "[8,5,24]", FLOPs: 22400},
		{In: "[8,5,16] [2,7,16] [2,7,16]", Args: "enable_gqa=true", Out: "[8,5,16]", FLOPs: 17920},
		{In: "[5,16] [7,16] [7,16]", Out: "[5,16]", FLOPs: 2240},
		{In: "[8,5,16] [1,7,16] [1,7,16]", Out: "[8,5,16]", FLOPs: 17920},
		{In: "[1,5,16] [1,7,16] [3,7,16]", Out: "[3,5,16]", FLOPs: 4480},
		{In: "[16] [7,16] [7,16]", Err: "takes (…, sequence, features) for queries, keys and values, got [16], [7,16] and [7,16]"},
		{In: "[8,5,16] [7,16] [7,16]", Err: "have 3, 2 and 2 axes"},
		{In: "[8,5,16] [8,7,12] [8,7,16]", Err: "queries have 16 features but keys have 12"},
		{In: "[8,5,16] [8,7,16] [8,6,16]", Err: "7 keys but 6 values arrive"},
		{In: "[8,5,16] [2,7,16] [2,7,16]", Err: "the axes before the sequence do not agree"},
		{In: "[8,5,16] [3,7,16] [3,7,16]", Args: "enableGqa=true", Err: "8 query heads are not divisible by 3 key and 3 value heads"},
		{In: "[8,5,16] [8,7,16] [8,7,16] [8,5,6]", Err: "the mask [8,5,6] cannot be added to scores of [8,5,7]"},
		{In: "[8,5,16] [8,7,16] [8,7,16] [5,7]", Err: "the mask [5,7] cannot be added to scores of [8,5,7]"},
		{In: "[5,16] [7,16] [7,16] [5,7]", Args: "causal=true", Err: "causal is true and a mask arrives"},
		{In: "[5,16] [7,16] int[7,16]", Err: "takes numbers with a fraction"},
		{In: "[5,16] [7,16]", Err: "takes 3 to 4 inputs, got 2"},
	},
})

// lowerAttention runs a fused kernel where there is one axis of heads, as many in queries as in keys and values, and
// the formula elsewhere.
func lowerAttention(l *Lowering) op.Value {
	a, _ := newAttending(&l.Call) // was refused with the shape
	p := l.P
	h := op.Heads{Queries: a.queries, Keys: a.keys, Count: l.Size(a.lead), Features: a.features, Values: a.out}
	h.Causal = l.Bool("causal")
	mask := op.None
	if len(l.X) > 3 {
		mask = l.X[3]
	}
	heads := len(a.lead) == 1 && l.In[0][0] == l.In[1][0] && l.In[0][0] == l.In[2][0]
	if heads && h.Kernel(l.product(), mask != op.None) != op.Math {
		return op.View(p, op.Attention(p, l.X[0], l.X[1], l.X[2], mask, h), l.Out...)
	}
	width := p.Width(l.X[0])
	q, k, v := op.To(p, l.X[0], 4), op.To(p, l.X[1], 4), op.To(p, l.X[2], 4)
	if a.repeats(&l.Call) {
		k = op.Copied(p, k, append(slices.Clone(a.keyLead), a.keys, a.features)...)
		v = op.Copied(p, v, append(slices.Clone(a.valueLead), a.keys, a.out)...)
	}
	k = op.View(p, op.Scale(p, k), append(slices.Clone(a.keyLead), a.features, a.keys)...)
	scores := op.MatMul(p, op.Scale(p, q), k)
	if mask != op.None {
		scores = op.AddInPlace(p, scores, op.To(p, mask, 4))
	}
	return op.To(p, op.MatMul(p, op.Softmax(p, scores), v), width)
}

// attending is an attention over inputs that fit each other.
type attending struct {
	keyLead, valueLead           Shape // the axes before the sequence, repeated for every head of queries
	scored                       Shape // those of the scores: queries and keys stretched to each other
	lead                         Shape // those of the result: the values, too
	queries, keys, features, out int64
}

func newAttending(c *Call) (attending, error) {
	q, k, v := c.In[0], c.In[1], c.In[2]
	n := len(q) - 2
	if min(len(q), len(k), len(v)) < 2 {
		return attending{}, c.Errorf(RankMismatch, "takes (…, sequence, features) for queries, keys and values, got %v, %v and %v", q, k, v)
	}
	if len(k) != len(q) || len(v) != len(q) {
		return attending{}, c.Errorf(RankMismatch, "%v, %v and %v have %d, %d and %d axes, so that the batch of one would meet another axis", q, k, v, len(q), len(k), len(v))
	}
	a := attending{keyLead: k[:n], valueLead: v[:n], queries: q[n], keys: k[n], features: q[n+1], out: v[n+1]}
	if err := a.share(c); err != nil {
		return a, err
	}
	switch {
	case k[n+1] != a.features:
		return a, c.Errorf(MatmulShapeMismatch, "queries have %d features but keys have %d", a.features, k[n+1]).Wants(1, At(-1), a.features)
	case v[n] != a.keys:
		return a, c.Errorf(MatmulShapeMismatch, "%d keys but %d values arrive", a.keys, v[n])
	}
	return a, a.masked(c)
}

// share repeats the heads of keys and values, and stretches the axes before the sequence.
func (a *attending) share(c *Call) error {
	q := c.In[0][:len(c.In[0])-2]
	if n := len(q) - 1; n >= 0 && c.Bool("enableGqa") {
		if q[n]%a.keyLead[n] != 0 || q[n]%a.valueLead[n] != 0 {
			return c.Errorf(GQAHeadDivisibility, "%d query heads are not divisible by %d key and %d value heads", q[n], a.keyLead[n], a.valueLead[n])
		}
		a.keyLead, a.valueLead = a.keyLead.With(n, q[n]), a.valueLead.With(n, q[n])
	}
	var fits bool
	if a.scored, fits = broadcast(q, a.keyLead); fits {
		a.lead, fits = broadcast(a.scored, a.valueLead)
	}
	if fits {
		return nil
	}
	r := c.Errorf(MatmulShapeMismatch, "%v, %v and %v: the axes before the sequence do not agree", c.In[0], c.In[1], c.In[2])
	if !c.Bool("enableGqa") {
		r.Set("enableGqa", graph.BoolValue(true)) // offered only where it runs then
	}
	return r
}

// masked refuses a fourth input that cannot be added to the scores in place, as PyTorch does it.
func (a *attending) masked(c *Call) error {
	if len(c.In) < 4 {
		return nil
	}
	if c.Bool("causal") {
		return c.Errorf(BadParam, "causal is true and a mask arrives: PyTorch takes one of them")
	}
	scores := append(slices.Clone(a.scored), a.queries, a.keys)
	if sum, ok := broadcast(scores, c.In[3]); !ok || !sum.Equal(scores) {
		return c.Errorf(MergeShapeMismatch, "the mask %v cannot be added to scores of %v", c.In[3], scores)
	}
	return nil
}

// repeats reports whether heads are repeated. PyTorch copies keys and values then, even where one of them has enough
// (pre_process_group_query_attention_input of attention.cpp).
func (a *attending) repeats(c *Call) bool {
	n := len(c.In[0]) - 3
	return n >= 0 && c.Bool("enableGqa") && (c.In[0][n] != c.In[1][n] || c.In[0][n] != c.In[2][n])
}
