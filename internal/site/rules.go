package site

import (
	"github.com/modelverifier/verifier/internal/datasets"
	"github.com/modelverifier/verifier/internal/rules"
)

// severities are the headings of the list of rules, worst first.
var severities = []struct {
	Severity              rules.Severity
	Title, Means, Verdict string
}{
	{rules.Block, "Refusals", "PyTorch does not run such a model.", "Refused"},
	{rules.Warn, "Warnings", "Such a model runs. What was found is likely a mistake: the evidence is beside it.", "Warned of"},
	{rules.Info, "Remarks", "Such a model runs. Worth knowing, and often meant.", "Remarked on"},
}

func rulePath(id string) string { return datasets.RulePath(id) }

// check is an item of /r/index.json.
type check struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Severity   string `json:"severity"`
	Trigger    string `json:"trigger"`
	Provenance string `json:"provenance"`
	Source     string `json:"source"`
	Page       string `json:"page"`
}

func (s *Site) check(r *rules.Rule) check {
	return check{r.ID, r.Title, string(r.Severity), datasets.Trigger(r), datasets.Provenance(r), r.Source, s.url(rulePath(r.ID))}
}

// addRules publishes the list of rules and the page of each.
func (s *Site) addRules() {
	s.addPage(page{Path: "/rules.html", Title: "Rules", Section: "rules", Description: "Every rule that Model Verifier holds a model to, with its page."}, "rules", func() any {
		type group struct {
			Severity, Title, Means string
			Rules                  []*rules.Rule
		}
		var groups []group
		for _, v := range severities {
			g := group{string(v.Severity), v.Title, v.Means, nil}
			for _, r := range rules.Rules() {
				if r.Severity == v.Severity {
					g.Rules = append(g.Rules, r)
				}
			}
			groups = append(groups, g)
		}
		return map[string]any{"Groups": groups, "Count": len(rules.Rules()), "Others": testGroups()}
	})
	s.addTests()
	for _, r := range rules.Rules() {
		s.addPage(page{Path: rulePath(r.ID), Title: r.ID, Section: "rules", Description: r.Title + "."}, "rule", func() any { return s.rulePage(r) })
	}
}

func (s *Site) rulePage(r *rules.Rule) any {
	means, verdict := "", ""
	for _, v := range severities {
		if v.Severity == r.Severity {
			means, verdict = v.Means, v.Verdict
		}
	}
	var fires, silent []datasets.RuleExample
	for _, text := range r.Examples {
		if e := datasets.RunRule(r, text); e.Fires {
			fires = append(fires, e)
		} else {
			silent = append(silent, e)
		}
	}
	return map[string]any{
		"Rule": r, "Severity": string(r.Severity), "Means": means, "Verdict": verdict, "Provenance": datasets.Provenance(r),
		"Advice": r.Severity != rules.Block, "Outcome": r.Outcome(),
		"Fires": fires, "Silent": silent, "Types": s.breaks()[r.ID], "RuleSet": s.ruleSet,
	}
}
