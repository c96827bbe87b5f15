package catalog

// keepAlignment is what PyTorch's memory-efficient attention kernel rounds the number of queries up to where it keeps one
// number for each (kAlignLSE of attention.cu).
const keepAlignment = 32

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

// fused reports whether attention runs without its scores in memory: the kernel for 32-bit floats takes heads whose rows
// are a multiple of 16 bytes (minimum_gemm_alignment of sdp_utils.cpp).
func fused(headDim int64) bool { return headDim > 0 && headDim%4 == 0 }

// keepScores declares what attention keeps beside its queries, keys, values and result: for the fused kernel one number for
// each query, otherwise scaled copies of queries and keys and the weights themselves. The kernel's random state is on the
// CPU.
func (c *Call) keepScores(heads, queries, keys, headDim int64, fused bool) {
	if fused {
		c.Keep("logsumexp", AsFloat32, heads, c.Add(queries, keepAlignment-1)/keepAlignment, keepAlignment)
		return
	}
	c.Keep("scaled queries", AsActivation, heads, queries, headDim)
	c.Keep("scaled keys", AsActivation, heads, keys, headDim)
	c.keepWeights(heads, queries, keys)
}

// keepWeights declares the weights of attention whose scores are in memory.
func (c *Call) keepWeights(heads, queries, keys int64) {
	c.Keep("attention weights", AsActivation, heads, queries, keys)
	if c.drops() {
		c.keepMask("attention mask", heads, queries, keys)
		c.Keep("attention dropped", AsActivation, heads, queries, keys)
	}
}

// keepBand declares the mask that says where queries may look. The fused kernel wants its rows at multiples of eight
// numbers (mem_eff_alignment of attention.cpp) and keeps it; one mask serves every sample and head.
func (c *Call) keepBand(queries, keys int64, fused bool) {
	if fused {
		c.KeepFixed("mask", AsActivation, queries, c.Add(keys, 7)/8, 8)
	}
}

// keepSlice declares values that are a slice of a larger tensor. All of it is kept by the fused kernel, which reads the
// slice in place, and by unfused attention where it can, as with one head; otherwise that copies the slice.
func (c *Call) keepSlice(inPlace bool, positions, slice, all int64) {
	if inPlace {
		slice = all
	}
	c.Keep("values", AsActivation, positions, slice)
}
