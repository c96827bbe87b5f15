package policy

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// Stricter returns the lines of two policies that both hold: the lower of two limits, every card, every type, and the more severe of
// two severities. A line that only one of them has stays.
func Stricter(a, b *Policy) *Policy {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	out := *a
	out.MaxParams, out.MaxLayers = lower(a.MaxParams, b.MaxParams), lower(a.MaxLayers, b.MaxLayers)
	out.MaxMemoryGB, out.MaxCostUSD = lower(a.MaxMemoryGB, b.MaxMemoryGB), lower(a.MaxCostUSD, b.MaxCostUSD)
	out.MustFit, out.ForbidTypes, out.RequireTypes = united(a.MustFit, b.MustFit), united(a.ForbidTypes, b.ForbidTypes), united(a.RequireTypes, b.RequireTypes)
	out.Severity = slices.Clone(a.Severity)
	for _, r := range b.Severity {
		i := slices.IndexFunc(out.Severity, func(o Raise) bool { return o.Rule == r.Rule })
		switch {
		case i < 0:
			out.Severity = append(out.Severity, r)
		case ranks[r.Severity] > ranks[out.Severity[i].Severity]:
			out.Severity[i] = r
		}
	}
	slices.SortFunc(out.Severity, func(a, b Raise) int { return cmp.Compare(a.Rule, b.Rule) })
	return &out
}

func lower(a, b *Limit) *Limit {
	if a == nil || b != nil && b.Most < a.Most {
		return b
	}
	return a
}

// united is a list with what is only in the other behind it; nil where neither has a line.
func united(a, b []string) []string {
	if a == nil {
		return b
	}
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Under puts a file below one of a folder above it, so that what it says adds to what that says and takes nothing of it back. lines are the
// policy lines that the upper file has for the model at hand. What cannot hold beside the upper file is an error and not ignored: its
// author would believe that it holds.
func (f *File) Under(outer *File, lines *Policy) error {
	for _, o := range f.Severity {
		for _, p := range outer.Severity {
			if o.meets(p.selection) && ranks[o.Severity] < ranks[p.Severity] {
				return &graph.Error{Code: CodeValue, Path: severityKey, Message: o.Text + " is milder than " + p.Text + " of a file above: a nested severity can only be stricter"}
			}
		}
	}
	if f.Baseline != "" {
		return &graph.Error{Code: CodeValue, Path: "baseline", Message: "a file above counts what is known: name the baseline there"}
	}
	if err := f.Change.under(&outer.Change); err != nil {
		return err
	}
	for i := range f.Waivers {
		f.Waivers[i].firm = append(f.Waivers[i].firm, firm(outer, lines)...)
	}
	f.Severity = append(slices.Clone(outer.Severity), f.Severity...)
	f.Waivers = append(slices.Clone(outer.Waivers), f.Waivers...)
	if len(outer.Change.Set()) > 0 {
		f.Approvals = nil
	}
	f.Approvals = append(slices.Clone(outer.Approvals), f.Approvals...)
	f.Baseline, f.Defaults = outer.Baseline, defaultsUnder(outer.Defaults, f.Defaults)
	return nil
}

// firm are the findings that only the upper file may waive: its policy lines, and what it counts as a block or a warning.
func firm(outer *File, lines *Policy) (out []selection) {
	for _, l := range lines.Set() {
		out = append(out, selection{Checker, RuleOf(l.Key)})
	}
	for _, o := range outer.Severity {
		if ranks[o.Severity] >= ranks[rules.Warn] {
			out = append(out, o.selection)
		}
	}
	return out
}

// meets reports whether some rule is in both selections.
func (s selection) meets(t selection) bool {
	return (s.checker == "" || t.checker == "" || s.checker == t.checker) && (s.rule == "" || t.rule == "" || s.rule == t.rule)
}

// failOn is the one flag that a file fills in which decides what fails.
const failOn = "fail-on"

// defaultsUnder puts the nearer defaults before those of a file above; only fail-on cannot become milder.
func defaultsUnder(outer, inner []Default) []Default {
	strict := slices.ContainsFunc(outer, func(d Default) bool { return d.Flag == failOn && slices.Contains(d.Values, string(rules.Warn)) })
	out := slices.DeleteFunc(slices.Clone(inner), func(d Default) bool {
		return strict && d.Flag == failOn && !slices.Contains(d.Values, string(rules.Warn))
	})
	for _, d := range outer {
		if !slices.ContainsFunc(out, func(o Default) bool { return o.Flag == d.Flag && o.Command == d.Command }) {
			out = append(out, d)
		}
	}
	return out
}

// under takes the lines of a file above where they are stricter.
func (c *Change) under(outer *Change) error {
	for i, up := range outer.growth {
		own := c.growth[i]
		switch {
		case up == nil:
		case own == nil:
			c.growth[i] = up
		case (own.den == 0) != (up.den == 0) && own.most+up.most > 0: // that nothing may be added is both
			return &graph.Error{Code: CodeValue, Path: "change." + changeLines[i].key,
				Message: own.text + " cannot be compared with " + up.text + " of a file above: say both as shares, or both as amounts"}
		case up.less(own):
			c.growth[i] = up
		}
	}
	return nil
}

// less compares two of a kind.
func (g *Growth) less(h *Growth) bool {
	if g.den == 0 && h.den == 0 {
		return g.most < h.most
	}
	gn, gd := g.share()
	hn, hd := h.share()
	return gn.Mul(gn, hd).Cmp(hn.Mul(hn, gd)) < 0
}

// share is what the amount may be of the one before; all of it where nothing may be added.
func (g *Growth) share() (num, den *big.Int) {
	if g.den == 0 {
		return big.NewInt(1), big.NewInt(1)
	}
	return big.NewInt(g.num), big.NewInt(g.den)
}
