package graph

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// text draws strings that need quotes, escapes and more than one byte, or none of them.
var text = rapid.OneOf(rapid.StringMatching(`[a-z]{1,4}`), rapid.String(),
	rapid.SampledFrom([]string{"", "true", "null", "-1", "1e5", ".5", "graph", "a b", "a->b", "//", "#", `"`, "\\", "\n", "é", "😀", "\u2028"}))

// anyValue draws values of every kind.
func anyValue(depth int) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		switch k := rapid.IntRange(0, 6).Draw(t, "kind"); {
		case k == 1:
			return BoolValue(rapid.Bool().Draw(t, "bool"))
		case k == 2:
			return IntValue(rapid.Int64().Draw(t, "int"))
		case k == 3:
			return FloatValue(rapid.Float64().Draw(t, "float"))
		case k == 4:
			return StringValue(text.Draw(t, "string"))
		case k == 5 && depth > 0:
			return ListValue(rapid.SliceOfN(anyValue(depth-1), 0, 3).Draw(t, "list")...)
		case k == 6 && depth > 0:
			return objectValue(`{` + quote(text.Draw(t, "key")) + `:` + anyValue(depth-1).Draw(t, "member").String() + `}`)
		}
		return Value{}
	})
}

// shape says what a drawn graph may have.
type shape struct {
	components  int
	cycles      bool
	broken      bool // duplicate ids, dangling connections
	notes, ties bool
}

// anyGraph draws graphs of few types and few parameters, so that equal parts are common. Components are in no order.
func anyGraph(s shape) *rapid.Generator[*Graph] {
	return rapid.Custom(func(t *rapid.T) *Graph {
		g := &Graph{}
		n := rapid.IntRange(0, s.components).Draw(t, "components")
		for i := range n {
			c := Component{ID: fmt.Sprintf("c%d", i), Type: rapid.SampledFrom([]string{"a", "b", "add"}).Draw(t, "type")}
			for _, name := range []string{"p", "q"} {
				if v := rapid.IntRange(0, 3).Draw(t, name); v > 0 {
					c.Params = append(c.Params, Param{name, IntValue(int64(v))})
				}
			}
			if s.ties && rapid.IntRange(0, 5).Draw(t, "tied") == 0 {
				c.Params = append(c.Params, Param{rapid.SampledFrom([]string{"tiedTo", "sameAs"}).Draw(t, "how"), StringValue(fmt.Sprintf("c%d", rapid.IntRange(0, n-1).Draw(t, "tie")))})
			}
			if s.notes && rapid.IntRange(0, 5).Draw(t, "note") == 0 {
				c.Type = noteType
			}
			if s.broken && i > 0 && rapid.IntRange(0, 4).Draw(t, "twice") == 0 {
				c.ID = g.Components[i-1].ID
			}
			g.Components = append(g.Components, c)
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "connections") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if !s.cycles {
				from, to = min(from, to), max(from, to)
				if from == to {
					continue
				}
			}
			c := Connection{From: fmt.Sprintf("c%d", from), To: fmt.Sprintf("c%d", to)}
			if s.broken && rapid.IntRange(0, 3).Draw(t, "dangles") == 0 {
				c.From = fmt.Sprintf("gone%d", from%2)
			}
			if s.broken && rapid.IntRange(0, 3).Draw(t, "dangles") == 0 {
				c.To = fmt.Sprintf("lost%d", to%2)
			}
			g.Connections = append(g.Connections, c)
		}
		g.Components = rapid.Permutation(g.Components).Draw(t, "order")
		return g
	})
}

// disguise returns the same structure under other ids, names and extra members, with components and parameters in another
// order and connections in one that keeps the order into each component.
func disguise(t *rapid.T, g *Graph) *Graph {
	out := g.Clone()
	renamed := map[string]string{}
	fresh := rapid.Permutation(sequence(4*len(g.Components)+8)).Draw(t, "ids")
	rename := func(id string) string {
		if _, ok := renamed[id]; !ok {
			renamed[id] = fmt.Sprintf("c%d", fresh[len(renamed)])
		}
		return renamed[id]
	}
	for i := range out.Components {
		c := &out.Components[i]
		c.ID, c.Name = rename(c.ID), rapid.StringMatching(`[a-c]?`).Draw(t, "name")
		c.Extra = []Member{{"position", `{"x":1}`}}
		c.Params = rapid.Permutation(c.Params).Draw(t, "params")
		for j := range c.Params {
			if p := &c.Params[j]; refersTo(p.Name) {
				p.Value = StringValue(rename(p.Value.Str()))
			} else if n := p.Value.Int(); rapid.Bool().Draw(t, "float") {
				p.Value = FloatValue(float64(n))
			}
		}
		if rapid.Bool().Draw(t, "null") {
			c.Params = append(c.Params, Param{"r", Value{}})
		}
	}
	out.Name, out.Components = "other", rapid.Permutation(out.Components).Draw(t, "components")
	for i := range out.Connections {
		c := &out.Connections[i]
		c.From, c.To = rename(c.From), rename(c.To)
	}
	out.Connections = mixConnections(t, out.Connections)
	return out
}

// mixConnections draws an order that keeps the order of the connections into each component.
func mixConnections(t *rapid.T, list []Connection) []Connection {
	into := map[string][]Connection{}
	for _, c := range list {
		into[c.To] = append(into[c.To], c)
	}
	out := slices.Clone(rapid.Permutation(list).Draw(t, "connections"))
	for i, c := range out {
		out[i], into[c.To] = into[c.To][0], into[c.To][1:]
	}
	return out
}

func sequence(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// equalGraphs compares what JSON and the notation both carry, which is all.
func equalGraphs(a, b *Graph) bool {
	return a.Name == b.Name && slices.Equal(a.Extra, b.Extra) &&
		slices.EqualFunc(a.Components, b.Components, func(x, y Component) bool {
			return x.ID == y.ID && x.Type == y.Type && x.Name == y.Name && slices.Equal(x.Extra, y.Extra) &&
				slices.EqualFunc(x.Params, y.Params, func(p, q Param) bool { return p.Name == q.Name && p.Value.Equal(q.Value) })
		}) &&
		slices.EqualFunc(a.Connections, b.Connections, func(x, y Connection) bool {
			return x.From == y.From && x.To == y.To && x.Inferred == y.Inferred && slices.Equal(x.Extra, y.Extra)
		})
}
