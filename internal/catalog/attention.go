package catalog

func headParams(more ...Param) []Param {
	return append([]Param{
		{Name: "embedDim", Kind: Int, Min: 1, Reads: At(-1), Doc: "size of the last axis, in all heads together"},
		{Name: "numHeads", Kind: Int, Min: 1, Aliases: []string{"heads", "nHead", "numAttentionHeads"}, Doc: "number of heads"},
	}, more...)
}

// attentionIn refuses a sequence whose features are not embedDim. It names embedDim as the repair unless the heads must
// divide it and do not divide what arrives.
func (c *Call) attentionIn(divide bool) error {
	err := c.sequence(AttentionInMismatch, "embedDim")
	if r, ok := err.(*Refusal); ok && r.Param != "" && divide && c.In[0][1]%c.Int("numHeads") != 0 {
		r.Param = ""
	}
	return err
}

// headsOf refuses a sequence whose features are not embedDim, or an embedDim that the heads do not divide. The shape of
// the input is certain to be that of the result where only the heads are wrong.
func (c *Call) headsOf() (Shape, error) {
	if err := c.attentionIn(true); err != nil {
		return nil, err
	}
	if e, h := c.Int("embedDim"), c.Int("numHeads"); e%h != 0 {
		return c.In[0], c.Errorf(HeadDimDivisibility, "embedDim %d is not divisible by %d heads", e, h)
	}
	return c.In[0], nil
}

// attend counts the two products of attention: scores, and weighted values.
func (c *Call) attend(heads, queries, keys, headDim int64) int64 {
	return c.Add(c.MatMul(heads, queries, headDim, keys), c.MatMul(heads, queries, keys, headDim))
}
