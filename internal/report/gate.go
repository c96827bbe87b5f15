package report

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// Terms are what decides whether a finding makes a command fail.
type Terms struct {
	FailOn   rules.Severity // block or warn
	Flags    []policy.Override
	File     *policy.File // nil where there is none
	FileName string
	Baseline *policy.Baseline // nil where there is none
	Model    string           // as the baseline names it
	Now      string           // the day, as 2027-01-31, or ""
}

// ExitGated is the exit code of a command that fails for a finding.
const ExitGated = 1

// Judge says of each finding how severely it counts, whether it is waived or was there before, and whether it gates; and sets
// the exit code. It returns a note for each that would have gated and does not, or gates and is not in the body.
func (t *Terms) Judge(r *Run) (notes []string) {
	known := make([]policy.Known, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		known[i] = policy.Known{Model: t.Model, Rule: f.Test(), Component: f.Component}
	}
	fresh := t.Baseline.New(known)
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.firm && !f.open && t.Baseline != nil {
			f.Baseline = New
			if !fresh[i] {
				f.Baseline = Existing
			}
		}
		if note := t.judge(f); note != "" {
			notes = append(notes, note)
		}
		if f.Gates {
			r.ExitCode = ExitGated
		}
	}
	return notes
}

// spared says why a finding does not gate.
func (f *Finding) spared(why string) string {
	return f.String() + " does not fail this command: " + why
}

// judge decides on one finding and says why it does not gate, where it otherwise would.
func (t *Terms) judge(f *Finding) (note string) {
	if f.open {
		return ""
	}
	if f.firm {
		f.Gates = !f.Waived && t.fails(f.Severity)
		if f.Waived {
			note = f.spared("approved: " + f.Reason)
		}
		return note
	}
	o, from := policy.Overridden(f.Checker, f.Rule, t.Flags), "--severity "
	if o == nil && t.File != nil {
		o, from = policy.Overridden(f.Checker, f.Rule, t.File.Severity), "severity of "+t.FileName+": "
	}
	if o != nil {
		f.Effective = o.Severity
	}
	names := []string{f.Component, f.Name}
	if w := t.File.Waiver(f.Checker, f.Rule, t.Now, names...); w != nil {
		f.Waived, f.Reason = true, w.Reason
		if w.Expires != "" && t.Now == "" {
			note = fmt.Sprintf("; it expires on %s, which was not judged without --now", w.Expires)
		}
	}
	f.Gates = t.fails(f.Effective) && !f.Waived && f.Baseline != Existing
	switch {
	case f.Gates && f.quiet:
		return f.String() + " fails this command: " + from + o.Text
	case f.Gates:
		if w := t.File.Waiver(f.Checker, f.Rule, "", names...); w != nil {
			return fmt.Sprintf("the waiver of %s expired on %s", f, w.Expires)
		}
		return ""
	case !t.fails(f.Effective) && t.fails(f.Severity):
		return f.spared(from + o.Text)
	case !t.fails(f.Effective):
		return ""
	case f.Waived:
		return f.spared("waived: " + f.Reason + note)
	}
	return f.spared("it is in the baseline")
}

func (t *Terms) fails(s rules.Severity) bool { return s == rules.Block || s == t.FailOn }
