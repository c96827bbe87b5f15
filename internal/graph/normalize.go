package graph

import "strconv"

// Vocabulary is what a graph must be told about component types to be brought into canonical form.
type Vocabulary struct {
	// Type returns the canonical spelling of a type, or the spelling given where there is none.
	Type func(spelling string) string
	// Params returns the parameter names of a canonical type, or nil where the type is not known.
	Params func(typ string) Names
}

// Names are the parameter names of one type.
type Names interface {
	// Canonical returns the canonical name of a parameter, or the name given.
	Canonical(name string) string
}

// refersTo says whether a parameter's value is the id of another component, whose weight or whose whole module it shares.
func refersTo(param string) bool { return param == "tiedTo" || param == "sameAs" }

// Normalize gives every component an id, points connections and ties that name a unique component name at its id, and
// replaces the other spellings of types and parameters. It changes the graph in place.
func (g *Graph) Normalize(v Vocabulary) {
	ids, named := g.identify()
	for i := range g.Components {
		c := &g.Components[i]
		c.Type = v.Type(c.Type)
		names := v.Params(c.Type)
		for j := range c.Params {
			if names != nil {
				rename(c, j, names)
			}
			if p := &c.Params[j]; refersTo(p.Name) && p.Value.Kind() == String {
				p.Value = StringValue(endpoint(p.Value.Str(), ids, named))
			}
		}
	}
	for i := range g.Connections {
		c := &g.Connections[i]
		c.From, c.To = endpoint(c.From, ids, named), endpoint(c.To, ids, named)
	}
}

// identify fills in missing ids and returns the id behind every name, an empty one where two components share the name, and,
// where there are names, the ids that were given. An id that is filled in is the component's position, n0 and so on, which connections may use; it
// is another one where a component has that id or name.
func (g *Graph) identify() (ids map[string]bool, named map[string]string) {
	missing, names := false, 0
	for i := range g.Components {
		c := &g.Components[i]
		missing = missing || c.ID == ""
		if c.Name != "" && c.Name != c.ID {
			names++
		}
	}
	if !missing && names == 0 {
		return nil, nil
	}
	ids, named = make(map[string]bool, len(g.Components)), make(map[string]string, names)
	for i := range g.Components {
		ids[g.Components[i].ID] = true
	}
	if missing {
		g.fillIDs(ids)
	}
	for i := range g.Components {
		c := &g.Components[i]
		if c.Name == "" || c.Name == c.ID {
			continue
		}
		if _, twice := named[c.Name]; twice {
			named[c.Name] = ""
		} else {
			named[c.Name] = c.ID
		}
	}
	return ids, named
}

func (g *Graph) fillIDs(ids map[string]bool) {
	said := make(map[string]bool, 2*len(ids))
	for id := range ids {
		said[id] = true
	}
	for i := range g.Components {
		said[g.Components[i].Name] = true
	}
	for i := range g.Components {
		if c := &g.Components[i]; c.ID == "" {
			c.ID = freeID(said, i)
			said[c.ID] = true
		}
	}
}

// rename keeps an alias as it is where the canonical name was given too: the canonical one wins, and the alias is then
// reported as unread.
func rename(c *Component, j int, names Names) {
	name := names.Canonical(c.Params[j].Name)
	if name == c.Params[j].Name {
		return
	}
	for k := range c.Params {
		if c.Params[k].Name == name {
			return
		}
	}
	c.Params[j].Name = name
}

func freeID(taken map[string]bool, i int) string {
	for id := "n" + strconv.Itoa(i); ; id += "_" {
		if !taken[id] {
			return id
		}
	}
}

func endpoint(s string, ids map[string]bool, named map[string]string) string {
	if ids[s] || named[s] == "" {
		return s
	}
	return named[s]
}
