package report

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// The gates of a change.
const (
	Approved = "approved"
	Refused  = "refused"
)

// Change is what became of a model since the version before, and whether it may.
type Change struct {
	Gate        string          `json:"gate"`    // Approved or Refused
	Reasons     []string        `json:"reasons"` // why it is refused, or was approved all the same
	Approval    *ApprovalReason `json:"approval,omitempty"`
	Fingerprint Both[string]    `json:"fingerprint"`
	Legal       Both[bool]      `json:"legal"` // whether no rule refuses it; policies do not count
	Params      Both[*int64]    `json:"params"`
	EstCostUSD  Both[*Dollars]  `json:"estCostUsd"`
	CardBytes   Both[*int64]    `json:"cardBytes"`
	violations  []policy.Violation
	approved    *policy.Approval
	lines       []policy.Line
	below       bool
	why         string // it was not judged in full, "" where it was
}

// Below reports whether there are lines under change: and the versions differ by less than they allow, in either direction.
func (c *Change) Below() bool { return c.below }

// Dollars is an amount of money on the wire.
type Dollars = quantity.Decimal

// Both is a value before and now. A null is not known.
type Both[T any] struct {
	Base T `json:"base"`
	Head T `json:"head"`
}

// ApprovalReason is why a change passes that a line refuses.
type ApprovalReason struct {
	Reason string `json:"reason"`
}

// legality is the one line that needs no entry in a file.
var legality = policy.Line{Key: "change_legality", Severity: rules.Block, Title: "The change breaks a model that ran"}

// Compare holds a model against the version before, both priced in the same way, and against the lines of a file.
func Compare(base, head *action.Study, file *policy.File) *Change {
	c := &Change{Gate: Approved, Reasons: []string{}, lines: []policy.Line{legality}, Fingerprint: Both[string]{base.Walked.Fingerprint(), head.Walked.Fingerprint()},
		Legal: Both[bool]{base.Runs(), head.Runs()}}
	c.why = hidden(base, head)
	before, after := amounts(base), amounts(head)
	c.Params = Both[*int64]{known(before.Params), known(after.Params)}
	c.CardBytes = Both[*int64]{known(before.CardBytes), known(after.CardBytes)}
	c.EstCostUSD = Both[*Dollars]{dollars(before.CostMicroUSD), dollars(after.CostMicroUSD)}
	if c.Legal.Base && !c.Legal.Head {
		c.violations = append(c.violations, policy.Violation{Key: legality.Key, Severity: rules.Block, Title: legality.Title,
			Detail: "the version before runs and this one does not", Fix: "repair what blocks, or approve the fingerprint " + c.Fingerprint.Head})
	}
	if file != nil {
		c.lines = append(c.lines, file.Change.Set()...)
		if len(c.violations) == 0 { // of a model that does not run there is nothing to compare
			c.violations = append(c.violations, file.Change.Check(before, after)...)
		}
		c.approved = file.Approved(c.Fingerprint.Head)
		c.below = c.Legal == Both[bool]{true, true} && len(file.Change.Set()) > 0 && len(file.Change.Check(before, after))+len(file.Change.Check(after, before)) == 0
	}
	for _, v := range c.violations {
		if v.Severity == rules.Block {
			c.Reasons = append(c.Reasons, v.Detail)
		}
	}
	switch {
	case len(c.Reasons) > 0 && c.approved != nil:
		c.Approval = &ApprovalReason{c.approved.Reason}
	case len(c.Reasons) > 0:
		c.Gate = Refused
	}
	return c
}

// AddChange adds what a change breaks to a run: findings that nothing but an approval softens.
func (r *Run) AddChange(c *Change) {
	r.Verdicts.Change = &Gate{c.Gate}
	for _, l := range c.lines {
		help := "What has been broken since the version before is refused."
		if l.Line != "" {
			help = "The policy has the line " + l.Line + " under change:."
		}
		r.Rules = append(r.Rules, Rule{Checker: PolicyChecker, ID: policy.RuleOf(l.Key), Severity: l.Severity, Title: l.Title, Help: help, URL: policyAddress(l.Key)})
	}
	r.leave(PolicyChecker, c.open())
	for _, v := range c.violations {
		f := Finding{Checker: PolicyChecker, Rule: policy.RuleOf(v.Key), Severity: v.Severity, Title: v.Title, Detail: v.Detail, Fix: v.Fix, firm: true}
		if c.approved != nil {
			f.Waived, f.Reason = true, c.approved.Reason
		}
		r.add(nil, f)
	}
	r.sort()
}

// open is what the change could not be judged for: a version that was not looked at in full is not known to run.
func (c *Change) open() []rules.Open {
	if c.why == "" {
		return nil
	}
	o := rules.Open{Why: c.why}
	for _, l := range c.lines {
		o.Tests = append(o.Tests, policy.RuleOf(l.Key))
	}
	return []rules.Open{o}
}

// hidden says what of the two versions was not looked at, "" where all was.
func hidden(base, head *action.Study) string {
	for _, v := range []struct {
		name  string
		study *action.Study
	}{{"this version", head}, {"the version before", base}} {
		c := rules.Cover(v.study.Walked, v.study.Findings)
		if o := c.Open(); o != nil {
			return "of " + v.name + " " + o.Why
		}
	}
	return ""
}

// amounts are known of a model that runs and has no shape withheld, those that contain every component.
func amounts(s *action.Study) policy.Amounts {
	out := policy.Amounts{Params: -1, CostMicroUSD: -1, CardBytes: -1}
	if p := countOf(s); p != nil {
		out.Params = p.Derived
	}
	if s.Whole() {
		out.CostMicroUSD, out.CardBytes = s.Training.CostMicroUSD, s.Training.CardBytes
	}
	return out
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func dollars(micro int64) *Dollars {
	if micro < 0 {
		return nil
	}
	d := quantity.USD(micro)
	return &d
}
