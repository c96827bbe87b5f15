// Package comment says on a pull request what became of its models: it renders one comment from the records of a run, and keeps
// that comment up to date through the API of the service that the pull request lies with.
//
// It decides no verdict and computes no figure: a record has them. The rendering depends on the record alone; only what posts knows
// the network, the clock and a token, which is in no message.
package comment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/report"
)

// Version is the version of the record's format.
const Version = 1

// Record is what became of the models of a pull request, as policy-apply --change writes it.
type Record struct {
	Version int     `json:"version"`
	Models  []Model `json:"models"`
}

// Model is what became of one.
type Model struct {
	Path     string    `json:"path"`            // from the root of the repository
	Error    string    `json:"error,omitempty"` // why it could not be read; nothing else is there then
	Verdict  string    `json:"verdict,omitempty"`
	Refused  bool      `json:"refused"`           // something makes the command fail
	Gate     string    `json:"gate,omitempty"`    // of the change: approved or refused; "" where there is no version before
	Changed  bool      `json:"changed"`           // the structure is another
	Below    bool      `json:"below"`             // the figures differ by less than the lines under change: allow
	Base     *Figures  `json:"base,omitempty"`    // the version before
	Head     *Figures  `json:"head,omitempty"`    // as it is now
	Findings []Finding `json:"findings"`          // as they count
	Plan     string    `json:"plan,omitempty"`    // the plan as Markdown
	Assumed  string    `json:"assumed,omitempty"` // what the estimates assume
}

// Figures are those of a version. One is null where the version does not run, or it would be that of a part of it.
type Figures struct {
	Fingerprint  string   `json:"fingerprint"`
	Legal        bool     `json:"legal"`
	Known        bool     `json:"known"` // every figure is there and contains every component
	Params       *int64   `json:"params"`
	FLOPs        *int64   `json:"flops"` // one sample, forward
	CardBytes    *int64   `json:"cardBytes"`
	CostMicroUSD *int64   `json:"costMicroUsd"`
	Withheld     []string `json:"withheld,omitempty"` // components that memory and cost lack: those are lower bounds then
}

// settle takes out the zeros that a record of an earlier program has where nothing is known.
func (f *Figures) settle() {
	if f != nil && !f.Known && len(f.Withheld) == 0 && f.Params != nil && f.FLOPs != nil && f.CardBytes != nil && f.CostMicroUSD != nil {
		f.Params, f.FLOPs, f.CardBytes, f.CostMicroUSD = nil, nil, nil, nil
	}
}

// Finding is one finding and where it lies.
type Finding struct {
	report.Judged
	Name string `json:"name,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`

	Suggestions []Suggestion `json:"suggestions,omitempty"` // lines of files that mend it, all of them together
}

// Of are the figures of a version that has been priced.
func Of(s *action.Study) *Figures {
	f := &Figures{Fingerprint: s.Walked.Fingerprint(), Legal: s.Runs(), Known: s.Whole()}
	if !s.Runs() || len(s.Withheld) > 0 {
		return f
	}
	if n := s.Params(); len(s.ParamsWithheld) == 0 {
		f.Params = &n
	}
	f.FLOPs = s.FLOPs()
	if s.Priced() {
		f.CardBytes, f.CostMicroUSD, f.Withheld = &s.Training.CardBytes, &s.Training.CostMicroUSD, s.CostWithheld
	}
	return f
}

// Set fills in what a plan says of the change.
func (m *Model) Set(r *plan.Record) {
	m.Plan, m.Assumed = plan.Markdown(r), r.Cost.Assumptions
	if d := r.Diff; d != nil {
		m.Changed = d.Added+d.Removed+d.Changed+d.Rewired > 0
	}
}

// Judge fills in what a run that has been judged says.
func (m *Model) Judge(r *report.Run, paths report.Paths) {
	m.Path, m.Verdict, m.Refused, m.Findings = paths(r.Model), r.Verdict, r.ExitCode != 0, []Finding{}
	for i := range r.Findings {
		f := &r.Findings[i]
		m.Findings = append(m.Findings, Finding{Judged: report.Judged{Checker: f.Checker, Rule: f.Rule, Severity: f.Severity, Effective: f.Effective, Gates: f.Gates,
			Waived: f.Waived, Reason: f.Reason, Baseline: f.Baseline, Title: f.Title, Detail: f.Detail, Fix: f.Fix, Component: f.Component},
			Name: f.Name, File: paths(r.Where(f)), Line: f.Line, Suggestions: suggestions(f, paths)})
	}
}

// suggestions are the lines of the change that mends a finding. Where there are several, each says so: one without the others mends
// nothing.
func suggestions(f *report.Finding, paths report.Paths) (all []Suggestion) {
	if f.Change == nil {
		return nil
	}
	n := len(f.Change.Lines)
	for i, l := range f.Change.Lines {
		why := f.Title + ": " + f.Change.Why
		if n > 1 {
			why += fmt.Sprintf(" (part %d of %d: commit all of them)", i+1, n)
		}
		all = append(all, Suggestion{Path: paths(l.Path), First: l.First, Last: l.Last, New: l.New, Why: why})
	}
	return all
}

// Worth reports whether a model is worth a comment of its own: it could not be read, is refused, is new, has begun or ceased to run, or
// changed by more than the repository's lines let pass in silence.
func (m *Model) Worth() bool {
	if m.Error != "" || m.Refused || m.Base == nil || m.Head == nil || m.Base.Legal != m.Head.Legal {
		return true
	}
	return m.Changed && !m.Below
}

// Worth reports whether any model is.
func (r *Record) Worth() bool {
	for i := range r.Models {
		if r.Models[i].Worth() {
			return true
		}
	}
	return false
}

// Decode reads a record. Members that it does not know are of another version, and an error.
func Decode(data []byte) (*Record, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	r := &Record{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("is not a record of policy-apply --change: %w", err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("is a record of version %d, this program reads version %d", r.Version, Version)
	}
	if d.More() {
		return nil, errors.New("has more behind the record")
	}
	for i := range r.Models {
		r.Models[i].Base.settle()
		r.Models[i].Head.settle()
	}
	return r, nil
}

// Encode writes a record, indented for those who read it.
func (r *Record) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		panic("comment: " + err.Error()) // cannot happen: there is nothing in it that has no JSON
	}
	return b.Bytes()
}
