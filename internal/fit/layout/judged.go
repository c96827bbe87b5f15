package layout

import (
	"slices"

	"github.com/modelverifier/verifier/internal/rules"
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
func (c *plan) knows(on axis) bool { return c.lacks(on) == "" }

// lacks names the first thing that a condition needs and the model does not say, "" where it says everything.
func (c *plan) lacks(on axis) string {
	f := &c.facts
	for _, need := range []struct {
		of    axis
		known bool
		why   string
	}{
		{ofHeads, f.Heads > 0, "the attention heads are not known"},
		{ofKV, f.KVHeads > 0 || f.HasLatent(), "the heads of keys and values are not known"},
		{ofWidth, f.Intermediate > 0 || f.ExpertIntermediate > 0, "the width of the feed-forward network is not known"},
		{ofLayers, c.layered(), "the layers that the framework counts are not known"},
		{ofLength, c.seqLen > 0, "the model reads no tokens, so there is no length to divide"},
		{ofModel, f.Layers > 0, "the model has no layers of a transformer that are known"},
	} {
		switch {
		case on&need.of == 0:
		case !c.told:
			return hiddenParts
		case !need.known:
			return need.why
		}
	}
	return ""
}

// hiddenParts is why sizes are those of a part of the model.
const hiddenParts = "components of the model are not known"

// open lists the rules that were not judged, by what they lack.
func (c *plan) open(out *Result) (open []rules.Open) {
	lacking := func(why, fix string) *rules.Open {
		i := slices.IndexFunc(open, func(o rules.Open) bool { return o.Why == why })
		if i < 0 {
			i, open = len(open), append(open, rules.Open{Why: why, Fix: fix})
		}
		return &open[i]
	}
	leave := func(id, why, fix string) {
		if !slices.Contains(out.Judged, id) {
			o := lacking(why, fix)
			o.Tests = append(o.Tests, id)
		}
	}
	if !c.sized {
		return nil // what is refused says so
	}
	for _, list := range [][]rule{c.framework.rules, c.framework.advice, {keptLength}} {
		for i := range list {
			leave(list[i].id, c.lacks(list[i].on), "")
		}
	}
	leave("layout-bubble", "a step is no whole number of micro-batches", "")
	switch {
	case c.GPU == nil:
		leave("layout-memory", "no card was named", "name the card with gpu")
	case !c.whole:
		leave("layout-memory", hiddenParts, "")
	default:
		leave("layout-memory", "what the stages hold is not known", "")
	}
	if !c.whole {
		lacking(hiddenParts, "") // also where the parts that are known are too large by themselves
	}
	return open
}
