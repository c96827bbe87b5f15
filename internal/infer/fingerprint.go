package infer

import "github.com/modelverifier/verifier/internal/graph"

// Arguments returns the resolved parameters of a component under their canonical names: given, default, derived or taken
// from the input alike. A component of an unknown type has those that were given.
func (r *Result) Arguments(i int) []graph.Param {
	node := &r.Nodes[i]
	if node.Type == nil || node.Args == nil {
		return node.Component.Params
	}
	out := make([]graph.Param, 0, len(node.Args))
	for p := range node.Args {
		out = append(out, graph.Param{Name: node.Type.Params[p].Name, Value: node.Args[p]})
	}
	for _, p := range node.Component.Params { // one that the type refuses or does not read still tells two graphs apart
		if i := indexOf(node, p.Name); i < 0 {
			out = append(out, p)
		} else if node.Args[i].Kind() == graph.Null {
			out[i] = p
		}
	}
	return out
}

func indexOf(node *Node, param string) int {
	for i := range node.Type.Params {
		if node.Type.Params[i].Name == param {
			return i
		}
	}
	return -1
}

// Fingerprint names the structure of the graph in eight hex digits: types, resolved arguments and connections, but no ids,
// names or positions. A default or a size taken from the input counts the same whether it is written out or not.
func (r *Result) Fingerprint() string { return r.Graph.Fingerprint(r.Arguments) }
