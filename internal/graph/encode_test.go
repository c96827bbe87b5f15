package graph

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// described draws a graph with every kind of text and value in it.
func described(extras bool) *rapid.Generator[*Graph] {
	return rapid.Custom(func(t *rapid.T) *Graph {
		g := &Graph{Name: text.Draw(t, "name")}
		for i := range rapid.IntRange(0, 4).Draw(t, "components") {
			c := Component{ID: text.Draw(t, "id"), Type: text.Draw(t, "type"), Name: text.Draw(t, "name")}
			for _, name := range rapid.SliceOfNDistinct(text, 0, 4, rapid.ID[string]).Draw(t, "params") {
				c.Params = append(c.Params, Param{name, anyValue(3).Draw(t, "value")})
			}
			if extras {
				c.Extra = []Member{{fmt.Sprintf("x%d", i), `{"x": 1.50, "y":[ null ]}`}}
			}
			g.Components = append(g.Components, c)
		}
		for range rapid.IntRange(0, 4).Draw(t, "connections") {
			c := Connection{From: text.Draw(t, "from"), To: text.Draw(t, "to")}
			if extras {
				c.Inferred = text.Draw(t, "inferred")
				c.Extra = []Member{{"source", `"kept"`}}
			}
			g.Connections = append(g.Connections, c)
		}
		return g
	})
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := described(true).Draw(t, "graph")
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
