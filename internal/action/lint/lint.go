// Package lint is the action that lists what every rule finds in a model. Request and Result are the bodies on the wire.
package lint

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// Result is the answer.
type Result struct {
	Verdict  string    `json:"verdict"` // fail, warn or pass
	Counts   Counts    `json:"counts"`
	Findings []Finding `json:"findings"`
	Inferred *Inferred `json:"inferred,omitempty"`
}

// Counts is the number of findings of each severity.
type Counts struct {
	Block int `json:"block"`
	Warn  int `json:"warn"`
	Info  int `json:"info"`
}

// Finding is one thing found. Component, Edit and Fix are additions to the specification.
type Finding struct {
	Rule          string         `json:"rule"`
	Severity      rules.Severity `json:"severity"`
	Message       string         `json:"message"`
	ComponentName string         `json:"componentName"`
	ComponentType string         `json:"componentType"`
	Component     string         `json:"component,omitempty"`
	Edit          []Edit         `json:"edit,omitempty"`
	Fix           string         `json:"fix,omitempty"`
}

// Edit is the change of one parameter that repairs a finding.
type Edit struct {
	Component string      `json:"component"`
	Param     string      `json:"param"`
	Value     graph.Value `json:"value"`
}

// Inferred counts the connections that an importer concluded instead of reading them.
type Inferred struct {
	Total             int `json:"total"`
	Inferred          int `json:"inferred"`
	ConstructionOrder int `json:"constructionOrder"`
	UnmodelledMerge   int `json:"unmodelledMerge"`
}

// Run lints a model. It brings the graph into canonical form first, in place.
func Run(g *graph.Graph) *Result {
	g.Normalize(catalog.Vocabulary)
	out := &Result{Verdict: "pass", Findings: []Finding{}, Inferred: inferred(g)}
	for _, f := range rules.Run(infer.Walk(g)) {
		out.add(g, f)
	}
	switch {
	case out.Counts.Block > 0:
		out.Verdict = "fail"
	case out.Counts.Warn > 0:
		out.Verdict = "warn"
	}
	return out
}

func (r *Result) add(g *graph.Graph, f rules.Finding) {
	out := Finding{Rule: f.Rule.ID, Severity: f.Rule.Severity, Message: f.Message, Fix: f.Fix}
	if f.Node >= 0 {
		c := &g.Components[f.Node]
		out.ComponentName, out.ComponentType, out.Component = c.Label(), c.Type, c.ID
	}
	for _, e := range f.Edits {
		out.Edit = append(out.Edit, Edit{e.Component, e.Param, e.Value})
	}
	switch f.Rule.Severity {
	case rules.Block:
		r.Counts.Block++
	case rules.Warn:
		r.Counts.Warn++
	default:
		r.Counts.Info++
	}
	r.Findings = append(r.Findings, out)
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
