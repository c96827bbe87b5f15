package transformers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// Problem is a component that names a module which it cannot be.
type Problem struct {
	Component int
	Member    string   // of the component that is wrong
	Text      string   // what is wrong, behind the path of that member
	Allowed   []string // the names that the component can have
}

// Check finds the first component that names a module which is not registered for its type; nil where there is none. The name decides what
// an estimate counts, so that nothing else than a registered one is taken.
func Check(g *graph.Graph) *Problem {
	for i := range g.Components {
		c := &g.Components[i]
		for k := range c.Extra {
			m := &c.Extra[k]
			switch {
			case m.Raw == "null":
			case m.Name == graph.ImplementationMember:
				return &Problem{i, m.Name, "is of an older import, and no longer read: import the model again, which names its modules by " + graph.AsMember, nil}
			case m.Name == graph.AsMember:
				if text, allowed := refused(c); text != "" {
					return &Problem{i, m.Name, text, allowed}
				}
			}
		}
	}
	return nil
}

// refused says what is wrong with the name of a component's module, "" where nothing is.
func refused(c *graph.Component) (text string, allowed []string) {
	typ := catalog.Vocabulary.Type(c.Type)
	if Lookup(typ, c.As()) != nil {
		return "", nil
	}
	if catalog.Lookup(typ) == nil {
		return "is " + quoted(c.As()) + ", but " + quoted(c.Type) + " is no type that has modules", nil
	}
	if allowed = For(typ); len(allowed) == 0 {
		return "is " + quoted(c.As()) + ", but no module is registered for " + typ, nil
	}
	return "is " + quoted(c.As()) + ", which is no registered module of " + typ + "; it takes " + strings.Join(allowed, ", "), allowed
}

// quoted is a name for a message, whatever was sent.
func quoted(s string) string {
	if r := []rune(strings.ToValidUTF8(s, "?")); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return "\"" + s + "\""
}

// Named is a module that a model names, with how many components are one.
type Named struct {
	Name, Says string
	Less       bool // whether something of it is not trained
	Components int
	Weights    int64 // of those components
}

// Gather lists the modules that a model names, by name, and by what it means where components of several types have it. Params are the
// weights of each component.
func Gather(g *graph.Graph, params func(i int) int64) (out []Named) {
	at := map[[2]string]int{}
	for i := range g.Components {
		c := &g.Components[i]
		v := Lookup(catalog.Vocabulary.Type(c.Type), c.As())
		if v == nil {
			continue
		}
		k, known := at[[2]string{v.Name, v.Says}]
		if !known {
			k = len(out)
			at[[2]string{v.Name, v.Says}] = k
			out = append(out, Named{Name: v.Name, Says: v.Says, Less: v.Less()})
		}
		out[k].Components++
		out[k].Weights += params(i)
	}
	slices.SortFunc(out, func(a, b Named) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Says, b.Says)) })
	return out
}
