package catalog

import "strconv"

// sequence refuses the first input unless it is (sequence, features) and its features have the size of a parameter.
func (c *Call) sequence(rule, param string) error {
	if err := c.Ranks(2, 2, "(sequence, features)"); err != nil {
		return err
	}
	return c.Match(rule, param, "feature")
}

// lastAxis refuses the first input unless its last axis has the size of a parameter; the other axes are free.
func (c *Call) lastAxis(rule, param string) error {
	if c.In[0].Rank() == 0 {
		return c.Errorf(RankMismatch, "takes (…, features), got a scalar per sample")
	}
	return c.Match(rule, param, "feature")
}

// positions is the number of vectors that a map of the last axis is applied to.
func (c *Call) positions() int64 { return c.Size(c.In[0][:c.In[0].Rank()-1]) }

// innerDropout is the probability of a dropout inside a layer. It is zero unless given, so that a count of memory does not
// depend on a default that differs between libraries.
func innerDropout(doc string) Param {
	return Param{Name: "dropout", Kind: Float, Default: 0.0, Doc: doc}
}

func (c *Call) checkInnerDropout() error {
	if p := c.Float("dropout"); !(p >= 0 && p <= 1) {
		return c.Errorf(DropoutRange, "dropout is %v but must be from 0 to 1", c.arg("dropout"))
	}
	return nil
}

// drops reports whether the inner dropout does anything.
func (c *Call) drops() bool { return c.Type.Param("dropout") != nil && c.Float("dropout") > 0 }

// numbered names equal parts by {i}, which stands for their numbers, and a single part by its own.
func numbered(name string, first, times int64) string {
	if times == 1 {
		return name + strconv.FormatInt(first, 10)
	}
	return name + "{i}"
}
