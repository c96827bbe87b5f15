package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "nativeSparseAttention",
	Title: "Attention to summaries, chosen blocks and a window",
	Doc: `Each position attends three times and a gate weighs the results: to the means of blocks of blockSize keys and values, to the tokens of the topBlocks blocks whose means got the largest weights, its own among them, ` +
		`and to the slidingWindow tokens up to itself. Takes (sequence, embedDim) and never looks ahead. The key heads must divide the query heads, and the query heads embedDim unless headDim is given. ` +
		`Rotary positions are a component of their own. Costs are those of masks in PyTorch: all scores are computed once and stay in memory; a sparse kernel needs less.`,
	Source: "Yuan et al. 2025; fla-org/native-sparse-attention modeling_nsa.py over ops/naive.py naive_nsa_with_compression",
	Group:  Attention, Aliases: []string{"nsa"},
	Traits: IsAttention | HasActivation | KeepsShape | IsCausal,
	Params: headParams(
		Param{Name: "numKVHeads", Kind: Int, Min: 1, Aliases: []string{"numKeyValueHeads"}, Doc: "number of heads of keys and values",
			Derive: func(c *Call) int64 { return c.Int("numHeads") }, DeriveDoc: "numHeads"},
		Param{Name: "headDim", Kind: Int, Min: 1, Doc: "features of each head", Derive: headDim, DeriveDoc: "embedDim/numHeads"},
		Param{Name: "blockSize", Kind: Int, Min: 1, Default: 64, Doc: "tokens of a block"},
		Param{Name: "topBlocks", Kind: Int, Min: 1, Default: 16, Aliases: []string{"blockCounts", "numSelectedBlocks"}, Doc: "blocks whose tokens a position sees"},
		Param{Name: "slidingWindow", Kind: Int, Min: 1, Default: 512, Aliases: []string{"windowSize", "slidingWindowSize"}, Doc: "tokens up to itself that a position sees"},
		Param{Name: "bias", Kind: Bool, Default: false, Aliases: []string{"qkvBias"}, Doc: "whether the maps to queries, keys and values add a bias"},
	),
	Shape: func(c *Call) (Shape, error) {
		e, h, kv := c.Int("embedDim"), c.Int("numHeads"), c.Int("numKVHeads")
		if err := c.attentionIn(!c.Has("headDim") || c.Int("headDim") == e/h); err != nil {
			return nil, err
		}
		switch {
		case !c.Has("headDim"):
			return c.In[0], c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by %d heads, and headDim is not given", e, h)
		case h%kv != 0:
			return c.In[0], c.Errorf(GQAHeadDivisibility, "%d heads are not divisible by %d key and value heads", h, kv)
		}
		return c.In[0], nil
	},
	Weights: func(c *Call) {
		e, d, bias := c.Int("embedDim"), c.Int("headDim"), c.Bool("bias")
		q, kv := c.Mul(c.Int("numHeads"), d), c.Mul(c.Int("numKVHeads"), d)
		c.Linear("q_proj", e, q, bias)
		c.Linear("k_proj", e, kv, bias)
		c.Linear("v_proj", e, kv, bias)
		c.Linear("g_proj", e, c.Mul(3, c.Int("numHeads")), false)
		c.Linear("o_proj", q, e, false)
	},
	FLOPs: func(c *Call) int64 {
		s, e, h, d := c.In[0][0], c.Int("embedDim"), c.Int("numHeads"), c.Int("headDim")
		maps := c.Add(c.Mul(2, c.Add(h, c.Int("numKVHeads")), d), c.Mul(3, h))
		return c.Add(c.MatMul(1, s, e, maps), c.MatMul(h, s, d, c.Add(c.Mul(3, s), c.Mul(2, c.blocks()))))
	},
	Lower:         lowerNativeSparse,
	Torch:         `NativeSparseAttention({{embedDim}}, {{numHeads}}, {{numKVHeads}}, {{headDim}}, {{blockSize}}, {{topBlocks}}, {{slidingWindow}}, {{bias}})`,
	Module:        nativeSparseModule,
	WeightFormula: "2*embedDim*(numHeads+numKVHeads)*headDim + 3*embedDim*numHeads + bias*(numHeads+2*numKVHeads)*headDim",
	FLOPsFormula: "2*in[0]*embedDim*(2*(numHeads+numKVHeads)*headDim + 3*numHeads) + " +
		"2*numHeads*in[0]*headDim*(3*in[0] + 2*ceil(in[0], blockSize))",
	Examples: []Example{
		{In: "[128,32]", Args: "embedDim=32 numHeads=4", Out: "[128,32]", Weights: 4480, FLOPs: 4325376},
		{In: "[3,18]", Args: "embedDim=18 numHeads=6 numKVHeads=2 blockSize=5 topBlocks=1 slidingWindow=2", Out: "[3,18]", Weights: 1188, FLOPs: 8316},
		{In: "[9,8]", Args: "embedDim=8 numHeads=4 numKVHeads=2 headDim=3 blockSize=3 bias=true", Out: "[9,8]", Weights: 408, FLOPs: 14040},
		{In: "[12,32]", Args: "embedDim=32 numHeads=4 numKVHeads=3", Err: "4 heads are not divisible by 3 key and value heads"},
		{In: "[12,33]", Args: "embedDim=33 numHeads=4", Err: "embedDim 33 is not divisible by 4 heads"},
		{In: "[12,32]", Args: "embedDim=16 numHeads=4", Err: "embedDim is 16 but 32 features arrive"},
	},
})

// blocks is how many blocks the tokens of a sequence fill, the last one perhaps in part.
func (c *Call) blocks() int64 { return (c.In[0][0]-1)/c.Int("blockSize") + 1 }

func lowerNativeSparse(l *Lowering) op.Value {
	p, s, h, kv, d := l.P, l.In[0][0], l.Int("numHeads"), l.Int("numKVHeads"), l.Int("headDim")
	group, n, size := h/kv, l.blocks(), l.Int("blockSize")
	q := op.View(p, l.heads(op.Scale(p, l.Map(l.X[0], "q_proj")), s, h, d), kv, group*s, d)
	k, v := l.heads(l.Map(l.X[0], "k_proj"), s, kv, d), l.heads(l.Map(l.X[0], "v_proj"), s, kv, d)
	means := func(x op.Value) op.Value {
		if n*size > s {
			x = op.Padded(p, x, kv, n*size, d)
		}
		return op.Mean(p, op.View(p, x, kv, n, size, d), kv, n, d)
	}
	scores := func(k op.Value, keys int64) op.Value {
		return op.View(p, op.MatMul(p, q, op.View(p, k, kv, d, keys)), kv, group, s, keys)
	}
	gates := op.OfOutput(p, l.Map(l.X[0], "g_proj"))
	gates = op.Mul(p, op.View(p, gates, s, h, 3), op.Constant(p, op.Byte, true, s, 1, 3))
	attend := func(weights, v op.Value, keys int64) op.Value {
		y := op.MatMul(p, op.View(p, weights, kv, group*s, keys), v)
		return op.Mul(p, op.View(p, y, h, s, d), op.View(p, gates, h, s, 1))
	}
	short := op.Softmax(p, op.Add(p, scores(means(k), n), op.Constant(p, op.Float, true, s, n)))
	all := scores(k, s)
	y := attend(short, means(v), n)
	chosen := op.Softmax(p, op.Add(p, all, op.Constant(p, op.Float, false, kv, 1, s, s))) // no gradient leads to the choice
	y = op.Add(p, y, attend(chosen, v, s))
	window := op.Softmax(p, op.Add(p, all, op.Constant(p, op.Float, true, s, s)))
	return l.Map(l.joinHeads(op.Add(p, y, attend(window, v, s)), s, h, d), "o_proj")
}

const nativeSparseModule = `class NativeSparseAttention(nn.Module):
    def __init__(self, dim, heads, kv_heads, head_dim, size, top, window, bias):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.size, self.top, self.window = heads, kv_heads, head_dim, size, top, window
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(dim, n * head_dim, bias=bias) for n in (heads, kv_heads, kv_heads))
        self.g_proj, self.o_proj = nn.Linear(dim, 3 * heads, bias=False), nn.Linear(heads * head_dim, dim, bias=False)

    def split(self, x, heads):
        y = x.unflatten(2, (heads, self.head_dim)).transpose(1, 2)
        return y.reshape(-1, x.shape[1] * heads // self.kv_heads, self.head_dim)

    def compress(self, x):
        blocks = -(-x.shape[1] // self.size)
        if blocks * self.size > x.shape[1]:
            x = F.pad(x, (0, 0, 0, blocks * self.size - x.shape[1]))
        return x.unflatten(1, (blocks, self.size)).mean(2)

    @torch.no_grad()
    def chosen(self, weights, own, ahead):
        weights = weights.sum(1).masked_fill(own, float("inf"))
        places = weights.topk(min(self.top, own.shape[1]), -1)[1]
        seen = torch.zeros_like(weights, dtype=torch.bool).scatter(-1, places, True)
        seen = seen.repeat_interleave(self.size, -1)[..., : own.shape[0]]
        return torch.zeros(seen.shape, device=own.device).masked_fill(~seen | ahead, float("-inf"))[:, None]

    def forward(self, x):
        b, s, group = x.shape[0], x.shape[1], self.heads // self.kv_heads
        q = self.split(self.q_proj(x) * self.head_dim**-0.5, self.heads)
        k, v = self.split(self.k_proj(x), self.kv_heads), self.split(self.v_proj(x), self.kv_heads)
        at, short = torch.arange(s, device=x.device), self.compress(k)
        block = torch.arange(short.shape[1], device=x.device)
        ahead, own, past = at[:, None] < at, at[:, None] // self.size == block, (at[:, None] + 1) // self.size > block
        none = ~past.any(1, keepdim=True)
        hidden = torch.zeros(past.shape, device=x.device).masked_fill(~past & ~none, float("-inf"))
        window = torch.zeros(s, s, device=x.device).masked_fill(ahead | (at[:, None] - at >= self.window), float("-inf"))
        gates = torch.sigmoid(self.g_proj(x)).unflatten(2, (self.heads, 3))
        gates = (gates * torch.cat([~none, none | True, none | True], 1)[:, None]).transpose(1, 2)

        weights = torch.softmax(torch.bmm(q, short.transpose(1, 2)).view(-1, group, *past.shape) + hidden, -1)
        scores = torch.bmm(q, k.transpose(1, 2)).view(-1, group, s, s)
        chosen = torch.softmax(scores + self.chosen(weights, own, ahead), -1)
        parts = [(weights, self.compress(v)), (chosen, v), (torch.softmax(scores + window, -1), v)]
        ys = [torch.bmm(w.view(b * self.kv_heads, group * s, -1), of).view(b, self.heads, s, -1) for w, of in parts]
        y = ys[0] * gates[..., :1] + ys[1] * gates[..., 1:2] + ys[2] * gates[..., 2:]
        return self.o_proj(y.transpose(1, 2).flatten(2))
`
