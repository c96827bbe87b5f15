package cli

import (
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// found is a finding as far as it can make a command fail.
type found struct {
	severity  rules.Severity
	rule      string // id of a rule or key of a policy line, "" where it is neither: nothing softens that
	component string // id, "" for the graph itself
	name      string
}

// gates reports whether a finding makes the command fail, and notes those that would have and do not.
func (j *judge) gates(a *answer) bool {
	known := make([]policy.Known, len(a.found))
	for i, f := range a.found {
		known[i] = policy.Known{Model: a.house.model, Rule: f.rule, Component: f.component}
	}
	fresh := a.house.baseline.New(known)
	failed := false
	for i, f := range a.found {
		severity := policy.Overridden(&rules.Rule{ID: ruleOf(f.rule), Severity: f.severity}, j.overrides)
		switch {
		case !j.fails(severity):
			if j.fails(f.severity) {
				j.note("%s does not fail this command: --severity %s=%s", f, ruleOf(f.rule), severity)
			}
		case f.rule != "" && !fresh[i]:
			j.note("%s does not fail this command: it is in the baseline", f)
		case !j.waived(a.house.file, f):
			failed = true
		}
	}
	return failed
}

func (j *judge) fails(s rules.Severity) bool { return s == rules.Block || s == j.failOn }

// waived reports whether a waiver holds for a finding, and notes one that has run out.
func (j *judge) waived(file *policy.File, f found) bool {
	if f.rule == "" {
		return false
	}
	if w := file.Waiver(f.rule, j.today, f.component, f.name); w != nil {
		j.note("%s does not fail this command: waived: %s", f, w.Reason)
		return true
	}
	if w := file.Waiver(f.rule, "", f.component, f.name); w != nil {
		j.note("the waiver of %s expired on %s", f, w.Expires)
	}
	return false
}

func (f found) String() string {
	if f.component == "" {
		return f.rule
	}
	return f.rule + " on " + f.name
}

// ruleOf is the rule that a policy line makes stricter, or the key as it is.
func ruleOf(key string) string { return strings.TrimPrefix(key, "severity.") }

// foundIn lists the findings of an answer, and those that are only notes and therefore not in it where --severity raises them.
func (j *judge) foundIn(g *graph.Graph, findings []action.Finding) []found {
	names := map[string]string{}
	for i := range g.Components {
		names[g.Components[i].ID] = g.Components[i].Label()
	}
	var out []found
	for _, f := range findings {
		key := f.RuleID
		if f.Line != "" {
			key = f.Line
		}
		out = append(out, found{f.Severity, key, f.Component, names[f.Component]})
	}
	if !j.raisesNotes() {
		return out
	}
	for _, f := range lint.Run(&lint.Request{Model: g}).Findings {
		if f.Severity == rules.Info {
			out = append(out, found{f.Severity, f.Rule, f.Component, f.ComponentName})
		}
	}
	return out
}

func (j *judge) raisesNotes() bool {
	for _, o := range j.overrides {
		if r := rules.Lookup(o.Rule); r != nil && r.Severity == rules.Info && j.fails(o.Severity) {
			return true
		}
	}
	return false
}
