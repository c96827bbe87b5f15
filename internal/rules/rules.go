// Package rules says what is wrong with a model: one file for each rule, with its page, its source and executed examples.
//
// A rule that one component alone can break is decided by the catalogue or by inference, which name it; its file here has no
// code. A rule with code sees the whole graph through a Pass. Block means that PyTorch does not run the graph; warn and info
// are advice with evidence. The package must not know about costs, policies or surfaces.
package rules

import (
	"cmp"
	"slices"
	"sort"

	"github.com/modelverifier/verifier/internal/infer"
)

// Severity says how much a finding matters.
type Severity string

// The severities, worst first.
const (
	Block Severity = "block"
	Warn  Severity = "warn"
	Info  Severity = "info"
)

// Rule is one rule.
type Rule struct {
	ID       string
	Title    string
	Severity Severity
	Doc      string // for its page: what happens, why it matters, what to do
	Source   string // the code that refuses, or the evidence

	// Written says that the rule is about what is written down, components, connections and the names of parameters: it runs on every
	// component whether or not its shape is known. Every other rule runs where shapes are known, and passes only where all are.
	Written bool

	// Comparing says that the rule is about which of two designs trains better. It is asked where candidates are ranked, and nowhere else:
	// a small model is no fault.
	Comparing bool

	// Whole looks at the whole graph; nil where the catalogue or inference decides.
	Whole func(*Pass)

	// Examples are graphs in the short notation. A line that ends in "// want" must get a finding of this rule, a line
	// that is only "// want" one on the graph itself, every other line none. At least one example fires and one does not.
	Examples []string
}

// Finding is one thing found.
type Finding struct {
	Rule    *Rule
	Node    int // index of the component, or -1 for the graph itself
	Message string
	Edits   []infer.Edit
	Fix     string
	Options []infer.Option // where several values of a parameter would do
}

var byID = map[string]*Rule{}

// define registers a rule. A mistake in a definition stops every test at once, so it panics.
func define(r Rule) *Rule {
	if byID[r.ID] != nil {
		panic("rules: " + r.ID + " is defined twice")
	}
	byID[r.ID] = &r
	return &r
}

// Lookup returns the rule with an id, or nil.
func Lookup(id string) *Rule { return byID[id] }

// Rules returns every rule, sorted by id.
func Rules() []*Rule {
	out := make([]*Rule, 0, len(byID))
	for _, r := range byID {
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

var ordered []*Rule // those with code, sorted by id once every file has been initialised

// Run returns everything that the rules find in a walked graph, those that compare designs aside: worst first, then in the order of the
// graph, then by rule.
func Run(res *infer.Result) []Finding { return run(res, false) }

// All returns what Run does, and what the rules that compare designs find.
func All(res *infer.Result) []Finding { return run(res, true) }

func run(res *infer.Result, comparing bool) []Finding {
	if ordered == nil {
		panic("rules: no rule has code") // cannot happen: init fills it
	}
	p := newPass(res)
	for _, r := range ordered {
		if r.Comparing && !comparing {
			continue
		}
		p.rule = r
		r.Whole(p)
	}
	noInput := slices.ContainsFunc(p.findings, func(f Finding) bool { return f.Rule == noInputNode })
	p.findings = slices.Grow(p.findings, len(res.Refusals))
	for _, r := range res.Refusals {
		if noInput && r.Rule == "missing-input" {
			continue // the graph lacks an input, not each component that begins it
		}
		p.findings = append(p.findings, Finding{byID[r.Rule], r.Node, r.Message, r.Edits, r.Fix, r.Options})
	}
	worstFirst(p.findings)
	return p.findings
}

// worstFirst puts the worst first, and then findings in the order of the graph.
func worstFirst(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Rule.Severity.rank(), b.Rule.Severity.rank()), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
}

// Weighed are the findings of All whose rules have a measured link to trained outcomes, for who has those of Run already: only the rules are
// asked that Run does not ask.
func Weighed(res *infer.Result, found []Finding) []Finding {
	p := newPass(res)
	for _, r := range ordered {
		if r.Comparing && r.Weight() > 0 {
			p.rule = r
			r.Whole(p)
		}
	}
	for _, f := range found {
		if f.Rule.Weight() > 0 {
			p.findings = append(p.findings, f)
		}
	}
	worstFirst(p.findings)
	return p.findings
}

// rank puts the worst first.
func (s Severity) rank() int {
	switch s {
	case Block:
		return 0
	case Warn:
		return 1
	}
	return 2
}

// Blocked reports whether one of the findings blocks.
func Blocked(findings []Finding) bool {
	return len(findings) > 0 && findings[0].Rule.Severity == Block
}
