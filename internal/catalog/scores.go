package catalog

// What a config turns on inside of attention or a gated network. They have no value unless given.
func givenDropout(doc string) Param {
	return Param{Name: "dropout", Kind: Float, Optional: true, Doc: doc}
}

var (
	scoreDropout = givenDropout("probability of dropping an attention weight")
	softcap      = Param{Name: "softcap", Kind: Float, Optional: true, Aliases: []string{"attnLogitSoftcapping"}, Doc: "scores go through softcap*tanh(scores/softcap)"}
	clipQKV      = Param{Name: "clip", Kind: Float, Optional: true, Aliases: []string{"clipQkv"}, Doc: "queries, keys and values are held between -clip and clip"}
)

// checkGiven refuses what cannot be turned on so.
func (c *Call) checkGiven() error {
	for i := range c.Type.Params {
		switch name := c.Type.Params[i].Name; name {
		case "dropout":
			if err := c.checkInnerDropout(); err != nil {
				return err
			}
		case "softcap", "clip":
			if c.Has(name) && !(c.Float(name) > 0) {
				return c.Errorf(BadParam, "%s is %v but must be positive", name, c.arg(name))
			}
		}
	}
	return nil
}

// caps reports whether scores or logits are capped.
func (c *Call) caps() bool { return c.Type.Param("softcap") != nil && c.Has("softcap") }

// scoresShape is the shape of what changes the scores of an attention, which have one axis for the heads, one for the
// queries and one for the keys.
func scoresShape(c *Call) (Shape, error) {
	if err := c.Ranks(3, 3, "scores (heads, queries, keys)"); err != nil {
		return nil, err
	}
	return c.In[0], c.Match(AttentionInMismatch, "numHeads", "head")
}

var scoreHeads = Param{Name: "numHeads", Kind: Int, Min: 1, Reads: At(0), Aliases: []string{"heads", "nHead"}, Doc: "number of heads, the first axis of the scores"}
