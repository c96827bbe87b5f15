package layout

import (
	"slices"
)

// judged lists the rules that were looked at with everything that they need. What was found was found out; a condition on a size of
// the model that is not known was not, nor is memory without a card or without the weights of every component.
func (c *plan) judged(out *Result) []string {
	ids := []string{"layout-size"}
	if c.sized {
		for _, list := range [][]rule{c.framework.rules, c.framework.advice, {keptLength}} {
			for i := range list {
				if c.knows(list[i].on) {
					ids = append(ids, list[i].id)
				}
			}
		}
		if out.Bubble != nil {
			ids = append(ids, "layout-bubble")
		}
		if c.GPU != nil && len(out.Stages) > 0 && c.whole {
			ids = append(ids, "layout-memory")
		}
	}
	for _, f := range out.Findings {
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// knows reports whether the model says what a condition needs.
func (c *plan) knows(on axis) bool {
	f := &c.facts
	for _, need := range []struct {
		of    axis
		known bool
	}{
		{ofHeads, f.Heads > 0},
		{ofKV, f.KVHeads > 0 || f.HasLatent()},
		{ofWidth, f.Intermediate > 0 || f.ExpertIntermediate > 0},
		{ofLayers, c.layered()},
		{ofLength, c.seqLen > 0},
		{ofModel, f.Layers > 0},
	} {
		if on&need.of != 0 && !(need.known && c.told) {
			return false
		}
	}
	return true
}
