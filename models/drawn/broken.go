package drawn

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
)

// Broken changes a model at random, and returns the components whose weights nobody can tell then.
func Broken(t *rapid.T, g *graph.Graph) (unknown []string) {
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		c := &g.Components[rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")]
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
			c.Type = "aTypeThatNobodyKnows"
			unknown = append(unknown, c.ID)
		case 1:
			if len(c.Params) > 0 {
				n := rapid.IntRange(0, len(c.Params)-1).Draw(t, "param")
				c.Params = slices.Delete(slices.Clone(c.Params), n, n+1)
			}
		case 2:
			if len(c.Params) > 0 {
				c.Params = slices.Clone(c.Params)
				c.Params[rapid.IntRange(0, len(c.Params)-1).Draw(t, "param")].Value = graph.IntValue(rapid.Int64Range(0, 99).Draw(t, "value"))
			}
		case 3:
			to := g.Components[rapid.IntRange(0, len(g.Components)-1).Draw(t, "to")].ID
			g.Connections = append(g.Connections, graph.Connection{From: c.ID, To: to})
		}
	}
	return unknown
}
