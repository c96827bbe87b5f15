package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// difference compares the structures of a model and of its base, both examined in the same way.
func difference(base, s *studied) graph.Delta {
	delta := graph.Diff(base.structure, s.structure, func(out []graph.Param, g *graph.Graph, i int) []graph.Param {
		if g == base.Graph {
			return base.Walked.AppendIdentity(out, i)
		}
		return s.Walked.AppendIdentity(out, i)
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
	var given []string // of both, by name: there can be thousands
	for _, c := range d.Changed {
		given = appendGiven(appendGiven(given[:0], &before.Components[c.Before]), &after.Components[c.After])
		slices.Sort(given)
		all := len(c.Params)
		params, left := c.Params[:0], given
		for _, p := range c.Params { // by name
			for len(left) > 0 && left[0] < p.Name {
				left = left[1:]
			}
			if len(left) > 0 && left[0] == p.Name || p.Name == graph.AsMember || p.Name == graph.ScopeParam {
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

// appendGiven names the parameters that were written down.
func appendGiven(out []string, c *graph.Component) []string {
	for _, p := range c.Params {
		if p.Value.Kind() != graph.Null {
			out = append(out, p.Name)
		}
	}
	return out
}

// appendLines has one line for each changed parameter of a component.
func appendLines(out []string, after *graph.Component, c graph.Change) []string {
	label := after.Label()
	var line []byte
	if c.Type != (graph.TypeChange{}) {
		out = append(out, label+": "+clip(c.Type.Before)+" → "+clip(c.Type.After))
	}
	for _, p := range c.Params {
		line = append(append(append(append(line[:0], label...), '.'), clip(p.Name)...), ": "...)
		line = appendWritten(append(appendWritten(line, p.Before), " → "...), p.After)
		out = append(out, string(line))
	}
	if c.Type == (graph.TypeChange{}) && len(c.Params) == 0 {
		out = append(out, label+": shares the weight of another component")
	}
	return out
}

// appendWritten writes a value down, as short as a name.
func appendWritten(out []byte, v graph.Value) []byte {
	if v.Kind() == graph.Null {
		return append(out, "not set"...)
	}
	from := len(out)
	if out = v.AppendJSON(out); v.Kind() == graph.Int { // the most, by far, where there are many
		return out
	}
	return append(out[:from], clip(string(out[from:]))...)
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
