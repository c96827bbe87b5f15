package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "mla",
	Title:   "Attention through a small latent vector",
	Doc:     `DeepSeek's multi-head latent attention over (sequence, embedDim), causal: keys and values are made of a latent vector of kvLoraRank features and a rotary part of qkRopeHeadDim features that all heads share, so that a served model keeps only these. Queries go through a latent of qLoraRank where that is given. qkRopeHeadDim must be even; embedDim need not be divisible by anything.`,
	Source:  "DeepSeek-AI 2024, DeepSeek-V2, section 2.1; transformers DeepseekV3Attention",
	Group:   Attention,
	Aliases: []string{"multiHeadLatentAttention", "latentAttention"},
	Traits:  IsAttention | IsCausal | HasActivation | HasNorm | KeepsShape | IsPositional,
	Params: headParams(
		Param{Name: "kvLoraRank", Kind: Int, Min: 1, Doc: "size of the latent vector of keys and values"},
		Param{Name: "qkNopeHeadDim", Kind: Int, Min: 1, Doc: "features of a query and key that do not depend on the position"},
		Param{Name: "qkRopeHeadDim", Kind: Int, Min: 1, Doc: "features of a query and key that do, an even number"},
		Param{Name: "vHeadDim", Kind: Int, Min: 1, Doc: "features of a value"},
		Param{Name: "qLoraRank", Kind: Int, Min: 1, Optional: true, Doc: "size of the latent vector of queries; none where left out"},
		Param{Name: "bias", Kind: Bool, Default: false, Aliases: []string{"attentionBias"}, Doc: "whether the maps from and to embedDim add a bias"},
	),
	Shape: func(c *Call) (Shape, error) {
		if err := c.attentionIn(false); err != nil {
			return nil, err
		}
		if d := c.Int("qkRopeHeadDim"); d%2 != 0 {
			return c.In[0], c.Errorf(OddRotary, "rotary positions need an even number of features, but qkRopeHeadDim is %d", d)
		}
		return c.In[0], nil
	},
	Weights: mlaWeights,
	FLOPs: func(c *Call) int64 {
		l, s, e := latent(c), c.In[0][0], c.Int("embedDim")
		queries := c.MatMul(1, s, e, l.queries)
		if r := c.Int("qLoraRank"); r > 0 {
			queries = c.Add(c.MatMul(1, s, e, r), c.MatMul(1, s, r, l.queries))
		}
		return c.Add(queries, c.MatMul(1, s, e, l.compressed), c.MatMul(1, s, l.rank, l.expanded),
			c.MatMul(l.heads, s, l.queryDim, s), c.MatMul(l.heads, s, s, l.valueDim), c.MatMul(1, s, l.values, e))
	},
	Lower:  lowerMLA,
	Torch:  `MLA({{embedDim}}, {{numHeads}}, {{kvLoraRank}}, {{qkNopeHeadDim}}, {{qkRopeHeadDim}}, {{vHeadDim}}, {{qLoraRank}}, {{bias}})`,
	Module: mlaModule,
	WeightFormula: "(qLoraRank==0)*embedDim*numHeads*(qkNopeHeadDim+qkRopeHeadDim)" +
		" + qLoraRank*(embedDim + bias + 1 + numHeads*(qkNopeHeadDim+qkRopeHeadDim))" +
		" + (embedDim+bias)*(kvLoraRank+qkRopeHeadDim) + kvLoraRank + kvLoraRank*numHeads*(qkNopeHeadDim+vHeadDim)" +
		" + numHeads*vHeadDim*embedDim + bias*embedDim",
	FLOPsFormula: "2*in[0]*((qLoraRank==0)*embedDim*numHeads*(qkNopeHeadDim+qkRopeHeadDim)" +
		" + qLoraRank*(embedDim + numHeads*(qkNopeHeadDim+qkRopeHeadDim))" +
		" + embedDim*(kvLoraRank+qkRopeHeadDim) + kvLoraRank*numHeads*(qkNopeHeadDim+vHeadDim)" +
		" + numHeads*in[0]*(qkNopeHeadDim+qkRopeHeadDim+vHeadDim) + numHeads*vHeadDim*embedDim)",
	Examples: []Example{
		{In: "[4,16]", Args: "embedDim=16 numHeads=1 kvLoraRank=2 qkNopeHeadDim=7 qkRopeHeadDim=4 vHeadDim=2", Out: "[4,16]", Weights: 324, FLOPs: 2992},
		{In: "[11,30]", Args: "embedDim=30 numHeads=4 kvLoraRank=9 qkNopeHeadDim=7 qkRopeHeadDim=6 vHeadDim=1 qLoraRank=5 bias=true", Out: "[11,30]", Weights: 1332, FLOPs: 41448},
		{In: "[4,16]", Args: "embedDim=16 numHeads=1 kvLoraRank=2 qkNopeHeadDim=7 qkRopeHeadDim=3 vHeadDim=2", Err: "qkRopeHeadDim is 3"},
		{In: "[4,16]", Args: "embedDim=8 numHeads=1 kvLoraRank=2 qkNopeHeadDim=7 qkRopeHeadDim=4 vHeadDim=2", Err: "embedDim is 8 but 16 features arrive"},
	},
})

// latentSizes are the sizes of the maps of latent attention.
type latentSizes struct {
	heads, rank        int64
	queryDim, valueDim int64 // of a head
	queries, values    int64 // of all heads
	compressed         int64 // the latent of keys and values, and the rotary part
	expanded           int64 // what the latent is mapped to: keys without the rotary part, and values
}

func latent(c *Call) latentSizes {
	h, r := c.Int("numHeads"), c.Int("kvLoraRank")
	nope, rope, v := c.Int("qkNopeHeadDim"), c.Int("qkRopeHeadDim"), c.Int("vHeadDim")
	d := c.Add(nope, rope)
	return latentSizes{h, r, d, v, c.Mul(h, d), c.Mul(h, v), c.Add(r, rope), c.Mul(h, c.Add(nope, v))}
}

func mlaWeights(c *Call) {
	l, e, bias := latent(c), c.Int("embedDim"), c.Bool("bias")
	if r := c.Int("qLoraRank"); r > 0 {
		c.Linear("q_a_proj", e, r, bias)
		c.Weight("q_a_layernorm.weight", r)
		c.Linear("q_b_proj", r, l.queries, false)
	} else {
		c.Linear("q_proj", e, l.queries, false)
	}
	c.Linear("kv_a_proj_with_mqa", e, l.compressed, bias)
	c.Weight("kv_a_layernorm.weight", l.rank)
	c.Linear("kv_b_proj", l.rank, l.expanded, false)
	c.Linear("o_proj", l.values, e, bias)
}

// lowerMLA attends through the latents. Queries and keys are put together of two parts, head by head.
func lowerMLA(l *Lowering) op.Value {
	p, x, s, z := l.P, l.X[0], l.In[0][0], latent(&l.Call)
	nope, rope := l.Int("qkNopeHeadDim"), l.Int("qkRopeHeadDim")
	var all op.Value
	if r := l.Int("qLoraRank"); r > 0 {
		all = l.Map(op.RMSNorm(p, l.Map(x, "q_a_proj"), l.W("q_a_layernorm.weight"), r), "q_b_proj")
	} else {
		all = l.Map(x, "q_proj")
	}
	heads := func(features int64) []int64 { return []int64{z.heads, s, features} }
	q := op.Split(p, op.View(p, all, heads(z.queryDim)...), heads(nope), heads(rope))
	down := l.Map(x, "kv_a_proj_with_mqa")
	both := op.Split(p, down, []int64{s, z.rank}, []int64{s, rope})
	wide := l.Map(op.RMSNormOfStrided(p, both[0], l.W("kv_a_layernorm.weight"), z.rank), "kv_b_proj")
	kv := op.Split(p, op.View(p, wide, heads(nope+z.valueDim)...), heads(nope), heads(z.valueDim))
	pairs := func(x op.Value) op.Value { // the even features first
		return l.rotate(op.Contiguous(p, x, p.Shape(x)...))
	}
	shared := op.View(p, pairs(op.View(p, both[1], 1, s, rope)), heads(rope)...)
	queries := op.Concatenate(p, heads(z.queryDim), q[0], pairs(q[1]))
	keys := op.Concatenate(p, heads(z.queryDim), kv[0], shared)
	states := l.Cache(0, keys, kv[1])
	h := op.Heads{Queries: s, Keys: p.Shape(states[0])[1], Count: z.heads, Features: z.queryDim, Values: z.valueDim, Causal: s > 1}
	mask := op.None
	if l.Eager {
		mask = op.Constant(p, op.Byte, true, h.Queries, h.Keys)
	}
	y := l.attend(queries, states[0], states[1], mask, h, inHeads{q: true, k: true, v: l.Caches})
	return l.named(l.Map(y, "o_proj"), all, down, wide, shared)
}

const mlaModule = `class MLA(nn.Module):
    def __init__(self, dim, heads, kv_rank, nope, rope, value, q_rank, bias):
        super().__init__()
        self.heads, self.kv_rank, self.nope, self.rope, self.value = heads, kv_rank, nope, rope, value
        self.q_rank = q_rank
        if q_rank is None:
            self.q_proj = nn.Linear(dim, heads * (nope + rope), bias=False)
        else:
            self.q_a_proj, self.q_a_layernorm = nn.Linear(dim, q_rank, bias=bias), nn.RMSNorm(q_rank)
            self.q_b_proj = nn.Linear(q_rank, heads * (nope + rope), bias=False)
        self.kv_a_proj_with_mqa, self.kv_a_layernorm = nn.Linear(dim, kv_rank + rope, bias=bias), nn.RMSNorm(kv_rank)
        self.kv_b_proj = nn.Linear(kv_rank, heads * (nope + value), bias=False)
        self.o_proj = nn.Linear(heads * value, dim, bias=bias)

    def forward(self, x):
        q = self.q_proj(x) if self.q_rank is None else self.q_b_proj(self.q_a_layernorm(self.q_a_proj(x)))
        q, q_rope = self.split(q).split([self.nope, self.rope], -1)
        latent, k_rope = self.kv_a_proj_with_mqa(x).split([self.kv_rank, self.rope], -1)
        k, v = self.split(self.kv_b_proj(self.kv_a_layernorm(latent))).split([self.nope, self.value], -1)
        k_rope = self.rotate(k_rope[:, None]).expand(-1, self.heads, -1, -1)
        q, k = torch.cat((q, self.rotate(q_rope)), -1), torch.cat((k, k_rope), -1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o_proj(y.transpose(1, 2).flatten(2))

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def rotate(self, x):
        x = x.unflatten(-1, (self.rope // 2, 2)).transpose(-1, -2).flatten(-2)
        angle = torch.arange(x.shape[2], device=x.device)[:, None] * 10000.0 ** (-torch.arange(0, self.rope, 2, device=x.device) / self.rope)
        angle = torch.cat((angle, angle), -1)
        a, b = x.chunk(2, -1)
        return x * angle.cos().to(x.dtype) + torch.cat((-b, a), -1) * angle.sin().to(x.dtype)
`
