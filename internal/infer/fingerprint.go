package infer

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// Arguments returns the resolved parameters of a component under their canonical names: given, default, derived or taken
// from the input alike. A component of an unknown type has those that were given.
func (r *Result) Arguments(i int) []graph.Param { return r.appendArguments(nil, i) }

// appendArguments is the same behind what is there.
func (r *Result) appendArguments(out []graph.Param, i int) []graph.Param {
	node := &r.Nodes[i]
	if node.Type == nil || node.Args == nil {
		return append(out, node.Component.Params...)
	}
	first := len(out)
	out = slices.Grow(out, len(node.Args))
	for p := range node.Args {
		out = append(out, graph.Param{Name: node.Type.Params[p].Name, Value: oneForAll(&node.Type.Params[p], node.Args[p])})
	}
	for _, p := range node.Component.Params { // one that the type refuses or does not read still tells two graphs apart
		if i := indexOf(node, p.Name); i < 0 {
			out = append(out, p)
		} else if node.Args[i].Kind() == graph.Null {
			out[first+i] = p
		}
	}
	return out
}

// oneForAll is the number that a size has along every axis, where it has the same along all: 3 is the kernel [3,3].
func oneForAll(p *catalog.Param, v graph.Value) graph.Value {
	if p.Kind != catalog.Dims || v.Kind() != graph.List {
		return v
	}
	list := v.List()
	if len(list) == 0 || len(list) != p.N && !(p.One && len(list) == 1) {
		return v
	}
	for i := range list {
		if list[i].Kind() != graph.Int || list[i].Int() != list[0].Int() {
			return v
		}
	}
	return list[0]
}

func indexOf(node *Node, param string) int {
	for i := range node.Type.Params {
		if node.Type.Params[i].Name == param {
			return i
		}
	}
	return -1
}

// AppendIdentity appends what a component is: its resolved parameters and, where it names one, the module of a library that it is. Two components that
// differ in it are priced differently.
func (r *Result) AppendIdentity(out []graph.Param, i int) []graph.Param {
	out = r.appendArguments(out, i)
	if as := r.Nodes[i].Component.As(); as != "" {
		out = append(out, graph.Param{Name: graph.AsMember, Value: graph.StringValue(as)})
	}
	return out
}

// Fingerprint names the structure of the graph in eight hex digits: types, resolved arguments, connections and whose modules its
// components are, but no ids, names or positions. A default or a size taken from the input counts the same whether it is written out or not.
func (r *Result) Fingerprint() string { return r.Structure().Fingerprint() }

// Structure is what the fingerprint and the difference of two graphs look at. It is made anew unless the order of execution needed it.
func (r *Result) Structure() *graph.Structure {
	if r.structure != nil {
		return r.structure
	}
	return graph.StructureOf(r.Graph, r.identities())
}

// settle puts the components into an order that depends on nothing else than the fingerprint does.
func (r *Result) settle() {
	r.Wiring.Settle(func() *graph.Structure {
		r.structure = r.Structure()
		return r.structure
	})
}

// identities returns what each component is, in memory that is used for one after the other: each is hashed before the next.
func (r *Result) identities() func(i int) []graph.Param {
	var room []graph.Param
	return func(i int) []graph.Param {
		room = r.AppendIdentity(room[:0], i)
		return room
	}
}
