// Package policy holds the caller's own rules: lines such as max_params: 200M that a model must keep. A line that fails is a
// violation that quotes it; max_memory_gb and max_cost_usd compare estimates and therefore warn, the others block.
//
// A policy can only make a verdict stricter: nothing that Decode reads softens one, over the wire or in the policy: and
// models: sections of a repository's .verifier.yml. What softens, the severity: section beside them, waivers, baselines and
// approvals in that file and overrides on the command line, changes no verdict and no body, only whether a command fails
// (Override, Waiver, Baseline, Approval), and lies outside the type Policy.
//
// The package knows facts about a model and no graph, no hardware, no clock and no disk: the caller passes the facts, the
// names of GPUs, rules and flags, and the day.
package policy

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

// The codes of errors about policies, beside those of package graph. Both mean a document of the right form that says
// something unknown.
const (
	CodeKey   = "unknown-key"
	CodeValue = "unknown-value"
	CodeYAML  = "invalid-yaml" // of a file only
)

// Policy is a set of lines. A nil one has none.
type Policy struct {
	MaxParams    *Limit
	MustFit      []string // canonical names of GPUs: one, or those of several files that hold
	ForbidTypes  []string // canonical, in the order written; nil where there is no line
	RequireTypes []string
	MaxLayers    *Limit
	MaxMemoryGB  *Limit // counted in bytes; a GB has 10^9 of them
	MaxCostUSD   *Limit // counted in micro-dollars
	Severity     []Raise
}

// Raise is a line of the severity section: a finding of the rule counts as that severe. Sorted by rule in a Policy.
type Raise struct {
	Rule     string
	Severity rules.Severity
}

// GPUs finds a GPU by any of its spellings: its canonical name, or the name that is nearest.
type GPUs func(name string) (canonical string, ok bool, nearest string)

// Facts are what a policy asks about a model. Counts below zero, and a nil Fits, are not known.
type Facts struct {
	Params       int64
	Layers       int
	Types        []string // canonical
	CardBytes    int64    // memory that training takes on the card
	CostMicroUSD int64
	Fits         func(gpu string) (fits, known bool)
	Fired        []Fired
	Partial      string // what of the model memory and cost lack, "" for nothing: a line that they keep is then not known to hold
	Uncounted    string // the same of Params
}

// Fired counts the findings of one rule.
type Fired struct {
	Rule     string
	Severity rules.Severity
	Count    int
}

// Violation is a line that fails. A line that cannot be checked, because what it asks about is not known, is one that warns.
type Violation struct {
	Line     string // the line, quoted: max_params: 200M
	Key      string // max_params, or severity.high-dropout
	Severity rules.Severity
	Title    string
	Detail   string // begins with the line
	Fix      string // where one change repairs it
}

// Check returns the lines that fail, in the order of the specification, severities last and by rule.
func (p *Policy) Check(f Facts) []Violation {
	if p == nil {
		return nil
	}
	var out []Violation
	for i := range lines {
		if v := lines[i].violation(p, &f); v != nil {
			out = append(out, *v)
		}
	}
	return p.raised(&f, out)
}

// Empty reports whether the policy has no line.
func (p *Policy) Empty() bool { return len(p.Lines()) == 0 }

// Lines quotes every line of the policy, in the order in which Check goes through them.
func (p *Policy) Lines() []string {
	var out []string
	for _, l := range p.Set() {
		out = append(out, l.Line)
	}
	return out
}

// Line is a line that is set.
type Line struct {
	Key      string // max_params, or severity.high-dropout
	Line     string // quoted
	Severity rules.Severity
	Title    string // of a violation
}

// Lines are the lines that a policy can have, those under change: among them, without their values.
func Lines() []Line {
	var out []Line
	for i := range lines {
		out = append(out, Line{Key: lines[i].key, Severity: lines[i].severity, Title: lines[i].title})
	}
	for i := range changeLines {
		out = append(out, Line{Key: changeLines[i].key, Severity: rules.Block, Title: changeLines[i].title})
	}
	return out
}

const raisedTitle = "A rule that the policy makes stricter has findings"

// Set lists the lines that are set, in the order in which Check goes through them.
func (p *Policy) Set() []Line {
	if p == nil {
		return nil
	}
	var out []Line
	for i := range lines {
		if text := lines[i].text(p); text != "" {
			out = append(out, Line{lines[i].key, lines[i].key + ": " + text, lines[i].severity, lines[i].title})
		}
	}
	for _, r := range p.Severity {
		out = append(out, Line{severityKey + "." + r.Rule, r.line(), r.Severity, raisedTitle})
	}
	return out
}

// Title is that of a violation of the line with a key.
func Title(key string) string {
	if l := lineOf(key); l != nil {
		return l.title
	}
	return raisedTitle
}

// ranks orders severities; no finding at all is 0.
var ranks = map[rules.Severity]int{rules.Info: 1, rules.Warn: 2, rules.Block: 3}

// Worst is the worst severity among what was there before and the violations. The empty severity stands for no finding.
func Worst(before rules.Severity, violations []Violation) rules.Severity {
	for _, v := range violations {
		if ranks[v.Severity] > ranks[before] {
			before = v.Severity
		}
	}
	return before
}

// Decode reads a policy from the text of a JSON object; path is its place in the caller's document. A null is no policy.
func Decode(raw, path string, gpus GPUs) (*Policy, *graph.Error) {
	v, err := parseJSON(raw, path)
	if err != nil || v.kind == graph.Null {
		return nil, err
	}
	p, _, err := reader{gpus}.policy(v)
	return p, err
}

// reader reads policies.
type reader struct{ gpus GPUs }

// policy also returns the keys that stand there as null: in the lines for a model they take back a general line.
func (r reader) policy(v item) (p *Policy, nulls []string, err *graph.Error) { return r.lines(v) }

// lines is the same where other words may stand beside the lines, which the caller has read.
func (r reader) lines(v item, beside ...string) (p *Policy, nulls []string, err *graph.Error) {
	if v.kind != graph.Object {
		return nil, nil, v.wrong("an object of policy lines")
	}
	p = &Policy{}
	for _, m := range v.members {
		l := lineOf(m.name)
		switch {
		case l == nil && m.name != severityKey:
			return nil, nil, m.unknown(CodeKey, "policy line", m.name, append(keys(), beside...))
		case m.kind == graph.Null:
			nulls = append(nulls, m.name)
		case l == nil:
			p.Severity, err = raises(m.item)
		default:
			err = l.read(r, p, m.item)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return p, nulls, nil
}

// keys are those of every line.
func keys() []string {
	var out []string
	for i := range lines {
		out = append(out, lines[i].key)
	}
	return append(out, severityKey)
}

func lineOf(key string) *line {
	if i := slices.IndexFunc(lines, func(l line) bool { return l.key == key }); i >= 0 {
		return &lines[i]
	}
	return nil
}

// overlay puts the lines of a more specific policy over these. Lists replace; severities are taken rule by rule.
func (p *Policy) overlay(over *Policy, nulls []string) {
	for i := range lines {
		if lines[i].text(over) != "" {
			lines[i].take(p, over)
		}
	}
	for _, key := range nulls {
		if l := lineOf(key); l != nil {
			l.take(p, &Policy{})
		} else {
			p.Severity = nil
		}
	}
	merged := slices.Clone(over.Severity)
	for _, r := range p.Severity {
		if !slices.ContainsFunc(over.Severity, func(o Raise) bool { return o.Rule == r.Rule }) {
			merged = append(merged, r)
		}
	}
	slices.SortFunc(merged, func(a, b Raise) int { return cmp.Compare(a.Rule, b.Rule) })
	p.Severity = merged
}
