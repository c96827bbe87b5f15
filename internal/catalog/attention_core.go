package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/op"
)

var _ = define(Type{
	ID:    "attentionCore",
	Title: "Attention between its projections",
	Doc: `Attention without its maps, for models whose queries, keys and values are projected in ways of their own: queries (sequence, numHeads*features), keys and values (positions, numKVHeads*features), in this order, the heads side by side in the last axis. ` +
		`A fourth input is added to the scores (heads, sequence, positions), where an axis of 1 is stretched. The key heads must divide the query heads. With windowSize a position sees itself and the windowSize-1 before it. With sinks each head has one trained score that takes attention away from all positions. The result is (sequence, numHeads*features of a value).`,
	Source: "torch.nn.functional.scaled_dot_product_attention; transformers LlamaAttention between its maps, GptOssAttention for sinks, MistralAttention for windowSize",
	Group:  Attention,
	Inputs: Arity{3, 4},
	Traits: IsAttention | IsMerge | HasActivation | IsCausal,
	Params: []Param{
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads", "nHead", "numAttentionHeads"}, Doc: "number of heads of queries"},
		{Name: "numKVHeads", Kind: Int, Min: 1, Aliases: []string{"numKeyValueHeads"}, Doc: "number of heads of keys and values",
			Derive: func(c *Call) int64 { return c.Int("numHeads") }, DeriveDoc: "numHeads"},
		{Name: "causal", Kind: Bool, Default: false, Aliases: []string{"isCausal"}, Doc: "whether a position sees only those before it"},
		{Name: "windowSize", Kind: Int, Min: 1, Optional: true, Aliases: []string{"slidingWindow", "window"}, Doc: "how far back a position sees, itself included"},
		{Name: "blockSize", Kind: Int, Min: 1, Optional: true, Doc: "positions of a block, where the named module attends from blocks to a few blocks"},
		{Name: "randomBlocks", Kind: Int, Min: 0, Optional: true, Doc: "how many of those blocks are drawn"},
		{Name: "sinks", Kind: Bool, Default: false, Doc: "whether each head has a trained score that no position owns"},
		scoreDropout, softcap,
	},
	Shape: func(c *Call) (Shape, error) {
		h, err := newHeaded(c)
		if err != nil {
			return nil, err
		}
		return Of(h.queries, c.Mul(h.heads, h.out)), c.checkGiven()
	},
	Weights: func(c *Call) {
		if c.Bool("sinks") {
			c.Weight("sinks", c.Int("numHeads"))
		}
	},
	FLOPs: func(c *Call) int64 {
		h, _ := newHeaded(c) // was refused with the shape
		return c.Add(c.MatMul(h.heads, h.queries, h.features, h.keys), c.MatMul(h.heads, h.queries, h.keys, h.out))
	},
	Lower: lowerCore,
	Torch: `AttentionCore({{numHeads}}, {{numKVHeads}}, {{causal}}, {{windowSize}}, {{sinks}}, dropout={{dropout}}, softcap={{softcap}})`,
	Module: `class AttentionCore(nn.Module):
    def __init__(self, heads, kv_heads, causal, window, sinks, dropout=None, softcap=None):
        super().__init__()
        self.heads, self.kv_heads, self.causal, self.window = heads, kv_heads, causal, window
        self.sinks = nn.Parameter(torch.zeros(heads)) if sinks else None
        self.dropout, self.softcap = dropout or 0.0, softcap

    def forward(self, q, k, v, bias=None):
        q, k, v = [x.unflatten(2, (n, -1)).transpose(1, 2) for x, n in ((q, self.heads), (k, self.kv_heads), (v, self.kv_heads))]
        if self.heads > self.kv_heads:
            k, v = [x.repeat_interleave(self.heads // self.kv_heads, 1) for x in (k, v)]
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
        if self.softcap is not None:
            scores = self.softcap * torch.tanh(scores / self.softcap)
        if bias is not None:
            scores = scores + bias
        if self.causal or self.window is not None:
            away = torch.arange(q.shape[2], device=q.device)[:, None] - torch.arange(k.shape[2], device=q.device)
            seen = away >= 0 if self.window is None else (away >= 0) & (away < self.window)
            scores = scores.masked_fill(~seen, float("-inf"))
        if self.sinks is None:
            weights = scores.softmax(-1)
        else:
            sinks = self.sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
            weights = torch.cat((scores, sinks), -1).softmax(-1)[..., :-1]
        return (F.dropout(weights, self.dropout, self.training) @ v).transpose(1, 2).flatten(2)
`,
	WeightFormula: "sinks*numHeads",
	FLOPsFormula:  "2*in2[-2]*in[-2]*in[-1] + 2*in2[-2]*size(out)",
	Examples: []Example{
		{In: "[12,64] [12,64] [12,64]", Args: "numHeads=8 causal=true", Out: "[12,64]", FLOPs: 36864},
		{In: "[5,32] [7,16] [7,8]", Args: "numHeads=4 numKVHeads=2 sinks=true", Out: "[5,16]", Weights: 4, FLOPs: 3360},
		{In: "[5,32] [7,32] [7,32] [4,5,7]", Args: "numHeads=4", Out: "[5,32]", FLOPs: 4480},
		{In: "[6,12] [6,12] [6,12]", Args: "numHeads=3 causal=true softcap=50 dropout=0.1", Out: "[6,12]", FLOPs: 1728},
		{In: "[6,12] [6,12] [6,12]", Args: "numHeads=3 softcap=0", Err: "softcap is 0 but must be positive"},
		{In: "[6,12] [6,12] [6,12]", Args: "numHeads=3 windowSize=4", Out: "[6,12]", FLOPs: 1728},
		{In: "[2,5,8] [5,8] [5,8]", Args: "numHeads=2", Err: "takes (sequence, features) for queries, keys and values, got [2,5,8], [5,8] and [5,8]"},
		{In: "[5,9] [5,9] [5,9]", Args: "numHeads=2", Err: "9 features of the queries are not divisible by 2 heads"},
		{In: "[5,8] [5,9] [5,8]", Args: "numHeads=2", Err: "9 features of the keys are not divisible by 2 heads"},
		{In: "[5,8] [5,12] [5,8]", Args: "numHeads=2", Err: "a head of the queries has 4 features but one of the keys has 6"},
		{In: "[5,8] [6,8] [5,8]", Args: "numHeads=2", Err: "6 keys but 5 values arrive"},
		{In: "[5,12] [5,8] [5,8]", Args: "numHeads=3 numKVHeads=2", Err: "3 heads are not divisible by 2 key and value heads"},
		{In: "[5,8] [7,8] [7,8] [2,5,6]", Args: "numHeads=2", Err: "the bias [2,5,6] cannot be added to scores of [2,5,7]"},
		{In: "[5,8] [7,8]", Args: "numHeads=2", Err: "takes 3 to 4 inputs, got 2"},
	},
})

// lowerCore attends between projections.
func lowerCore(l *Lowering) op.Value {
	h, _ := newHeaded(&l.Call) // was refused with the shape
	p := l.P
	q := op.View(p, l.X[0], h.heads, h.queries, h.features)
	k, v := op.View(p, l.X[1], h.kv, h.keys, h.features), op.View(p, l.X[2], h.kv, h.keys, h.out)
	if l.Bool("causal") || l.Has("windowSize") {
		k, v = l.cached(k, v)
		h.keys = p.Shape(k)[1]
	}
	repeated := h.kv < h.heads
	if repeated {
		k, v = l.repeat(k, h.heads), l.repeat(v, h.heads)
	}
	sizes := op.Heads{Queries: h.queries, Keys: h.keys, Count: h.heads, Features: h.features, Values: h.out, Dropout: l.InnerDropout()}
	bias, band := op.None, l.Has("windowSize") || l.Bool("causal")
	if len(l.X) > 3 {
		bias = l.X[3]
	}
	if l.Bool("sinks") {
		return l.sink(q, k, v, bias, sizes, inHeads{k: repeated, v: repeated})
	}
	switch {
	case bias != op.None && band:
		if full := []int64{l.In[3][0], h.queries, h.keys}; p.Elems(bias) < l.Size(full) {
			bias = op.View(p, bias, full...)
		}
		bias = op.MaskedFill(p, bias, op.Constant(p, op.Byte, true, h.queries, h.keys))
	case l.Has("windowSize") || band && l.Eager:
		bias = op.Constant(p, op.Byte, true, h.queries, h.keys)
	}
	sizes.Causal = band && bias == op.None && h.queries > 1
	return l.attend(q, k, v, bias, sizes, inHeads{k: repeated, v: repeated})
}

// sink attends with one more score for each head, which no value belongs to.
func (l *Lowering) sink(q, k, v, bias op.Value, h op.Heads, lie inHeads) op.Value {
	p := l.P
	scores := l.capped(op.Scores(p, l.headByHead(op.Scale(p, q), false), l.headByHead(k, lie.k), op.None, h))
	if bias != op.None {
		scores = op.Add(p, scores, bias)
	}
	if l.Has("windowSize") || l.Bool("causal") {
		scores = op.MaskedFill(p, scores, op.Constant(p, op.Byte, true, h.Queries, h.Keys))
	}
	sinks := op.View(p, op.Expanded(p, op.View(p, l.W("sinks"), h.Count, 1, 1), h.Count, 1, 1), h.Count, h.Queries, 1)
	both := op.Softmax(p, op.Concatenate(p, []int64{h.Count, h.Queries, h.Keys + 1}, scores, sinks))
	weights := l.dropout(op.View(p, both, h.Count, h.Queries, h.Keys))
	return op.Contiguous(p, op.Weigh(p, weights, l.headByHead(v, lie.v), h), h.Queries, h.Count*h.Values)
}

// headed is an attention whose heads lie side by side.
type headed struct {
	heads, kv                    int64
	queries, keys, features, out int64 // features and out are those of one head
}

func newHeaded(c *Call) (headed, error) {
	q, k, v := c.In[0], c.In[1], c.In[2]
	if len(q) != 2 || len(k) != 2 || len(v) != 2 {
		return headed{}, c.Errorf(RankMismatch, "takes (sequence, features) for queries, keys and values, got %v, %v and %v", q, k, v)
	}
	h := headed{heads: c.Int("numHeads"), kv: c.Int("numKVHeads"), queries: q[0], keys: k[0]}
	if h.heads%h.kv != 0 {
		return h, c.Errorf(GQAHeadDivisibility, "%d heads are not divisible by %d key and value heads", h.heads, h.kv)
	}
	for i, name := range []string{"queries", "keys", "values"} {
		n := h.kv
		if i == 0 {
			n = h.heads
		}
		if c.In[i][1]%n != 0 {
			return h, c.Errorf(HeadDimDivisibility, "%d features of the %s are not divisible by %d heads", c.In[i][1], name, n)
		}
	}
	h.features, h.out = q[1]/h.heads, v[1]/h.kv
	switch {
	case k[1]/h.kv != h.features:
		return h, c.Errorf(MatmulShapeMismatch, "a head of the queries has %d features but one of the keys has %d", h.features, k[1]/h.kv)
	case v[0] != h.keys:
		return h, c.Errorf(MatmulShapeMismatch, "%d keys but %d values arrive", h.keys, v[0])
	}
	return h, h.biased(c)
}

// biased refuses a fourth input that does not stretch to the scores.
func (h headed) biased(c *Call) error {
	if len(c.In) < 4 {
		return nil
	}
	scores := Of(h.heads, h.queries, h.keys)
	if sum, ok := broadcast(scores, c.In[3]); !ok || len(c.In[3]) != 3 || !slices.Equal(sum, scores) {
		return c.Errorf(MergeShapeMismatch, "the bias %v cannot be added to scores of %v", c.In[3], scores)
	}
	return nil
}
