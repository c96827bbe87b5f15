package catalog

var _ = define(Type{
	ID:     "crossAttention",
	Title:  "Attention of one sequence to another",
	Doc:    `Queries come from the first input (sequence, embedDim), keys and values from the second (sequence, kvDim), as in torch.nn.MultiheadAttention; the result has the shape of the first. With one input it is self-attention, and kvDim must then be embedDim.`,
	Source: "torch.nn.MultiheadAttention; Vaswani et al. 2017, section 3.2.3",
	Group:  Attention,
	Traits: IsAttention | HasActivation | KeepsShape | IsMerge,
	Inputs: Arity{1, 2},
	Params: multiHeadParams(Param{Name: "kvDim", Kind: Int, Aliases: []string{"kdim", "contextDim"}, Doc: "size of the last axis of the second input",
		Derive: func(c *Call) int64 { return c.Int("embedDim") }, DeriveDoc: "embedDim"}),
	Shape:   crossShape,
	Weights: crossWeights,
	FLOPs: func(c *Call) int64 {
		return multiHead{}.flops(c, c.In[0][0], c.In[len(c.In)-1][0], c.Int("kvDim"))
	},
	Saved: crossSaved,
	Torch: `CrossAttention({{embedDim}}, {{numHeads}}, dropout={{dropout}}, bias={{bias}}, kdim={{kvDim}}, vdim={{kvDim}}, batch_first=True)`,
	Module: `class CrossAttention(nn.MultiheadAttention):
    def forward(self, x, y=None):
        y = x if y is None else y
        return super().forward(x, y, y, need_weights=False)[0]
`,
	WeightFormula: "2*embedDim*embedDim + 2*embedDim*kvDim + 4*bias*embedDim",
	FLOPsFormula:  "4*in[0]*embedDim*embedDim + 4*in(inputs()-1)[0]*kvDim*embedDim + 4*in[0]*in(inputs()-1)[0]*embedDim",
	Examples: []Example{
		{In: "[12,16] [7,24]", Args: "embedDim=16 numHeads=4 kvDim=24", Out: "[12,16]", Weights: 1344, FLOPs: 28416},
		{In: "[12,16] [7,16]", Args: "embedDim=16 numHeads=4", Out: "[12,16]", Weights: 1088, FLOPs: 24832},
		{In: "[12,16]", Args: "embedDim=16 numHeads=4 bias=false", Out: "[12,16]", Weights: 1024, FLOPs: 33792},
		{In: "[12,16] [7,24]", Args: "embedDim=16 numHeads=4", Err: "kvDim is 16 but 24 features arrive at the second input"},
		{In: "[12,16]", Args: "embedDim=16 numHeads=4 kvDim=24", Err: "kvDim is 24 but there is no second input"},
		{In: "[12,16] [24]", Args: "embedDim=16 numHeads=4 kvDim=24", Err: "second input must be (sequence, features), got [24]"},
	},
})

func crossShape(c *Call) (Shape, error) {
	out, err := multiHead{}.shape(c)
	if err != nil {
		return out, err
	}
	want := c.Int("kvDim")
	if len(c.In) == 1 {
		if e := c.Int("embedDim"); want != e {
			return out, c.Errorf(CrossAttentionMismatch, "kvDim is %d but there is no second input, and the first has %d features", want, e)
		}
		return out, nil
	}
	kv := c.In[1]
	if kv.Rank() != 2 {
		return out, c.Errorf(RankMismatch, "the second input must be (sequence, features), got %v", kv)
	}
	if kv[1] != want {
		r := c.Errorf(CrossAttentionMismatch, "kvDim is %d but %s at the second input", want, arrive(kv[1], "feature"))
		return out, r.SetInt("kvDim", kv[1]).Wants(1, At(-1), want)
	}
	return out, nil
}

// crossWeights has one packed matrix where keys have the size of queries, and three otherwise.
func crossWeights(c *Call) {
	e, kv := c.Int("embedDim"), c.Int("kvDim")
	if kv == e {
		multiHead{}.weights(c)
		return
	}
	c.Weight("q_proj_weight", e, e)
	c.Weight("k_proj_weight", e, kv)
	c.Weight("v_proj_weight", e, kv)
	multiHead{}.rest(c)
}

func crossSaved(c *Call) {
	m, e, kv := multiHead{}, c.Int("embedDim"), c.Int("kvDim")
	if len(c.In) == 1 {
		m.selfSaved(c)
		return
	}
	s, t := c.In[0][0], c.In[1][0]
	m.turned(c, "turned input", s, e, func() { c.KeepInput(0) })
	m.turned(c, "turned keys", t, kv, func() { c.KeepInput(1) })
	if kv != e && t > 1 { // keys and values are projected apart, each from a copy of its own
		c.Keep("turned values", AsActivation, t, kv)
	}
	c.Keep("queries", AsActivation, s, e)
	c.Keep("keys and values", AsActivation, 2, t, e)
	m.result(c, s, t)
}
