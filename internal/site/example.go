package site

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

// want marks, in the examples of a rule, the lines that it must find.
const want = "// want"

// ruleExample is an example of a rule, executed.
type ruleExample struct {
	Fires    bool
	Lines    []line
	Findings []finding
	graph    *graph.Graph // as written
	notation string
}

// line is a line of the short notation; Hit says that the rule finds something in it.
type line struct {
	Text string
	Hit  bool
}

// finding is one thing that the engine found in an example or an architecture.
type finding struct {
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	Component string `json:"component,omitempty"` // id
	Type      string `json:"type,omitempty"`
	Message   string `json:"message"`
	Fix       string `json:"fix,omitempty"`
}

// runRule executes an example of a rule as lint would.
func runRule(r *rules.Rule, text string) ruleExample {
	var e ruleExample
	var plain []string
	for l := range strings.SplitSeq(text, "\n") {
		head, hit := strings.CutSuffix(strings.TrimRight(l, " "), want)
		head = strings.TrimRight(head, " ")
		if hit && head == "" {
			continue // a line that stands for the graph itself
		}
		e.Lines = append(e.Lines, line{head, hit})
		plain = append(plain, head)
	}
	e.notation = strings.Join(plain, "\n")
	e.graph = parse(e.notation)
	e.Findings = examine(r, e.notation)
	for _, f := range e.Findings {
		e.Fires = e.Fires || f.Rule == r.ID
	}
	return e
}

func parse(notation string) *graph.Graph {
	g, err := graph.Parse(notation)
	if err != nil {
		panic("site: " + err.Error()) // cannot happen: examples are part of the program, and the rules' tests read them
	}
	return g
}

// examine lists what every check finds in a graph, and what a rule of its own finds that is asked by rank alone.
func examine(own *rules.Rule, notation string) []finding {
	g := parse(notation)
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	found := rules.All(res)
	return findings(res, slices.DeleteFunc(found, func(f rules.Finding) bool { return f.Rule.Comparing && f.Rule != own }))
}

func findings(res *infer.Result, found []rules.Finding) []finding {
	var out []finding
	for _, f := range found {
		item := finding{Rule: f.Rule.ID, Severity: string(f.Rule.Severity), Message: f.Message, Fix: f.Fix}
		if f.Node >= 0 {
			c := &res.Graph.Components[f.Node]
			item.Component, item.Type = c.ID, c.Type
		}
		out = append(out, item)
	}
	return out
}

// typeExample is an example of a component type, executed.
type typeExample struct {
	In, Args       string
	Out            string // the shape of the result
	Weights, FLOPs int64
	Refusal, Rule  string // why it does not run
	Fix            string
}

// runType executes an example of a type as the walk would.
func runType(t *catalog.Type, e *catalog.Example) typeExample {
	params, err := graph.ParseParams(e.Args)
	if err != nil {
		panic("site: " + t.ID + ": " + err.Error()) // cannot happen: the catalogue's tests run every example
	}
	for i := range params {
		params[i].Name = t.Canonical(params[i].Name)
	}
	out := typeExample{In: e.In, Args: e.Args}
	r := call(t, e.In, params)
	if r.Err == nil {
		out.Out, out.Weights, out.FLOPs = r.Out.String(), r.Count, r.FLOPs
		if r.Out == nil {
			out.Out = "unknown"
		}
		return out
	}
	out.Refusal, out.Rule = r.Err.Message, r.Err.Rule
	if r.Err.Param == "" {
		return out
	}
	repaired := append(params[:len(params):len(params)], graph.Param{Name: r.Err.Param, Value: r.Err.Value})
	if call(t, e.In, repaired).Err == nil { // a fix is offered only after it has been tried
		out.Fix = fmt.Sprintf("set %s to %s", r.Err.Param, r.Err.Value)
	}
	return out
}

// call applies a type to inputs such as "[8,4,4] int[12]". Of a parameter that is given twice the last counts.
func call(t *catalog.Type, in string, given []graph.Param) catalog.Result {
	c := &catalog.Call{}
	c.Begin(t, make([]graph.Value, len(t.Params)), &catalog.Declared{})
	for _, field := range strings.Fields(in) {
		dims, tokens := strings.CutPrefix(field, "int")
		var shape catalog.Shape
		if err := json.Unmarshal([]byte(dims), &shape); err != nil {
			panic("site: " + t.ID + ": " + err.Error()) // cannot happen: the catalogue's tests run every example
		}
		c.In, c.InIsInt = append(c.In, shape), append(c.InIsInt, tokens)
	}
	seen := map[string]int{}
	var params []graph.Param
	for _, p := range given {
		if i, twice := seen[p.Name]; twice {
			params[i] = p
			continue
		}
		seen[p.Name] = len(params)
		params = append(params, p)
	}
	if refused := t.Bind(params, c.Args); refused != nil {
		return catalog.Result{Err: refused}
	}
	return c.Apply()
}

// brokenBy maps each rule to the types whose examples break it, in the order of the catalogue.
func brokenBy() map[string][]string {
	out := map[string][]string{}
	for _, t := range catalog.Types() {
		for i := range t.Examples {
			rule := runType(t, &t.Examples[i]).Rule
			if types := out[rule]; rule != "" && (len(types) == 0 || types[len(types)-1] != t.ID) {
				out[rule] = append(types, t.ID)
			}
		}
	}
	return out
}
