package report

import (
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// Applied is the body of policy-apply: that of check, and what the rules of the house make of it.
type Applied struct {
	*check.Result
	Policy *House  `json:"policy"`
	Change *Change `json:"change,omitempty"` // where there is a version before
}

// House is what the rules of the house make of the findings.
type House struct {
	File     string         `json:"file,omitempty"` // the policy file, as it was named
	Lines    []string       `json:"lines"`          // of the policy
	FailOn   rules.Severity `json:"failOn"`
	Now      string         `json:"now,omitempty"` // the day on which waivers were judged
	ExitCode int            `json:"exitCode"`
	Gating   int            `json:"gating"` // findings that gate
	Waived   int            `json:"waived"`
	Existing int            `json:"existing"` // in the baseline
	Findings []Judged       `json:"findings"`
}

// Judged is a finding on the wire.
type Judged struct {
	Checker   string         `json:"checker"`
	Rule      string         `json:"rule"`
	Severity  rules.Severity `json:"severity"`
	Effective rules.Severity `json:"effective"`
	Gates     bool           `json:"gates"`
	Waived    bool           `json:"waived,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Baseline  string         `json:"baseline,omitempty"`
	Title     string         `json:"title"`
	Detail    string         `json:"detail"`
	Fix       string         `json:"fix,omitempty"`
	Component string         `json:"component,omitempty"`
}

// Apply makes the body from a run that has been judged.
func (t *Terms) Apply(r *check.Result, run *Run, p *policy.Policy, c *Change) *Applied {
	h := &House{File: t.FileName, Lines: append([]string{}, p.Lines()...), FailOn: t.FailOn, Now: t.Now, ExitCode: run.ExitCode, Findings: []Judged{}}
	for _, f := range run.Findings {
		h.Findings = append(h.Findings, Judged{f.Checker, f.Rule, f.Severity, f.Effective, f.Gates, f.Waived, f.Reason, f.Baseline, f.Title, f.Detail, f.Fix, f.Component})
		switch {
		case f.Gates:
			h.Gating++
		case f.Waived:
			h.Waived++
		case f.Baseline == Existing:
			h.Existing++
		}
	}
	return &Applied{r, h, c}
}
