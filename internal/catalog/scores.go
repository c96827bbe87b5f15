package catalog

// scoresShape is the shape of what changes the scores of an attention, which have one axis for the heads, one for the
// queries and one for the keys.
func scoresShape(c *Call) (Shape, error) {
	if err := c.Ranks(3, 3, "scores (heads, queries, keys)"); err != nil {
		return nil, err
	}
	return c.In[0], c.Match(AttentionInMismatch, "numHeads", "head")
}

var scoreHeads = Param{Name: "numHeads", Kind: Int, Min: 1, Reads: At(0), Aliases: []string{"heads", "nHead"}, Doc: "number of heads, the first axis of the scores"}
