// Package graph is the model as it was sent: components, connections and what editors and importers add to them.
//
// It reads and writes the JSON of the specification and a short text notation, brings a model into canonical form, orders,
// fingerprints and compares models. It must not know what any component type means: where it needs a canonical name or a
// default, the caller passes a Vocabulary.
package graph

import "unicode/utf8"

// Graph is one model. Extra keeps the members that the specification does not name, for a round trip.
type Graph struct {
	Name        string
	Components  []Component
	Connections []Connection
	Extra       []Member

	config *config // see Config
}

// Component is one node. Params are in the order of the document.
type Component struct {
	ID, Type, Name string
	Params         []Param
	Extra          []Member
}

// Members of a component that are no part of the specification and decide an estimate: AsMember names the module of a library that the
// component is. ImplementationMember is what older imports wrote in its place.
const (
	AsMember             = "as"
	ImplementationMember = "implementation"
)

// As is the module of a library that the component is, as transformers.LlamaRMSNorm; empty where it is PyTorch's own. A member of another
// kind is handed out as it is written, for whoever refuses it.
func (c *Component) As() string {
	for i := range c.Extra {
		if m := &c.Extra[i]; m.Name == AsMember && m.Raw != "null" {
			if n := len(m.Raw); n >= 2 && m.Raw[0] == '"' && m.Raw[n-1] == '"' {
				return m.Raw[1 : n-1]
			}
			return m.Raw
		}
	}
	return ""
}

// Param is a named parameter of a component.
type Param struct {
	Name  string
	Value Value
}

// Connection says that the result of one component flows into another. Inferred is set by importers on an edge that they
// concluded instead of reading it, and says how: "constructionOrder" or "unmodelledMerge".
type Connection struct {
	From, To string
	Inferred string
	Extra    []Member
}

// Member is a member of a JSON object that is kept as it was written.
type Member struct {
	Name, Raw string
}

// Label is what a message calls a component: its name, or its id where it has none, shortened. A name of a megabyte would otherwise
// stand in the message of every component that reads it.
func (c *Component) Label() string { return Brief(c.Title()) }

// Title is the name of a component, or its id where it has none, in full.
func (c *Component) Title() string {
	if c.Name != "" {
		return c.Name
	}
	return c.ID
}

// MostQuoted is how many bytes of a caller's text a message quotes.
const MostQuoted = 200

// Brief shortens what is too long to be quoted in a message. It is for people: what a program reads is never shortened.
func Brief(s string) string { return Cut(s, MostQuoted) }

// Cut shortens a text to so many bytes, between two characters, and says so with an ellipsis.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := most
	for end > max(0, most-utf8.UTFMax) && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// Param returns the value of a parameter and whether it was given. A null counts as left out.
func (c *Component) Param(name string) (Value, bool) {
	for i := range c.Params {
		if c.Params[i].Name == name {
			return c.Params[i].Value, c.Params[i].Value.Kind() != Null
		}
	}
	return Value{}, false
}

// SetParam changes a parameter, or adds it at the end.
func (c *Component) SetParam(name string, v Value) {
	for i := range c.Params {
		if c.Params[i].Name == name {
			c.Params[i].Value = v
			return
		}
	}
	c.Params = append(c.Params, Param{name, v})
}

// Clone returns a copy whose components, parameters and connections can be changed without touching the original.
func (g *Graph) Clone() *Graph {
	out := *g
	out.Components = append([]Component(nil), g.Components...)
	for i := range out.Components {
		out.Components[i].Params = append([]Param(nil), out.Components[i].Params...)
	}
	out.Connections = append([]Connection(nil), g.Connections...)
	return &out
}
