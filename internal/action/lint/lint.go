// Package lint is the action that lists what every rule finds in a model. Request and Result are the bodies on the wire.
package lint

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// Request is what can be asked.
type Request struct {
	Model  *graph.Graph
	Policy *policy.Policy

	Notes    []string        // what was translated in a file of another tool
	Text     action.TextCall // the model called with text alone, for what a finding offers
	Examined action.Observer // is told about the model; may be nil
}

// Decode reads a request.
func Decode(body []byte, limits graph.Limits) (*Request, error) {
	f := action.Read(body, limits, action.Model)
	r := &Request{Model: f.Model(), Policy: f.Policy(), Notes: f.Notes()}
	if err := f.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// Result is the answer.
type Result struct {
	Verdict  string    `json:"verdict"` // fail, warn or pass
	Counts   Counts    `json:"counts"`
	Findings []Finding `json:"findings"`
	Inferred *Inferred `json:"inferred,omitempty"`
	Notes    []string  `json:"notes,omitempty"` // what was translated in a file of another tool
	Followed string    `json:"-"`               // what a text begins with where the source was not followed to its end
}

// Counts is the number of findings of each severity.
type Counts struct {
	Block int `json:"block"`
	Warn  int `json:"warn"`
	Info  int `json:"info"`
}

// Finding is one thing found. Component, Edit and Fix are additions to the specification.
type Finding struct {
	Rule          string          `json:"rule"` // or policyRule
	Severity      rules.Severity  `json:"severity"`
	Message       string          `json:"message"`
	ComponentName string          `json:"componentName"`
	ComponentType string          `json:"componentType"`
	Component     string          `json:"component,omitempty"`
	Edit          []action.Edit   `json:"edit,omitempty"`
	Options       []action.Option `json:"options,omitempty"`
	Fix           string          `json:"fix,omitempty"`
	Line          string          `json:"-"` // key of the policy line that fails, as in action.Finding
}

// policyRule stands for a rule where a line of the caller's own policy fails.
const policyRule = "policy"

// Inferred counts the connections that an importer concluded instead of reading them.
type Inferred struct {
	Total             int `json:"total"`
	Inferred          int `json:"inferred"`
	ConstructionOrder int `json:"constructionOrder"`
	UnmodelledMerge   int `json:"unmodelledMerge"`
}

// Run lints a model. It brings the graph into canonical form first, in place.
func Run(r *Request) *Result {
	s := action.Examine(r.Model)
	s.Offer(r.Text)
	r.Examined.Tell(s)
	out := &Result{Verdict: "pass", Findings: []Finding{}, Inferred: inferred(s.Graph), Notes: r.Notes, Followed: s.Followed()}
	for _, f := range s.Findings {
		out.addRule(s.Graph, f)
	}
	if !r.Policy.Empty() {
		s.Price(estimate.Options{}, 0)
		for _, v := range r.Policy.Check(s.Facts()) {
			out.add(Finding{Rule: policyRule, Severity: v.Severity, Message: v.Detail, Fix: v.Fix, Line: v.Key})
		}
	}
	switch {
	case out.Counts.Block > 0:
		out.Verdict = "fail"
	case out.Counts.Warn > 0:
		out.Verdict = "warn"
	}
	return out
}

func (r *Result) addRule(g *graph.Graph, f rules.Finding) {
	out := Finding{Rule: f.Rule.ID, Severity: f.Rule.Severity, Message: f.Message, Fix: f.Fix, Edit: action.Edits(f), Options: action.Options(f)}
	if f.Node >= 0 {
		c := &g.Components[f.Node]
		out.ComponentName, out.ComponentType, out.Component = c.Label(), c.Type, c.ID
	}
	r.add(out)
}

// add keeps a finding and counts it.
func (r *Result) add(f Finding) {
	switch f.Severity {
	case rules.Block:
		r.Counts.Block++
	case rules.Warn:
		r.Counts.Warn++
	default:
		r.Counts.Info++
	}
	r.Findings = append(r.Findings, f)
}

// inferred is nil where every connection was read.
func inferred(g *graph.Graph) *Inferred {
	out := Inferred{Total: len(g.Connections)}
	for _, c := range g.Connections {
		switch c.Inferred {
		case "":
			continue
		case "unmodelledMerge":
			out.UnmodelledMerge++
		default:
			out.ConstructionOrder++
		}
		out.Inferred++
	}
	if out.Inferred == 0 {
		return nil
	}
	return &out
}

// Tell says what a call with text alone is.
func (r *Request) Tell(texts []action.TextCall) {
	if len(texts) > 0 {
		r.Text = texts[0]
	}
}
