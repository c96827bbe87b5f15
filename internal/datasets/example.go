package datasets

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// want marks, in the examples of a rule, the lines that it must find.
const want = "// want"

// RuleExample is an example of a rule, executed.
type RuleExample struct {
	Fires    bool
	Lines    []Line
	Findings []Finding
	Graph    *graph.Graph // as written
	Notation string
}

// Line is a line of the short notation; Hit says that the rule finds something in it.
type Line struct {
	Text string
	Hit  bool
}

// Finding is one thing that the engine found in an example or an architecture.
type Finding struct {
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	Component string `json:"component,omitempty"` // id
	Type      string `json:"type,omitempty"`
	Message   string `json:"message"`
	Fix       string `json:"fix,omitempty"`
}

// RunRule executes an example of a rule as lint would.
func RunRule(r *rules.Rule, text string) RuleExample {
	var e RuleExample
	var plain []string
	for l := range strings.SplitSeq(text, "\n") {
		head, hit := strings.CutSuffix(strings.TrimRight(l, " "), want)
		head = strings.TrimRight(head, " ")
		if hit && head == "" {
			continue // a line that stands for the graph itself
		}
		e.Lines = append(e.Lines, Line{head, hit})
		plain = append(plain, head)
	}
	e.Notation = strings.Join(plain, "\n")
	e.Graph = parse(e.Notation)
	e.Findings = examine(r, e.Notation)
	for _, f := range e.Findings {
		e.Fires = e.Fires || f.Rule == r.ID
	}
	return e
}

func parse(notation string) *graph.Graph {
	g, err := graph.Parse(notation)
	if err != nil {
		panic("datasets: " + err.Error()) // cannot happen: examples are part of the program, and the rules' tests read them
	}
	return g
}

// examine lists what every check finds in a graph, and what a rule of its own finds that is asked by rank alone.
func examine(own *rules.Rule, notation string) []Finding {
	g := parse(notation)
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	found := rules.All(res)
	return Findings(res, slices.DeleteFunc(found, func(f rules.Finding) bool { return f.Rule.Comparing && f.Rule != own }))
}

// Findings lists what was found in a walk, as pages and rows show it.
func Findings(res *infer.Result, found []rules.Finding) []Finding {
	var out []Finding
	for _, f := range found {
		item := Finding{Rule: f.Rule.ID, Severity: string(f.Rule.Severity), Message: f.Message, Fix: f.Fix}
		if f.Node >= 0 {
			c := &res.Graph.Components[f.Node]
			item.Component, item.Type = c.ID, c.Type
		}
		out = append(out, item)
	}
	return out
}
