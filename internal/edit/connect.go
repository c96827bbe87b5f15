package edit

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// connectAll adds a connection from each to each, behind those that its target has, or at a position among them.
func (e *editor) connectAll(op *Op, from, to []string) error {
	if op.Kind == Connect && (len(from) == 0 || len(to) == 0) {
		return action.Errorf(graph.CodeMissing, op.Path, "must have from and to, the ids of components")
	}
	if err := e.room(op, len(from)*len(to)); err != nil || len(from) == 0 || len(to) == 0 {
		return err
	}
	sources, err := e.findAll(from, func(int) string { return op.Path + ".from" })
	if err != nil {
		return err
	}
	targets, err := e.findAll(to, func(int) string { return op.Path + ".to" })
	if err != nil {
		return err
	}
	var edges []graph.Connection
	for _, i := range sources {
		e.g.Components[i].ID = e.normal.Components[i].ID // where it had none
		for _, j := range targets {
			e.g.Components[j].ID = e.normal.Components[j].ID
			edges = append(edges, graph.Connection{From: e.normal.Components[i].ID, To: e.normal.Components[j].ID})
		}
	}
	if op.At != nil {
		e.insertAt(edges, *op.At)
		return nil
	}
	e.g.Connections, e.normal.Connections = append(e.g.Connections, edges...), append(e.normal.Connections, edges...)
	return nil
}

// inputs is how many connections lead to a component, and which of all connections is the one at the position that is asked for.
type inputs struct {
	n  int64
	at int
}

// insertAt puts edges in, one after the other, each before the one that is then at a position among the inputs of its target, or behind
// all connections where there is none: the later of two for one target comes first.
func (e *editor) insertAt(edges []graph.Connection, position int64) {
	of := map[string]*inputs{}
	for i := range edges {
		of[edges[i].To] = &inputs{}
	}
	for k := range e.normal.Connections {
		if t := of[e.normal.Connections[k].To]; t != nil {
			if t.n == position {
				t.at = k
			}
			t.n++
		}
	}
	before := map[int][]graph.Connection{}
	for _, edge := range edges {
		t := of[edge.To]
		if t.n > position && position >= 0 {
			before[t.at] = append(before[t.at], edge)
			continue
		}
		if t.n == position {
			t.at = len(e.normal.Connections)
		}
		t.n++
		e.g.Connections, e.normal.Connections = append(e.g.Connections, edge), append(e.normal.Connections, edge)
	}
	e.g.Connections = e.merged(e.g.Connections, before)
	e.normal.Connections = e.merged(e.normal.Connections, before)
}

// merged is a list with more before some of its items, the last of them first. The memory of the list is used for the next one.
func (e *editor) merged(list []graph.Connection, before map[int][]graph.Connection) []graph.Connection {
	if len(before) == 0 {
		return list
	}
	out := e.spare[:0]
	for k, c := range list {
		for i := len(before[k]) - 1; i >= 0; i-- {
			out = append(out, before[k][i])
		}
		out = append(out, c)
	}
	e.spare = list
	return out
}
