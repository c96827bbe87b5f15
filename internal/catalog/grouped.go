package catalog

// groupedParams are those of attention whose query heads share heads of keys and values.
func groupedParams(headDim Param, more ...Param) []Param {
	return headParams(append([]Param{
		{Name: "numKVHeads", Kind: Int, Min: 1, Aliases: []string{"numKeyValueHeads"}, Doc: "number of heads of keys and values",
			Derive: func(c *Call) int64 { return c.Int("numHeads") }, DeriveDoc: "numHeads"},
		headDim,
		{Name: "bias", Kind: Bool, Default: false, Aliases: []string{"qkvBias"}, Doc: "whether the projections add a bias"},
		{Name: "outBias", Kind: Bool, Doc: "whether the last projection adds one", Derive: func(c *Call) int64 {
			if c.Bool("bias") {
				return 1
			}
			return 0
		}, DeriveDoc: "bias"},
		{Name: "qkNorm", Kind: Bool, Default: false, Doc: "whether each head of queries and keys is normalised by its root mean square"},
		{Name: "causal", Kind: Bool, Strict: true, Default: true, Aliases: []string{"isCausal"}, Doc: "whether a position sees only those before it"},
	}, append(more, scoreDropout, softcap, clipQKV)...)...)
}

// perHead is the size of a head, where the heads divide embedDim unless it is given.
func perHead() Param {
	return Param{Name: "headDim", Kind: Int, Bools: true, Doc: "features of each head", Derive: headDim, DeriveDoc: "embedDim/numHeads"}
}

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
	return c.In[0], c.checkGiven()
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

func groupedFLOPs(c *Call) int64 {
	s, e, h, d := c.In[0][0], c.Int("embedDim"), c.Int("numHeads"), c.Int("headDim")
	rows := c.Mul(c.Add(h, c.Int("numKVHeads")), d)
	return c.Add(c.MatMul(2, s, e, rows), c.attend(h, s, s, d))
}

const (
	groupedWeightFormula = "2*embedDim*(numHeads+numKVHeads)*headDim + bias*(numHeads+2*numKVHeads)*headDim + outBias*embedDim + 2*qkNorm*headDim"
	groupedFLOPsFormula  = "4*in[0]*embedDim*(numHeads+numKVHeads)*headDim + 4*numHeads*in[0]*in[0]*headDim"
)

// groupedModule leaves room for positions and a mask.
const groupedModule = `class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, heads, kv_heads, head_dim, bias, out_bias, qk_norm, causal, dropout=None, softcap=None, clip=None):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.causal = heads, kv_heads, head_dim, bool(causal)
        self.q_proj = nn.Linear(dim, heads * head_dim, bias=bias)
        self.k_proj = nn.Linear(dim, kv_heads * head_dim, bias=bias)
        self.v_proj = nn.Linear(dim, kv_heads * head_dim, bias=bias)
        self.o_proj = nn.Linear(heads * head_dim, dim, bias=out_bias)
        self.q_norm = nn.RMSNorm(head_dim) if qk_norm else nn.Identity()
        self.k_norm = nn.RMSNorm(head_dim) if qk_norm else nn.Identity()
        self.dropout, self.softcap, self.clip = dropout or 0.0, softcap, clip

    def forward(self, x):
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if self.clip is not None:
            q, k, v = [t.clamp(-self.clip, self.clip) for t in (q, k, v)]
        q = self.positions(self.q_norm(self.split(q, self.heads)))
        k = self.positions(self.k_norm(self.split(k, self.kv_heads)))
        v = self.split(v, self.kv_heads)
        if self.heads > self.kv_heads:
            k, v = [t.repeat_interleave(self.heads // self.kv_heads, 1) for t in (k, v)]
        mask = self.mask(x)
        if self.softcap is None:
            drop = self.dropout if self.training else 0.0
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=drop, is_causal=self.causal and mask is None)
        else:
            y = self.capped(q, k, v, mask)
        return self.o_proj(y.transpose(1, 2).flatten(2))

    def capped(self, q, k, v, mask):
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(2, 3)
        scores = self.softcap * torch.tanh(scores / self.softcap)
        if self.causal and mask is None:
            mask = torch.ones(scores.shape[2:], dtype=torch.bool, device=q.device).tril()
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return F.dropout(scores.softmax(-1), self.dropout, self.training) @ v

    def split(self, x, heads):
        return x.unflatten(2, (heads, self.head_dim)).transpose(1, 2)

    def positions(self, x):
        return x

    def mask(self, x):
        return None
`
