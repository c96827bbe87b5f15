package catalog

var _ = define(Type{
	ID:      "groupedQueryAttention",
	Title:   "Attention whose heads share keys and values",
	Doc:     `Llama's attention: numHeads heads of queries share numKVHeads heads of keys and values, which makes the cache of a served model smaller. Takes (sequence, embedDim). The key heads must divide the query heads, and the query heads embedDim unless headDim is given. Rotary positions are a component of their own.`,
	Source:  "Ainslie et al. 2023; transformers LlamaAttention, Qwen3Attention for qkNorm",
	Group:   Attention,
	Aliases: []string{"gqa", "multiQueryAttention", "mqa"},
	Traits:  IsAttention | HasActivation | KeepsShape,
	Params: headParams(
		Param{Name: "numKVHeads", Kind: Int, Min: 1, Aliases: []string{"numKeyValueHeads"}, Doc: "number of heads of keys and values",
			Derive: func(c *Call) int64 { return c.Int("numHeads") }, DeriveDoc: "numHeads"},
		Param{Name: "headDim", Kind: Int, Doc: "features of each head", Derive: headDim, DeriveDoc: "embedDim/numHeads"},
		Param{Name: "bias", Kind: Bool, Default: false, Aliases: []string{"qkvBias"}, Doc: "whether the projections add a bias"},
		Param{Name: "outBias", Kind: Bool, Doc: "whether the last projection adds one", Derive: func(c *Call) int64 {
			if c.Bool("bias") {
				return 1
			}
			return 0
		}, DeriveDoc: "bias"},
		Param{Name: "qkNorm", Kind: Bool, Default: false, Doc: "whether each head of queries and keys is normalised by its root mean square"},
		Param{Name: "causal", Kind: Bool, Default: true, Aliases: []string{"isCausal"}, Doc: "whether a position sees only those before it"},
	),
	Shape:   groupedShape,
	Weights: groupedWeights,
	FLOPs: func(c *Call) int64 {
		s, e, h, d := c.In[0][0], c.Int("embedDim"), c.Int("numHeads"), c.Int("headDim")
		rows := c.Mul(c.Add(h, c.Int("numKVHeads")), d)
		return c.Add(c.MatMul(2, s, e, rows), c.attend(h, s, s, d))
	},
	Saved: groupedSaved,
	Torch: `GroupedQueryAttention({{embedDim}}, {{numHeads}}, {{numKVHeads}}, {{headDim}}, {{bias}}, {{outBias}}, {{qkNorm}}, {{causal}})`,
	Module: `class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, heads, kv_heads, head_dim, bias, out_bias, qk_norm, causal):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.causal = heads, kv_heads, head_dim, bool(causal)
        self.q_proj = nn.Linear(dim, heads * head_dim, bias=bias)
        self.k_proj = nn.Linear(dim, kv_heads * head_dim, bias=bias)
        self.v_proj = nn.Linear(dim, kv_heads * head_dim, bias=bias)
        self.o_proj = nn.Linear(heads * head_dim, dim, bias=out_bias)
        self.q_norm = nn.RMSNorm(head_dim) if qk_norm else nn.Identity()
        self.k_norm = nn.RMSNorm(head_dim) if qk_norm else nn.Identity()

    def forward(self, x):
        q = self.q_norm(self.split(self.q_proj(x), self.heads))
        k = self.k_norm(self.split(self.k_proj(x), self.kv_heads))
        v = self.split(self.v_proj(x), self.kv_heads)
        if self.heads > self.kv_heads:
            k, v = [t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v)]
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.o_proj(y.transpose(1, 2).flatten(2))

    def split(self, x, heads):
        return x.unflatten(2, (heads, self.head_dim)).transpose(1, 2)
`,
	WeightFormula: "2*embedDim*(numHeads+numKVHeads)*headDim + bias*(numHeads+2*numKVHeads)*headDim + outBias*embedDim + 2*qkNorm*headDim",
	FLOPsFormula:  "4*in[0]*embedDim*(numHeads+numKVHeads)*headDim + 4*numHeads*in[0]*in[0]*headDim",
	Examples: []Example{
		{In: "[12,32]", Args: "embedDim=32 numHeads=4 num_kv_heads=2", Out: "[12,32]", Weights: 3072, FLOPs: 92160},
		{In: "[12,33]", Args: "embedDim=33 numHeads=4 numKVHeads=1 headDim=5 qkNorm=true bias=true outBias=false", Out: "[12,33]", Weights: 1690},
		{In: "[3,8]", Args: "embedDim=8 numHeads=2 bias=true", Out: "[3,8]", Weights: 288},
		{In: "[12,32]", Args: "embedDim=32 numHeads=4 numKVHeads=3", Err: "4 heads are not divisible by 3 key and value heads"},
		{In: "[12,33]", Args: "embedDim=33 numHeads=4", Err: "embedDim 33 is not divisible by 4 heads"},
		{In: "[12,32]", Args: "embedDim=16 numHeads=4", Err: "embedDim is 16 but 32 features arrive"},
	},
})

// headDim has no value where the heads do not divide embedDim.
func headDim(c *Call) int64 {
	e, h := c.Int("embedDim"), c.Int("numHeads")
	if h < 1 || e%h != 0 {
		return -1
	}
	return e / h
}

func groupedShape(c *Call) (Shape, error) {
	e, h, kv := c.Int("embedDim"), c.Int("numHeads"), c.Int("numKVHeads")
	if err := c.attentionIn(c.Int("headDim") == e/h); err != nil {
		return nil, err
	}
	switch {
	case !c.Has("headDim"):
		return c.In[0], c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by %d heads, and headDim is not given", e, h)
	case h%kv != 0:
		return c.In[0], c.Errorf(GQAHeadDivisibility, "%d heads are not divisible by %d key and value heads", h, kv)
	}
	return c.In[0], nil
}

func groupedWeights(c *Call) {
	e, d, bias := c.Int("embedDim"), c.Int("headDim"), c.Bool("bias")
	q, kv := c.Mul(c.Int("numHeads"), d), c.Mul(c.Int("numKVHeads"), d)
	c.Linear("q_proj", e, q, bias)
	c.Linear("k_proj", e, kv, bias)
	c.Linear("v_proj", e, kv, bias)
	c.Linear("o_proj", q, e, c.Bool("outBias"))
	if c.Bool("qkNorm") {
		c.Weight("q_norm.weight", d)
		c.Weight("k_norm.weight", d)
	}
}

func groupedSaved(c *Call) {
	s, h, kv, d := c.In[0][0], c.Int("numHeads"), c.Int("numKVHeads"), c.Int("headDim")
	c.KeepInput(0)
	if c.Bool("qkNorm") { // what is normalised, and the inverse of each norm
		c.Keep("queries before the norm", AsActivation, s, h, d)
		c.Keep("keys before the norm", AsActivation, s, kv, d)
		c.Keep("norms of the queries", AsFloat32, s, h)
		c.Keep("norms of the keys", AsFloat32, s, kv)
	}
	if fused(d) {
		c.Keep("queries", AsActivation, s, h, d)
		c.Keep("keys", AsActivation, s, h, d) // repeated for every query head
	}
	c.Keep("values", AsActivation, s, h, d)
	c.keepScores(h, s, s, d)
	c.Keep("attended", AsActivation, s, h, d)
}
