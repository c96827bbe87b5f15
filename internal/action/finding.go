package action

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// Finding is one thing found. Component, Edit and Options are additions to the specification.
type Finding struct {
	Stage     string         `json:"stage"`
	Severity  rules.Severity `json:"severity"` // block or warn
	Title     string         `json:"title"`
	Detail    string         `json:"detail"`
	Fix       string         `json:"fix,omitempty"`
	RuleID    string         `json:"ruleId,omitempty"`
	Component string         `json:"component,omitempty"`
	Edit      []Edit         `json:"edit,omitempty"`
	Options   []Option       `json:"options,omitempty"`
	Line      string         `json:"-"` // key of the policy line that fails: what a waiver on the command line names
	Key       string         `json:"-"` // name of a finding that is of no rule: one of Keys
	Section   bool           `json:"-"` // whether it is that of a section of the answer: data, layout or serve
}

// Key names findings past the graph itself, which no rule has, and the stage that looks for them.
type Key struct{ ID, Title, Stage string }

// Keys lists them, sorted by id. All of them warn.
func Keys() []Key { return []Key{noTarget, noCard, StoredWeights} }

var (
	noCard = Key{NoCardKey, "No single GPU holds a training step", Train}
	// StoredWeights is of models with weights beside their description: whoever loads them would say the same.
	StoredWeights = Key{"stored-weights", "The stored weights are not those of the description", Preflight}

	noTarget = Key{"no-deploy-target", "Too large for every deploy target", Deploy}
)

// NoCardKey is the id of the finding on a card that does not hold a training step.
const NoCardKey = "no-single-gpu"

// Edit is the change of one parameter that repairs a finding; or, where Op is Insert, a component of Type that is put into the connection
// From one component To another.
type Edit struct {
	Op        string      `json:"op,omitempty"`
	Component string      `json:"component"`
	Param     string      `json:"param,omitempty"`
	Value     graph.Value `json:"value,omitzero"`
	Type      string      `json:"type,omitempty"`
	From      string      `json:"from,omitempty"`
	To        string      `json:"to,omitempty"`
}

// Option is a parameter with values of which each repairs the finding. Nothing says which was meant, so that following edits takes none.
type Option struct {
	Component string  `json:"component"`
	Param     string  `json:"param"`
	Values    []int64 `json:"values"`
}

// String says which values there are.
func (o Option) String() string {
	words := make([]string, len(o.Values))
	for i, v := range o.Values {
		words[i] = strconv.FormatInt(v, 10)
	}
	return o.Param + " of " + o.Component + ": " + strings.Join(words, ", ")
}

// Options returns the options of a rule's finding as they go over the wire.
func Options(f rules.Finding) []Option {
	var out []Option
	for _, o := range f.Options {
		out = append(out, Option(o))
	}
	return out
}

// Insert is the word of an edit that adds a component.
const Insert = "insert"

// The stages that a finding can belong to.
const (
	Preflight = "preflight"
	Data      = "data"
	Train     = "train"
	Deploy    = "deploy"
	Policy    = "policy" // comes behind the stages of the walk and is none of them
)

// Edits returns the edits of a rule's finding as they go over the wire.
func Edits(f rules.Finding) []Edit {
	var out []Edit
	for _, e := range f.Edits {
		w := Edit{Component: e.Component, Param: e.Param, Value: e.Value, Type: e.Type, From: e.From, To: e.To}
		if e.Inserts() {
			w.Op = Insert
		}
		out = append(out, w)
	}
	return out
}

// ruleFindings returns what rules found with a severity, in their order.
func (s *Study) ruleFindings(severity rules.Severity) []Finding {
	n := 0
	for _, f := range s.Findings {
		if f.Rule.Severity == severity {
			n++
		}
	}
	out := make([]Finding, 0, n)
	for _, f := range s.Findings {
		if f.Rule.Severity != severity {
			continue
		}
		w := Finding{Stage: Preflight, Severity: severity, Title: f.Rule.Title, Detail: f.Message, Fix: f.Fix, RuleID: f.Rule.ID, Edit: Edits(f), Options: Options(f)}
		if f.Node >= 0 {
			c := &s.Graph.Components[f.Node]
			w.Component, w.Detail = c.ID, c.Label()+": "+f.Message
		}
		out = append(out, w)
	}
	return out
}

// Violations returns the lines of a policy that the model does not keep: those that block, and those that warn.
func (s *Study) Violations(p *policy.Policy) (blocks, warns []Finding) {
	if p == nil {
		return nil, nil // the facts need not be gathered
	}
	for _, v := range p.Check(s.Facts()) {
		f := Finding{Stage: Policy, Severity: v.Severity, Title: v.Title, Detail: v.Detail, Fix: v.Fix, Line: v.Key}
		switch v.Severity {
		case rules.Block:
			blocks = append(blocks, f)
		case rules.Warn:
			warns = append(warns, f)
		}
	}
	return blocks, warns
}
