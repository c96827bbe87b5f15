// Package edit changes graphs: components are added, changed and removed, connections made and taken away, and the edits of
// findings applied one after the other until a model runs.
//
// It must not know files or who asks. It decides no verdict: it asks the check before and after.
package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/spelling"
)

// The kinds of changes.
const (
	Add     = "add"     // a component, fed by From and feeding To
	Change  = "change"  // parameters, type or name of a component
	Connect = "connect" // From to To
	Remove  = "remove"  // a component with its connections, or the connection From to To

	Insert = action.Insert // a component into the connection From to To

	Disconnect = "disconnect" // the connection From to To: remove in an editor's word
	Rename     = "rename"     // Name of a component: change in an editor's word
	Duplicate  = "duplicate"  // Components, with the connections between them and into them
	Group      = "group"      // Components are shown as one block called Name; without a name, each as itself again
)

// Kinds are the words for them.
var Kinds = []string{Add, Change, Connect, Remove, Insert, Disconnect, Rename, Duplicate, Group}

// CodeTarget is the code of a change that names something which is not there, or is there already.
const CodeTarget = action.CodeForm

// Op is one change. A component is named by its id, or by its name where no other has it.
type Op struct {
	Path      string // of the change in the request, for errors
	Kind      string
	Component string
	Type      string
	Name      string
	Params    []graph.Param // a null takes a parameter away
	From, To  []string
	At        *int64 // position among the inputs of To; the last unless given
	Join      bool   // of remove: what fed the component feeds its readers

	Components []string // of duplicate and group
}

// Apply returns the graph with the changes made, one after the other, or the error of the first that cannot be made. The graph
// itself is left as it is. What no change names is kept as it was written: spellings, order, and members that mean nothing here.
func Apply(g *graph.Graph, ops []Op, limits graph.Limits) (*graph.Graph, error) {
	e := &editor{g: g.Clone(), stale: true, limits: limits}
	for i := range ops {
		e.normalize()
		if err := e.apply(&ops[i]); err != nil {
			return nil, err
		}
		if n := len(e.g.Components); limits.Components > 0 && n > limits.Components {
			return nil, &graph.Error{Code: graph.CodeComponents, Path: ops[i].Path, Message: fmt.Sprintf("the graph would have %d components", n), Limit: int64(limits.Components)}
		}
		if err := e.room(&ops[i], 0); err != nil {
			return nil, err
		}
	}
	return e.g, nil
}

// room refuses more connections than the limits allow. A change is asked before it makes them: each costs a search, and two lists of a
// thousand words stand for a million.
func (e *editor) room(op *Op, more int) error {
	if n := len(e.g.Connections) + more; e.limits.Connections > 0 && n > e.limits.Connections {
		return &graph.Error{Code: graph.CodeConnections, Path: op.Path, Message: fmt.Sprintf("the graph would have %d connections", n), Limit: int64(e.limits.Connections)}
	}
	return nil
}

// editor has the graph as it is written, which is changed, and in canonical form, in which things are found. Both have the same
// components and connections in the same order. A change is made to both; one that can give other ids or resolve names in another
// way makes the canonical form stale.
type editor struct {
	g, normal *graph.Graph
	stale     bool
	limits    graph.Limits
}

func (e *editor) normalize() {
	if !e.stale {
		return
	}
	e.normal, e.stale = e.g.Clone(), false
	e.normal.Normalize(catalog.Vocabulary)
}

// named reports whether a component has a name beside its id, or no id: then others that come or go can change what ids and names mean.
func (e *editor) named() bool {
	return slices.ContainsFunc(e.g.Components, func(c graph.Component) bool { return c.ID == "" || c.Name != "" && c.Name != c.ID })
}

func (e *editor) apply(op *Op) error {
	switch op.Kind {
	case Add:
		return e.add(op)
	case Insert:
		return e.insert(op)
	case Change:
		return e.change(op)
	case Connect:
		return e.connectAll(op, op.From, op.To)
	case Remove:
		if op.Component != "" {
			return e.remove(op)
		}
		return e.disconnect(op)
	case Disconnect:
		return e.disconnect(op)
	case Rename:
		return e.rename(op)
	case Duplicate:
		return e.duplicate(op)
	case Group:
		return e.group(op)
	}
	err := action.Errorf(action.CodeValue, op.Path+".op", "is %q but must be one of %s", op.Kind, quantity.Own(strings.Join(Kinds, ", ")))
	err.Allowed = Kinds
	return err
}

// find returns the position of a component: by its id, else by a name that it alone has.
func (e *editor) find(path, word string) (int, error) {
	byName, named := -1, 0
	for i := range e.normal.Components {
		c := &e.normal.Components[i]
		if c.ID == word {
			return i, nil
		}
		if c.Name == word {
			byName, named = i, named+1
		}
	}
	if named == 1 {
		return byName, nil
	}
	if named > 1 {
		return -1, action.Errorf(CodeTarget, path, "%d components are named %q: give the id of one", named, clip(word))
	}
	return -1, action.Errorf(CodeTarget, path, "there is no component %q%s", clip(word), e.near(word))
}

// near names the component whose id is closest to a word.
func (e *editor) near(word string) string {
	best, least := "", 3
	for i := range e.normal.Components {
		if d := spelling.Distance(word, e.normal.Components[i].ID, least); d < least {
			best, least = e.normal.Components[i].ID, d
		}
	}
	if best == "" {
		return "; describe lists the ids"
	}
	return "; did you mean " + best + "?"
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

func (e *editor) add(op *Op) error {
	if op.Type == "" {
		return action.Errorf(graph.CodeMissing, op.Path+".type", "must be the type of the new component; catalog lists them")
	}
	if op.Component == "" {
		return action.Errorf(graph.CodeMissing, op.Path+".component", "must be the id of the new component")
	}
	for i := range e.normal.Components {
		if e.normal.Components[i].ID == op.Component {
			return action.Errorf(CodeTarget, op.Path+".component", "the id %q belongs to a component already: choose another, or change that one", clip(op.Component))
		}
	}
	c := graph.Component{ID: op.Component, Type: op.Type, Name: op.Name}
	for _, p := range op.Params {
		if p.Value.Kind() != graph.Null {
			c.Params = append(c.Params, p)
		}
	}
	taken := slices.ContainsFunc(e.g.Components, func(c graph.Component) bool { return c.Name == op.Component })
	e.stale = e.stale || taken || op.Name != "" && e.mentions(op.Name) // connections that named another by this word mean the new one now
	e.g.Components = append(e.g.Components, c)
	c.Type, c.Params = catalog.Canonical(c.Type), nil // nobody asks for parameters in canonical form
	e.normal.Components = append(e.normal.Components, c)
	if err := e.connectAll(op, op.From, []string{op.Component}); err != nil {
		return err
	}
	return e.connectAll(op, []string{op.Component}, op.To)
}

// insert adds a component, and leads one connection through it. Its reader keeps the order of its inputs.
func (e *editor) insert(op *Op) error {
	if len(op.From) != 1 || len(op.To) != 1 {
		return action.Errorf(graph.CodeMissing, op.Path, "must have from and to of one connection")
	}
	from, to := e.idOf(op.From[0]), e.idOf(op.To[0])
	at := slices.IndexFunc(e.normal.Connections, func(c graph.Connection) bool { return c.From == from && c.To == to })
	if at < 0 {
		return action.Errorf(CodeTarget, op.Path, "there is no connection from %q to %q", clip(op.From[0]), clip(op.To[0]))
	}
	added := *op
	added.To = nil
	if err := e.add(&added); err != nil {
		return err
	}
	e.g.Connections[at].From, e.normal.Connections[at].From = op.Component, op.Component
	return nil
}

// mentions reports whether a word is the id or name of a component, or stands where one is named.
func (e *editor) mentions(word string) bool {
	for i := range e.g.Components {
		c := &e.g.Components[i]
		if c.ID == word || c.Name == word || e.normal.Components[i].ID == word || slices.ContainsFunc(c.Params, func(p graph.Param) bool { return p.Value.Kind() == graph.String && p.Value.Str() == word }) {
			return true
		}
	}
	return slices.ContainsFunc(e.g.Connections, func(c graph.Connection) bool { return c.From == word || c.To == word })
}

func (e *editor) change(op *Op) error {
	i, err := e.find(op.Path+".component", op.Component)
	if err != nil {
		return err
	}
	if len(op.Params) == 0 && op.Type == "" && op.Name == "" {
		return action.Errorf(graph.CodeMissing, op.Path+".params", "must have what is to be changed; type and name can be changed, too")
	}
	c := &e.g.Components[i]
	typ := catalog.Lookup(e.normal.Components[i].Type)
	if op.Type != "" {
		c.Type, e.normal.Components[i].Type = op.Type, catalog.Canonical(op.Type)
		typ = catalog.Lookup(e.normal.Components[i].Type)
	}
	if op.Name != "" {
		c.Name, e.stale = op.Name, true
	}
	for _, p := range op.Params {
		at := slices.IndexFunc(c.Params, func(q graph.Param) bool {
			return q.Name == p.Name || typ != nil && typ.Canonical(q.Name) == typ.Canonical(p.Name)
		})
		switch {
		case p.Value.Kind() != graph.Null && at >= 0:
			c.Params[at].Value = p.Value
		case p.Value.Kind() != graph.Null:
			c.SetParam(p.Name, p.Value)
		case at >= 0:
			c.Params = slices.Delete(c.Params, at, at+1)
		}
	}
	return nil
}

func (e *editor) connectAll(op *Op, from, to []string) error {
	if op.Kind == Connect && (len(from) == 0 || len(to) == 0) {
		return action.Errorf(graph.CodeMissing, op.Path, "must have from and to, the ids of components")
	}
	if err := e.room(op, len(from)*len(to)); err != nil {
		return err
	}
	for _, f := range from {
		for _, t := range to {
			if err := e.connect(op, f, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// connect adds a connection behind those that its target has, or at a position among them.
func (e *editor) connect(op *Op, from, to string) error {
	i, err := e.find(op.Path+".from", from)
	if err != nil {
		return err
	}
	j, err := e.find(op.Path+".to", to)
	if err != nil {
		return err
	}
	e.g.Components[i].ID, e.g.Components[j].ID = e.normal.Components[i].ID, e.normal.Components[j].ID // where it had none
	edge := graph.Connection{From: e.normal.Components[i].ID, To: e.normal.Components[j].ID}
	place, seen := len(e.g.Connections), int64(0)
	for k := range e.normal.Connections {
		if e.normal.Connections[k].To != edge.To {
			continue
		}
		if op.At != nil && seen == *op.At {
			place = k
			break
		}
		seen++
	}
	e.g.Connections = slices.Insert(e.g.Connections, place, edge)
	e.normal.Connections = slices.Insert(e.normal.Connections, place, edge)
	return nil
}

func (e *editor) disconnect(op *Op) error {
	if len(op.From) != 1 || len(op.To) != 1 {
		return action.Errorf(graph.CodeMissing, op.Path, "must have component, or from and to of one connection")
	}
	from, to := e.idOf(op.From[0]), e.idOf(op.To[0])
	for k := range e.normal.Connections {
		if c := &e.normal.Connections[k]; c.From == from && c.To == to {
			e.g.Connections = slices.Delete(e.g.Connections, k, k+1)
			e.normal.Connections = slices.Delete(e.normal.Connections, k, k+1)
			return nil
		}
	}
	return action.Errorf(CodeTarget, op.Path, "there is no connection from %q to %q", clip(op.From[0]), clip(op.To[0]))
}

// idOf is the id of the component that a word names; a dangling connection can name one that is not there.
func (e *editor) idOf(word string) string {
	if i, err := e.find("", word); err == nil {
		return e.normal.Components[i].ID
	}
	return word
}

// remove takes a component away with every connection of it. With Join, what fed it takes its place at every reader.
func (e *editor) remove(op *Op) error {
	i, err := e.find(op.Path+".component", op.Component)
	if err != nil {
		return err
	}
	id := e.normal.Components[i].ID
	var feeders []string
	for k := range e.normal.Connections {
		if c := &e.normal.Connections[k]; c.To == id && c.From != id {
			feeders = append(feeders, c.From)
		}
	}
	if op.Join && len(feeders) != 1 {
		return action.Errorf(CodeTarget, op.Path+".join", "%q has %d inputs: only one can take its place", clip(id), len(feeders))
	}
	e.stale = e.stale || e.named()
	var kept, normal []graph.Connection
	for k := range e.normal.Connections {
		c, written := &e.normal.Connections[k], e.g.Connections[k]
		switch {
		case c.From != id && c.To != id:
			kept, normal = append(kept, written), append(normal, *c)
		case op.Join && c.From == id && c.To != id:
			joined := graph.Connection{From: feeders[0], To: c.To}
			kept, normal = append(kept, joined), append(normal, joined)
		}
	}
	e.g.Connections, e.normal.Connections = kept, normal
	e.g.Components, e.normal.Components = slices.Delete(e.g.Components, i, i+1), slices.Delete(e.normal.Components, i, i+1)
	return nil
}
