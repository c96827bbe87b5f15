package graph

import "strconv"

// Vocabulary is what a graph must be told about component types to be brought into canonical form.
type Vocabulary struct {
	// Type returns the canonical spelling of a type, or the spelling given where there is none.
	Type func(spelling string) string
	// Param returns the canonical name of a parameter of a canonical type, or the name given.
	Param func(typ, name string) string
}

// Normalize gives every component an id, points connections that name a unique component name at its id, and replaces the
// other spellings of types and parameters. It changes the graph in place.
func (g *Graph) Normalize(v Vocabulary) {
	ids := make(map[string]bool, len(g.Components))
	for i := range g.Components {
		ids[g.Components[i].ID] = true
	}
	named := map[string]string{} // component name to id; empty where two share the name
	for i := range g.Components {
		c := &g.Components[i]
		if c.ID == "" {
			c.ID = freeID(ids, i)
			ids[c.ID] = true
		}
		if c.Name != "" && c.Name != c.ID {
			if _, twice := named[c.Name]; twice {
				named[c.Name] = ""
			} else {
				named[c.Name] = c.ID
			}
		}
		c.Type = v.Type(c.Type)
		for j := range c.Params {
			rename(c, j, v)
		}
	}
	for i := range g.Connections {
		c := &g.Connections[i]
		c.From, c.To = endpoint(c.From, ids, named), endpoint(c.To, ids, named)
	}
}

// rename keeps an alias as it is where the canonical name was given too: the canonical one wins, and the alias is then
// reported as unread.
func rename(c *Component, j int, v Vocabulary) {
	name := v.Param(c.Type, c.Params[j].Name)
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
