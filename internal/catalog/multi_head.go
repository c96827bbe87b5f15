package catalog

// multiHead is what torch.nn.MultiheadAttention and its users share: packed projections, attention, a projection back.
type multiHead struct{ prefix string }

func multiHeadParams(more ...Param) []Param {
	return headParams(append(more,
		Param{Name: "bias", Kind: Bool, Default: true, Doc: "whether the projections add a bias"},
		innerDropout("probability of dropping an attention weight"))...)
}

func (multiHead) shape(c *Call) (Shape, error) {
	out, err := c.headsOf()
	if err == nil {
		err = c.checkInnerDropout()
	}
	return out, err
}

func (m multiHead) weights(c *Call) {
	e := c.Int("embedDim")
	c.Weight(m.prefix+"in_proj_weight", c.Mul(3, e), e)
	m.rest(c)
}

func (m multiHead) rest(c *Call) {
	e := c.Int("embedDim")
	if c.Bool("bias") {
		c.Weight(m.prefix+"in_proj_bias", c.Mul(3, e))
	}
	c.Linear(m.prefix+"out_proj", e, e, c.Bool("bias"))
}

// flops counts queries of one length and keys of another, whose features may differ too.
func (multiHead) flops(c *Call, queries, keys, keyDim int64) int64 {
	e, h := c.Int("embedDim"), c.Int("numHeads")
	return c.Add(c.MatMul(2, queries, e, e), c.MatMul(2, keys, keyDim, e), c.attend(h, queries, keys, e/h))
}

func (m multiHead) selfFLOPs(c *Call) int64 {
	return m.flops(c, c.In[0][0], c.In[0][0], c.Int("embedDim"))
}

// saved declares what self-attention keeps of a sequence. The layer turns it so that the positions come first: for more
// than one position that is a copy, and the input itself is not kept.
func (m multiHead) saved(c *Call, input func()) {
	s, e := c.In[0][0], c.Int("embedDim")
	m.turned(c, "turned input", s, e, input)
	c.Keep("queries, keys and values", AsActivation, 3, s, e)
	m.result(c, s, s)
}

func (multiHead) turned(c *Call, name string, positions, features int64, itself func()) {
	if positions == 1 {
		itself()
		return
	}
	c.Keep(name, AsActivation, positions, features)
}

// result declares the scores, the result of attention and, for more than one position, its turned copy. Unfused attention
// keeps only the latter.
func (multiHead) result(c *Call, queries, keys int64) {
	e, h := c.Int("embedDim"), c.Int("numHeads")
	c.keepScores(h, queries, keys, e/h)
	c.Keep("attended", AsActivation, queries, e)
	if fused(e/h) && queries > 1 {
		c.Keep("turned result", AsActivation, queries, e)
	}
}

func (m multiHead) selfSaved(c *Call) { m.saved(c, func() { c.KeepInput(0) }) }

const selfAttentionModule = `class SelfAttention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=False)[0]
`

const (
	selfAttentionTorch   = `SelfAttention({{embedDim}}, {{numHeads}}, dropout={{dropout}}, bias={{bias}}, batch_first=True)`
	selfAttentionWeights = "4*embedDim*embedDim + 4*bias*embedDim"
	selfAttentionFLOPs   = "8*in[0]*embedDim*embedDim + 4*in[0]*in[0]*embedDim"
)
