package graph

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// described draws a graph with every kind of text and value in it.
func described() *rapid.Generator[*Graph] {
	return rapid.Custom(func(t *rapid.T) *Graph {
		g := &Graph{Name: text.Draw(t, "name"), Extra: anyMembers().Draw(t, "members")}
		for i := range rapid.IntRange(0, 4).Draw(t, "components") {
			c := Component{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), Name: text.Draw(t, "name")}
			for _, name := range rapid.SliceOfNDistinct(text, 0, 4, rapid.ID[string]).Draw(t, "params") {
				c.Params = append(c.Params, Param{name, anyValue(3).Draw(t, "value")})
			}
			c.Extra = append([]Member{{fmt.Sprintf("x%d", i), `{"x": 1.50, "y":[ null ]}`}}, anyMembers().Draw(t, "members")...)
			g.Components = append(g.Components, c)
		}
		for range rapid.IntRange(0, 4).Draw(t, "connections") {
			c := Connection{From: text.Draw(t, "from"), To: text.Draw(t, "to")}
			c.Inferred = text.Draw(t, "inferred")
			c.Extra = append([]Member{{"source", `"kept"`}}, anyMembers().Draw(t, "members")...)
			g.Connections = append(g.Connections, c)
		}
		return g
	})
}

// anyMembers draws members under names that the format has no other use for.
func anyMembers() *rapid.Generator[[]Member] {
	return rapid.Custom(func(t *rapid.T) (out []Member) {
		for _, name := range rapid.SliceOfNDistinct(text, 0, 2, rapid.ID[string]).Draw(t, "names") {
			v := anyValue(2).Draw(t, "value")
			out = append(out, Member{"." + name, v.String()}, Member{"@" + name, v.String()})
		}
		return out
	})
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := described().Draw(t, "graph")
		data := g.AppendJSON(nil)
		back, err := Decode(data, "model", Limits{})
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if !equalGraphs(g, back) {
			t.Fatalf("%s\nbecame %s", data, back.AppendJSON(nil))
		}
	})
}

func TestCloneCanBeChangedAlone(t *testing.T) {
	g, err := Parse("a: conv k=1\na -> b")
	if err != nil {
		t.Fatal(err)
	}
	before, c := g.Text(), g.Clone()
	c.Components[0].SetParam("k", IntValue(2))
	c.Components[0].ID, c.Connections[0].To = "x", "y"
	if g.Text() != before {
		t.Errorf("the original became %s", g.Text())
	}
}
