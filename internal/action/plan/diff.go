package plan

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// difference compares the structures of a model and of its base, both examined in the same way.
func difference(base, s *studied) graph.Delta {
	delta := graph.Diff(base.structure, s.structure, func(g *graph.Graph, i int) []graph.Param {
		if g == base.Graph {
			return base.Walked.Identity(i)
		}
		return s.Walked.Identity(i)
	})
	dropDerived(&delta, base.Graph, s.Graph)
	return delta
}

// diff writes a difference down.
func diff(base, s *studied, delta graph.Delta) *Diff {
	d := &Diff{
		Base:  Base{base.Graph.Name, base.Layers(), base.Params(), base.ParamsWithheld},
		Added: len(delta.Added), Removed: len(delta.Removed), Changed: len(delta.Changed), Rewired: len(delta.Rewired),
		BlastRadius: delta.Downstream(s.Graph),
		AddedNames:  []string{}, RemovedNames: []string{}, RewiredNames: []string{},
	}
	d.figures(base, s)
	most := 0
	for _, c := range delta.Changed {
		most += len(c.Params) + 1
	}
	d.Lines = make([]string, 0, most)
	for _, c := range delta.Changed {
		d.Lines = appendLines(d.Lines, &s.Graph.Components[c.After], c)
	}
	for _, i := range delta.Added {
		d.AddedNames = append(d.AddedNames, named(&s.Graph.Components[i]))
	}
	for _, i := range delta.Removed {
		d.RemovedNames = append(d.RemovedNames, named(&base.Graph.Components[i]))
	}
	for _, p := range delta.Rewired {
		d.RewiredNames = append(d.RewiredNames, named(&s.Graph.Components[p.After]))
	}
	word := ""
	switch {
	case base.legal() && !s.legal():
		word = Broken
	case !base.legal() && s.legal():
		word = Repaired
	}
	if word != "" {
		d.LegalityChanged = &word
	}
	return d
}

// figures compares what both versions are known to have.
func (d *Diff) figures(base, s *studied) {
	if len(base.ParamsWithheld)+len(s.ParamsWithheld) == 0 {
		delta := s.Params() - base.Params()
		d.ParamsDelta, d.ParamsDeltaPct = &delta, percent(delta, base.Params())
	}
	if base.Complete() && s.Complete() {
		memory, cost := quantity.GB(s.Training.CardBytes-base.Training.CardBytes), quantity.USD(s.Training.CostMicroUSD-base.Training.CostMicroUSD)
		d.MemoryDeltaGB, d.CostDeltaUSD = &memory, &cost
	}
}

// percent is nil where there is nothing to compare with.
func percent(delta, base int64) *quantity.Decimal {
	if base == 0 && delta != 0 {
		return nil
	}
	pct := quantity.Decimal{Places: 2}
	if base != 0 {
		share := float64(delta) / float64(base)
		pct = quantity.Round(share*100, 2)
	}
	return &pct
}

// dropDerived takes out what nobody changed: a parameter that was written down in neither version follows from the input, and
// the change of that input is the one to report.
func dropDerived(d *graph.Delta, before, after *graph.Graph) {
	kept := d.Changed[:0]
	for _, c := range d.Changed {
		all := len(c.Params)
		params := c.Params[:0]
		for _, p := range c.Params {
			_, was := before.Components[c.Before].Param(p.Name)
			_, is := after.Components[c.After].Param(p.Name)
			if was || is || p.Name == graph.AsMember || p.Name == graph.ScopeParam {
				params = append(params, p)
			}
		}
		if len(params) > 0 || all == 0 || c.Type != (graph.TypeChange{}) {
			c.Params = params
			kept = append(kept, c)
		}
	}
	d.Changed = kept
}

// appendLines has one line for each changed parameter of a component.
func appendLines(out []string, after *graph.Component, c graph.Change) []string {
	label := after.Label()
	if c.Type != (graph.TypeChange{}) {
		out = append(out, label+": "+clip(c.Type.Before)+" → "+clip(c.Type.After))
	}
	for _, p := range c.Params {
		out = append(out, label+"."+clip(p.Name)+": "+written(p.Before)+" → "+written(p.After))
	}
	if c.Type == (graph.TypeChange{}) && len(c.Params) == 0 {
		out = append(out, label+": shares the weight of another component")
	}
	return out
}

func written(v graph.Value) string {
	if v.Kind() == graph.Null {
		return "not set"
	}
	return clip(v.String())
}

func named(c *graph.Component) string { return fmt.Sprintf("%s (%s)", c.Label(), clip(c.Type)) }

// empty reports whether the two have the same structure.
func (d *Diff) empty() bool { return d.Added+d.Removed+d.Changed+d.Rewired == 0 }

// sentence says the most important of a diff.
func (d *Diff) sentence() string {
	base := "the base"
	if d.Base.Name != "" {
		base = clip(d.Base.Name)
	}
	if d.empty() {
		return "nothing changed against " + base
	}
	parts := []string{}
	for _, c := range []struct {
		n    int
		word string
	}{{d.Added, "added"}, {d.Removed, "removed"}, {d.Changed, "changed"}, {d.Rewired, "rewired"}} {
		if c.n > 0 {
			parts = append(parts, quantity.Grouped(int64(c.n))+" "+c.word)
		}
	}
	text := "against " + base + " " + strings.Join(parts, ", ")
	if d.ParamsDelta != nil {
		text += ", " + signed(*d.ParamsDelta) + " parameters"
	} else {
		text += ", parameters that cannot be compared"
	}
	if d.CostDeltaUSD != nil {
		text += ", " + signedDollars(d.CostDeltaUSD)
	}
	if d.LegalityChanged != nil {
		text += ", legality " + *d.LegalityChanged
	}
	return text
}

func signed(n int64) string {
	if n > 0 {
		return "+" + quantity.Grouped(n)
	}
	return quantity.Grouped(n)
}
