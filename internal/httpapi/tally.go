package httpapi

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// What an answer adds to the counts: verdicts, and the ids of rules that we have. Nothing else is taken from an answer.

func tallyCheck(r *check.Result) telemetry.Tally {
	return telemetry.Tally{Verdicts: []string{r.Verdict}, Rules: fired(r.Findings, ruleID)}
}

func tallyLint(r *lint.Result) telemetry.Tally {
	return telemetry.Tally{Verdicts: []string{r.Verdict}, Rules: fired(r.Findings, func(f *lint.Finding) string { return f.Rule })}
}

func tallyPlan(r *plan.Result) telemetry.Tally {
	run, verdict := r.Plan.Run, "legal"
	switch {
	case !run.Legal:
		verdict = "refused"
	case len(run.Withheld) > 0:
		verdict = "withheld"
	}
	return telemetry.Tally{Verdicts: []string{verdict}, Rules: append(fired(run.Blockers, ruleID), fired(run.Warnings, ruleID)...)}
}

// tallyRank has a verdict for each candidate, and the rules that fired on all of them.
func tallyRank(r *rank.Result) telemetry.Tally {
	var t telemetry.Tally
	for _, c := range r.Ranked {
		t.Verdicts = append(t.Verdicts, c.Tier)
		t.Rules = append(t.Rules, fired(c.Fired, func(id *string) string { return *id })...)
	}
	return t
}

func ruleID(f *action.Finding) string { return f.RuleID }

// fired lists the rules behind findings. Those of the caller's own policy are none of ours.
func fired[F any](findings []F, id func(*F) string) []string {
	var out []string
	for i := range findings {
		if r := rules.Lookup(id(&findings[i])); r != nil {
			out = append(out, r.ID)
		}
	}
	return out
}
