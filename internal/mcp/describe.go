package mcp

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/report/annotate"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = define(tool{
	name: "describe", title: "Look into a model",
	doc: `Totals and the heaviest components; with component, all about one and what depends on it; with block, those whose id or name begins so; with search, ` +
		`those whose id, name or type has it; with group, sums; with from and to, the shortest path.`,
	input: modelLikeCheck + `,"component":{"type":"string"},"block":{"type":"string","description":"such as layers.0"},"search":{"type":"string"},` +
		`"group":{"enum":["type","block"]},"from":{"type":"string"},"to":{"type":"string"},"top":{"type":"integer","description":"length of lists"}`,
	output: []string{"name", "fingerprint", "runs", "components", "connections", "params", "paramsWithheld", "flops", "savedBytes", "heaviest", "mostFlops", "blockers", "component", "block", "found", "groups", "route"},
	run:    describe,
})

// description is what describe answers. Lists are cut to what was asked for; counts are of all.
type description struct {
	Name        string           `json:"name"`
	Fingerprint string           `json:"fingerprint"`
	Runs        bool             `json:"runs"`
	Components  int              `json:"components"`
	Connections int              `json:"connections"`
	Params      int64            `json:"params"`
	Withheld    []string         `json:"paramsWithheld"` // components whose weights are not in params
	FLOPs       *int64           `json:"flops"`          // null, as the next, where it lacks a component
	SavedBytes  *int64           `json:"savedBytes"`
	Heaviest    []part           `json:"heaviest"`
	MostFLOPs   []part           `json:"mostFlops"`
	Blockers    []string         `json:"blockers"`
	Component   *componentDetail `json:"component,omitempty"`
	Block       *blockDetail     `json:"block,omitempty"`
	Found       *blockDetail     `json:"found,omitempty"`
	Groups      []group          `json:"groups,omitempty"`
	Path        []part           `json:"route,omitempty"` // an error has a path, and clients hold both to one schema
}

// part is a component in a list.
type part struct {
	ID     string        `json:"id"`
	Type   string        `json:"type"`
	Shape  catalog.Shape `json:"outputShape"` // null where unknown
	Params *int64        `json:"params"`      // null, as the next, where not known
	FLOPs  *int64        `json:"flops"`
	State  string        `json:"state"`
}

var states = map[infer.State]string{infer.Unknown: "unknown", infer.Legal: "ok", infer.Refused: "refused", infer.Withheld: "withheld", infer.Note: "note", infer.Absent: "absent"}

const defaultTop, mostTop = 10, 2000

func describe(_ *Server, ctx context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	component, block, from, to := f.Str("component"), f.Str("block"), f.Str("from"), f.Str("to")
	search, by := f.Str("search"), f.Enum("group", groupings...)
	top := int64(defaultTop)
	if n, given := f.Int("top", 1); given {
		top = min(n, mostTop)
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	m, err := a.model(ctx)
	if err != nil {
		return nil, err
	}
	s := action.Examine(m.graph)
	s.Offer(m.textCall(elsewhere))
	v := &view{s.Walked, s.Findings, int(top)}
	d := v.totals()
	if component != "" {
		if d.Component, err = v.component(component); err != nil {
			return nil, err
		}
	}
	if block != "" {
		if d.Block, err = v.block(block); err != nil {
			return nil, err
		}
	}
	if search != "" {
		d.Found = v.search(search)
	}
	if by != "" {
		d.Groups = v.grouped(by, search)
	}
	if from != "" || to != "" {
		if d.Path, err = v.path(from, to); err != nil {
			return nil, err
		}
	}
	return &answer{body: d, text: annotate.Harmless(d.text()) + a.said(), meta: a.meta()}, nil
}

// view looks at a walked graph.
type view struct {
	*infer.Result
	findings []rules.Finding
	top      int
}

func (v *view) part(i int) part {
	n := &v.Nodes[i]
	return part{n.Component.ID, n.Component.Type, n.Out, n.KnownParams(), n.KnownFLOPs(), states[n.State]}
}

func (v *view) totals() *description {
	d := &description{
		Name: v.Graph.Name, Fingerprint: v.Fingerprint(), Runs: true, Components: len(v.Nodes), Connections: len(v.Graph.Connections),
		Params: v.Params, Withheld: v.ParamsWithheld(), FLOPs: v.KnownFLOPs(), SavedBytes: v.KnownSaved(), Blockers: []string{},
	}
	for _, f := range v.findings {
		if f.Rule.Severity != rules.Block {
			break // blocks come first
		}
		where := ""
		if f.Node >= 0 {
			where = v.Nodes[f.Node].Component.Label() + ": "
		}
		d.Runs, d.Blockers = false, append(d.Blockers, where+f.Message)
	}
	d.Heaviest = v.heaviest(func(n *infer.Node) int64 { return n.Params })
	d.MostFLOPs = v.heaviest(func(n *infer.Node) int64 { return n.FLOPs })
	return d
}

// heaviest returns the components with the most of something, in the order of the graph where they are equal.
func (v *view) heaviest(of func(*infer.Node) int64) []part {
	var order []int
	for i := range v.Nodes {
		if of(&v.Nodes[i]) > 0 {
			order = append(order, i)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return of(&v.Nodes[order[a]]) > of(&v.Nodes[order[b]]) })
	out := []part{}
	for _, i := range order[:min(v.top, len(order))] {
		out = append(out, v.part(i))
	}
	return out
}

// find returns a component by its id, or by a name that it alone has.
func (v *view) find(argument, word string) (int, error) {
	if word == "" {
		return -1, refuse(graph.CodeMissing, argument, argument+": is missing", "Give the id of a component; from and to go together.")
	}
	named := -1
	for i := range v.Nodes {
		c := v.Nodes[i].Component
		if c.ID == word {
			return i, nil
		}
		if c.Name == word {
			if named >= 0 {
				return -1, refuse(codeUnknown, argument, fmt.Sprintf("several components are named %q", clip(word)), "Give the id of one.")
			}
			named = i
		}
	}
	if named < 0 {
		return -1, refuse(codeUnknown, argument, fmt.Sprintf("there is no component %q", clip(word)), "describe with block, or export to notation, shows the ids.")
	}
	return named, nil
}

func (d *description) text() string {
	var b strings.Builder
	runs := "runs"
	if !d.Runs {
		runs = "does not run"
	}
	fmt.Fprintf(&b, "%s: %s; %d components, %s parameters, %s forward per sample, structure %s\n", d.Name, runs, d.Components, counted(&d.Params, d.Withheld), computed(d.FLOPs), d.Fingerprint)
	if len(d.Withheld) > 0 {
		bullet(&b, "the weights of these are not known: "+strings.Join(d.Withheld[:min(len(d.Withheld), mostFindings)], ", "))
	}
	for _, s := range d.Blockers[:min(len(d.Blockers), mostFindings)] {
		bullet(&b, "blocked: "+s)
	}
	switch {
	case d.Component != nil:
		d.Component.text(&b)
	case d.Block != nil:
		d.Block.text(&b)
	case d.Groups != nil:
		for _, g := range d.Groups {
			fmt.Fprintf(&b, "- %s: %d components, %s parameters, %s\n", g.Name, g.Count, counted(&g.Params, g.Withheld), computed(g.FLOPs))
		}
	case d.Found != nil:
		d.Found.text(&b)
	case d.Path != nil:
		list(&b, d.Path)
	default:
		b.WriteString("heaviest:\n")
		list(&b, d.Heaviest)
	}
	return b.String()
}

// counted is a number of weights, and whether it lacks some.
func counted(n *int64, withheld []string) string {
	switch {
	case n == nil:
		return "an unknown number of"
	case len(withheld) > 0:
		return "at least " + quantity.Grouped(*n)
	}
	return quantity.Grouped(*n)
}

// computed is a number of FLOPs that may not be known.
func computed(n *int64) string {
	if n == nil {
		return "an unknown number of FLOPs"
	}
	return quantity.FLOPs(*n)
}

func list(b *strings.Builder, parts []part) {
	for _, p := range parts {
		shape := p.State
		if p.Shape != nil {
			shape = p.Shape.String()
		}
		fmt.Fprintf(b, "- %s %s %s, %s parameters\n", p.ID, p.Type, shape, counted(p.Params, nil))
	}
}

// tooFar is that no connection leads from one component to another.
func tooFar(from, to string) error {
	return refuse(action.CodeForm, "to", fmt.Sprintf("no path leads from %q to %q", clip(from), clip(to)), "Try the other direction, or describe one of them to see what it reads and what depends on it.")
}
