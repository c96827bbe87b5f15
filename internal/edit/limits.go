package edit

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
)

// within refuses a graph that has grown beyond the limits by a change: nobody could read it again.
func (e *editor) within(op *Op) error {
	if n := len(e.g.Components); over(n, e.limits.Components) {
		return exceeds(graph.CodeComponents, op, e.limits.Components, "the graph would have %d components", n)
	}
	params := 0
	for i := range e.g.Components {
		c := &e.g.Components[i]
		if params += len(c.Params); len(c.Params) > graph.MaxKeys {
			return exceeds(graph.CodeKeys, op, graph.MaxKeys, "%q would have %d parameters but may have at most %d", c.Label(), len(c.Params), graph.MaxKeys)
		}
	}
	if most := e.limits.Params; over(params, most) {
		return exceeds(graph.CodeValues, op, most, "the graph would have %d parameters but may have at most %d", params, most)
	}
	return e.room(op, 0)
}

// room refuses more connections than the limits allow. A change is asked before it makes them: two lists of a thousand words stand for a
// million. Those that later changes remove count, too, so that no more are made than the limits allow to be there.
func (e *editor) room(op *Op, more int) error {
	most := e.limits.Connections
	if n := len(e.g.Connections) + more; over(n, most) {
		return exceeds(graph.CodeConnections, op, most, "the graph would have %d connections", n)
	}
	if e.made += more; over(e.made, most) {
		return exceeds(graph.CodeConnections, op, most, "the changes would make %d connections but may make at most %d", e.made, most)
	}
	return nil
}

// copies refuses to duplicate more than a graph may be long, before a component is copied: a short change stands for megabytes.
func (e *editor) copies(op *Op, c *graph.Component) error {
	e.copied += len(c.ID) + len(c.Type) + len(c.Name)
	for i := range c.Params {
		e.copied += len(c.Params[i].Name) + len(c.Params[i].Value.AppendJSON(nil))
	}
	for i := range c.Extra {
		e.copied += len(c.Extra[i].Name) + len(c.Extra[i].Raw)
	}
	if over(e.copied, e.limits.Bytes) {
		return exceeds(graph.CodeBytes, op, e.limits.Bytes, "the copies would have more than %d bytes", e.limits.Bytes)
	}
	return nil
}

func exceeds(code string, op *Op, limit int, format string, args ...any) error {
	return &graph.Error{Code: code, Path: op.Path, Message: fmt.Sprintf(format, args...), Limit: int64(limit)}
}

// over reports whether there are more than a limit allows. A limit of 0 is none.
func over(n, limit int) bool { return limit > 0 && n > limit }
