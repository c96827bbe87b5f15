package report

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/rules"
)

// loosened is the rule of a change that softens the policy it is judged by.
var loosened = Rule{Checker: PolicyChecker, ID: "policy-loosened", Severity: rules.Block, Title: "The change loosens the policy that refuses it", URL: RuleURL("policy-loosened"),
	Help: "A pull request that changes a model and the policy in one go is judged by both: by the policy before it, and by the one that it brings. What either refuses is refused."}

// AddLoosened holds a run against the same run under the policy of the version before, both judged: what fails there and passes here is
// refused. Lines that are gone are named in any case.
func (r *Run) AddLoosened(before, now *Run, gone []string) {
	r.Rules = append(r.Rules, loosened)
	var spared []string
	for i := range before.Findings {
		f := &before.Findings[i]
		same := func(g Finding) bool { return g.Gates && g.Test() == f.Test() && g.Component == f.Component }
		if f.Gates && !slices.ContainsFunc(now.Findings, same) {
			spared = append(spared, f.Test()+": "+f.Detail)
		}
	}
	lines := ""
	if len(gone) > 0 {
		lines = "the policy before has " + strings.Join(gone, ", ") + ", which this one has not"
	}
	f := Finding{Checker: PolicyChecker, Rule: loosened.ID, firm: true, Fix: "change the policy in a pull request of its own"}
	switch {
	case len(spared) > 0:
		f.Severity, f.Title = rules.Block, loosened.Title
		f.Detail = "the policy before the change refuses what this one lets pass: " + strings.Join(spared, "; ")
		if lines != "" {
			f.Detail += "; " + lines
		}
	case lines != "":
		f.Severity, f.Title, f.Detail = rules.Warn, "The change edits the policy that judges it", lines
	default:
		r.sort()
		return
	}
	r.add(nil, f)
	r.sort()
}
