package build

import "github.com/modelverifier/verifier/internal/graph"

// LeaveOut says of the inputs that vectors of pictures or sounds are computed from that a call with text alone does not
// give them, and reports whether it is one. What also reads the text runs.
func LeaveOut(b *Build, text, features Node) bool {
	if !b.state.opt.Text {
		return false
	}
	c := b.state.graph.Components
	at := make(map[string]Node, len(c))
	for n := range c {
		at[c[n].ID] = Node(n)
	}
	in := make([][]Node, len(c))
	for _, l := range b.state.graph.Connections {
		in[at[l.To]] = append(in[at[l.To]], at[l.From])
	}
	read, absent := make([]bool, len(c)), make([]bool, len(c))
	reach(in, text, read)
	reach(in, features, absent)
	for n := range c {
		if read[n] && absent[n] {
			return false
		}
	}
	for n := range c {
		if absent[n] && c[n].Type == "input" {
			b.Set(Node(n), "given", graph.BoolValue(false))
		}
	}
	b.state.leftOut = true
	return true
}

// reach marks a component and all that it is computed from.
func reach(in [][]Node, n Node, found []bool) {
	if found[n] {
		return
	}
	found[n] = true
	for _, from := range in[n] {
		reach(in, from, found)
	}
}
