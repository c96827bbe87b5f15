package rules

import (
	"iter"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Pass is what a rule sees: the walked graph, and a way to report.
type Pass struct {
	*infer.Result

	rule     *Rule
	findings []Finding
	traits   catalog.Trait // those of all components together
	layers   int
	inferred bool    // an importer concluded a connection instead of reading it
	depth    []depth // see depths
	signal   []signal
	measures *measures
	measured bool
	guesses  map[guess]string // see unread-param
}

func newPass(res *infer.Result) *Pass {
	p := &Pass{Result: res}
	for i := range res.Nodes {
		if t := res.Nodes[i].Type; t != nil {
			p.traits |= t.Traits
			if !t.Has(catalog.IsVirtual) {
				p.layers++
			}
		}
	}
	for i := range res.Graph.Connections {
		if res.Graph.Connections[i].Inferred != "" {
			p.inferred = true
			break
		}
	}
	return p
}

// Reportf reports a finding on a component, or on the graph itself where node is -1.
func (p *Pass) Reportf(node int, format string, args ...any) {
	p.findings = append(p.findings, Finding{Rule: p.rule, Node: node, Message: quantity.Sprintf(format, args...)})
}

// ReportEdit reports a finding that one change of a parameter repairs.
func (p *Pass) ReportEdit(node int, param string, v graph.Value, format string, args ...any) {
	p.Reportf(node, format, args...)
	f, c := &p.findings[len(p.findings)-1], p.Nodes[node].Component
	f.Edits = []infer.Edit{{Component: c.ID, Param: param, Value: v}}
	f.Fix = quantity.Sprintf("set %s of %s to %s", param, c.Label(), v)
}

// Label is what a message calls a component.
func (p *Pass) Label(i int) string { return p.Nodes[i].Component.Label() }

// With yields the components that run and have one of the traits, in the order in which they run.
func (p *Pass) With(traits catalog.Trait) iter.Seq[int] {
	return func(yield func(int) bool) {
		if p.traits&traits == 0 {
			return
		}
		for _, i := range p.Wiring.Order {
			if n := &p.Nodes[i]; n.State == infer.Legal && n.Type.Traits&traits != 0 && !yield(i) {
				return
			}
		}
	}
}

// Any reports whether some component, legal or not, has one of the traits.
func (p *Pass) Any(traits catalog.Trait) bool { return p.traits&traits != 0 }

// Edge is a connection between two components that run.
type Edge struct{ From, To int }

// Edges yields the connections from a component with one of the first traits to one with one of the second. A connection that
// an importer inferred is left out: adjacency is not certain there.
func (p *Pass) Edges(from, to catalog.Trait) iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		if p.traits&from == 0 {
			return
		}
		for i := range p.With(to) {
			edges := p.Wiring.InputEdges(i)
			for k, j := range p.Wiring.Inputs(i) {
				n := &p.Nodes[j]
				if n.State != infer.Legal || n.Type.Traits&from == 0 || p.Graph.Connections[edges[k]].Inferred != "" {
					continue
				}
				if !yield(Edge{int(j), i}) {
					return
				}
			}
		}
	}
}

// Arg returns the resolved value of a parameter, null where the component has none of that name.
func (p *Pass) Arg(i int, name string) graph.Value {
	if k := p.param(i, name); k >= 0 {
		return p.Nodes[i].Args[k]
	}
	return graph.Value{}
}

// param returns the position of a parameter among the arguments of a component, or -1.
func (p *Pass) param(i int, name string) int {
	n := &p.Nodes[i]
	for k := range n.Args {
		if n.Type.Params[k].Name == name {
			return k
		}
	}
	return -1
}

// True reports whether a component has a parameter that Python would take for true.
func (p *Pass) True(i int, name string) bool {
	v := p.Arg(i, name)
	switch v.Kind() {
	case graph.Bool:
		return v.Bool()
	case graph.Null:
		return false
	}
	c := catalog.Call{Type: p.Nodes[i].Type, Args: p.Nodes[i].Args}
	return c.Bool(name)
}

// Spatial returns a parameter with one size for each of n spatial axes, and whether the component has a value for it.
func (p *Pass) Spatial(i int, name string) (sizes [3]int64, n int, ok bool) {
	k := p.param(i, name)
	if k < 0 || p.Nodes[i].Type.Params[k].Kind != catalog.Dims {
		return sizes, 0, false
	}
	v, n := &p.Nodes[i].Args[k], p.Nodes[i].Type.Params[k].N
	list := v.List()
	switch {
	case v.Kind() == graph.Int:
		sizes[0], sizes[1], sizes[2] = v.Int(), v.Int(), v.Int()
	case len(list) == 1:
		sizes[0], sizes[1], sizes[2] = list[0].Int(), list[0].Int(), list[0].Int()
	case len(list) == n:
		for a := range n {
			sizes[a] = list[a].Int()
		}
	default:
		return sizes, 0, false
	}
	return sizes, n, true
}

// Outputs yields the components that return a result to the caller.
func (p *Pass) Outputs() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range p.With(catalog.IsVirtual) {
			if p.Nodes[i].Type.Has(catalog.KeepsShape) && !yield(i) {
				return
			}
		}
	}
}

// Sole reports whether nothing but one component reads the result of i.
func (p *Pass) Sole(i int) bool { return len(p.Wiring.Outputs(i)) == 1 }

// Is reports whether a component runs and has all of the traits.
func (p *Pass) Is(i int, traits catalog.Trait) bool {
	return p.Nodes[i].State == infer.Legal && p.Nodes[i].Type.Has(traits)
}

// Only returns the one component that feeds i, and whether there is exactly one and the connection was not inferred.
func (p *Pass) Only(i int) (int, bool) {
	in := p.Wiring.Inputs(i)
	if len(in) != 1 || p.Graph.Connections[p.Wiring.InputEdges(i)[0]].Inferred != "" {
		return 0, false
	}
	return int(in[0]), true
}

// reach is how many components Behind steps over. Nobody puts as many between two layers that belong together, and the
// bound keeps a rule linear when many components share one long way up.
const reach = 16

// Behind returns the nearest component upstream of i that is not one of the given traits, following single inputs.
func (p *Pass) Behind(i int, pass catalog.Trait) (int, bool) {
	for range reach {
		j, ok := p.Only(i)
		if !ok {
			return 0, false
		}
		if p.Nodes[j].Type == nil || !p.Nodes[j].Type.HasAny(pass) {
			return j, true
		}
		i = j
	}
	return 0, false
}

// empty reports whether there is nothing but notes.
func (p *Pass) empty() bool {
	for i := range p.Nodes {
		if p.Nodes[i].State != infer.Note {
			return false
		}
	}
	return true
}

func (p *Pass) hasType(id string) bool {
	for i := range p.Nodes {
		if t := p.Nodes[i].Type; t != nil && t.ID == id {
			return true
		}
	}
	return false
}

func init() { // after every rule of the package: files are initialised first, then init functions run
	for _, r := range Rules() {
		if r.Whole != nil {
			ordered = append(ordered, r)
		}
	}
}
