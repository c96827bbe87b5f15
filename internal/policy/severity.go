package policy

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

const severityKey = "severity"

// Off is a severity that only an override can give: findings of the rule fail nothing.
const Off rules.Severity = "off"

func (r Raise) line() string { return severityKey + ": {" + r.Rule + ": " + string(r.Severity) + "}" }

// raises reads the severity section. A severity milder than the rule's own is an error and not ignored: its author would
// believe that it holds.
func raises(v item) ([]Raise, *graph.Error) {
	if v.kind != graph.Object {
		return nil, v.wrong("an object of rule ids and severities")
	}
	var out []Raise
	for _, m := range v.members {
		rule := rules.Lookup(m.name)
		if rule == nil {
			return nil, m.unknown(CodeKey, "rule", m.name, ruleIDs())
		}
		if m.kind != graph.String {
			return nil, m.wrong("a severity: block, warn or info")
		}
		s := rules.Severity(m.text)
		switch {
		case ranks[s] == 0 && s != Off:
			return nil, m.errorf(CodeValue, "must be block, warn or info, not %q", clip(m.text))
		case ranks[s] < ranks[rule.Severity]:
			return nil, m.errorf(CodeValue, "%s is milder than the rule's own %s: a policy can only make a verdict stricter; "+
				"use a waiver or severity: beside policy: in .verifier.yml, or --severity on the command line", s, rule.Severity)
		}
		out = append(out, Raise{rule.ID, s})
	}
	slices.SortFunc(out, func(a, b Raise) int { return cmp.Compare(a.Rule, b.Rule) })
	return out, nil
}

// raised adds a violation for each rule that fired at a milder severity than the policy gives it. The findings themselves keep
// theirs: a rule has one severity everywhere.
func (p *Policy) raised(f *Facts, out []Violation) []Violation {
	for _, r := range p.Severity {
		n := 0
		for _, fired := range f.Fired {
			if fired.Rule == r.Rule && fired.Count > 0 && ranks[fired.Severity] < ranks[r.Severity] {
				n += fired.Count
			}
		}
		if n == 0 {
			continue
		}
		v := Violation{Line: r.line(), Key: severityKey + "." + r.Rule, Severity: r.Severity}
		v.Title = raisedTitle
		v.Detail = v.Line + ": the model has " + plural(int64(n), "finding") + " of this rule"
		out = append(out, v)
	}
	return out
}

func ruleIDs() []string {
	var out []string
	for _, r := range rules.Rules() {
		out = append(out, r.ID)
	}
	return out
}
