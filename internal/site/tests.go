package site

import (
	"slices"

	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

// checkers are the headings of the tests that are no rules over a graph.
var checkers = []struct{ ID, Title, Means string }{
	{report.CheckChecker, "Past the graph", "What check looks for beside the graph itself."},
	{report.DataChecker, "Datasets", "Whether a dataset fits the model."},
	{report.LayoutChecker, "Layouts", "Whether a training framework takes a split of the model over many GPUs, and whether its stages fit."},
	{report.PolicyChecker, "Policies", "The lines of a repository's policy, and what becomes of a model in a change."},
	{report.ServeChecker, "Launch commands", "Whether a serving engine takes a launch command for the model."},
}

// testGroup is the tests of one checker that have no page as a rule.
type testGroup struct {
	ID, Title, Means string
	Tests            []report.Rule
}

// testGroups are by checker. A test that several checkers have is listed with the first.
func testGroups() []testGroup {
	var out []testGroup
	seen := map[string]bool{}
	for _, c := range checkers {
		g := testGroup{ID: c.ID, Title: c.Title, Means: c.Means}
		for _, r := range report.Tests() {
			if r.Checker == c.ID && rules.Lookup(r.ID) == nil && !seen[r.ID] {
				seen[r.ID] = true
				g.Tests = append(g.Tests, r)
			}
		}
		out = append(out, g)
	}
	return out
}

// addTests publishes a page for every test that a record can name and that is no rule over a graph.
func (s *Site) addTests() {
	for _, g := range testGroups() {
		for _, r := range g.Tests {
			s.addPage(page{Path: rulePath(r.ID), Title: r.ID, Section: "rules", Description: r.Title + "."}, "test", func() any {
				var names []string
				for _, t := range report.Tests() {
					if t.ID == r.ID {
						names = append(names, t.Checker+"/"+t.ID)
					}
				}
				slices.Sort(names)
				return map[string]any{"Test": r, "Names": slices.Compact(names), "Group": g, "RuleSet": s.ruleSet}
			})
		}
	}
}
