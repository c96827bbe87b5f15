// Package edit changes graphs: components are added, changed and removed, connections made and taken away, and the edits of
// findings applied one after the other until a model runs.
//
// It must not know files or who asks. It decides no verdict: it asks the check before and after.
package edit

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
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
		if err := e.within(&ops[i]); err != nil {
			return nil, err
		}
	}
	return e.g, nil
}

// editor has the graph as it is written, which is changed, and in canonical form, in which things are found. Both have the same
// components and connections in the same order. A change is made to both; one that can give other ids or resolve names in another
// way makes the canonical form stale.
type editor struct {
	g, normal *graph.Graph
	stale     bool
	limits    graph.Limits
	places    *places            // of the components, nil until many words are looked up
	made      int                // connections, those that were removed again among them
	copied    int                // bytes of components that were duplicated
	spare     []graph.Connection // memory for a list of connections
}

func (e *editor) normalize() {
	if !e.stale {
		return
	}
	normal := *e.g
	normal.Components, normal.Connections = slices.Clone(e.g.Components), slices.Clone(e.g.Connections)
	for i := range normal.Components {
		normal.Components[i].Params = nil // nobody asks for parameters in canonical form
	}
	normal.Normalize(catalog.Vocabulary)
	e.normal, e.stale, e.places = &normal, false, nil
}

// unnamed reports whether a component has no id: what comes or goes can change the one that it is given.
func (e *editor) unnamed() bool {
	return slices.ContainsFunc(e.g.Components, func(c graph.Component) bool { return c.ID == "" })
}

// respoken brings the connections that go by some words to what the words mean after a change of components.
func (e *editor) respoken(words ...string) {
	e.places = nil
	if e.stale = e.stale || e.unnamed(); e.stale {
		return
	}
	for _, word := range words {
		id := e.idOf(word)
		for k := range e.g.Connections {
			if word != "" && e.g.Connections[k].From == word {
				e.normal.Connections[k].From = id
			}
			if word != "" && e.g.Connections[k].To == word {
				e.normal.Connections[k].To = id
			}
		}
	}
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
	taken = taken || op.Name != "" && e.mentions(op.Name) // connections that named another by this word mean the new one now
	e.g.Components = append(e.g.Components, c)
	c.Type, c.Params = catalog.Canonical(c.Type), nil
	e.normal.Components, e.places = append(e.normal.Components, c), nil
	if err := e.connectAll(op, op.From, []string{op.Component}); err != nil {
		return err
	}
	if err := e.connectAll(op, []string{op.Component}, op.To); err != nil {
		return err
	}
	if taken {
		e.respoken(op.Component, op.Name)
	}
	return nil
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
		e.call(i, op.Name)
	}
	c.Params = changed(c.Params, op.Params, typ)
	return nil
}

// call gives a component another name.
func (e *editor) call(i int, name string) {
	was := e.g.Components[i].Name
	e.g.Components[i].Name, e.normal.Components[i].Name = name, name
	e.respoken(was, name)
}

// changed is a list of parameters after changes of some. A change is of the first that its type reads under the same name.
func changed(params, changes []graph.Param, typ *catalog.Type) []graph.Param {
	name := func(p *graph.Param) string {
		if typ == nil {
			return p.Name
		}
		return typ.Canonical(p.Name)
	}
	at, gone := make(map[string][]int, len(changes)), make([]bool, len(params)+len(changes))
	for i := range changes {
		at[name(&changes[i])] = nil
	}
	for i := range params {
		n := name(&params[i])
		if list, asked := at[n]; asked {
			at[n] = append(list, i)
		}
	}
	for i := range changes {
		n := name(&changes[i])
		switch null := changes[i].Value.Kind() == graph.Null; {
		case !null && len(at[n]) > 0:
			params[at[n][0]].Value = changes[i].Value
		case !null:
			at[n] = append(at[n], len(params))
			params = append(params, changes[i])
		case len(at[n]) > 0:
			gone[at[n][0]], at[n] = true, at[n][1:]
		}
	}
	kept := params[:0]
	for i, p := range params {
		if !gone[i] {
			kept = append(kept, p)
		}
	}
	return kept
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
	name := e.g.Components[i].Name
	kept, normal := e.g.Connections[:0], e.normal.Connections[:0]
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
	e.respoken(id, name)
	return nil
}
