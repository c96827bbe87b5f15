// Package drawn draws models for property tests: those of package models, at times broken. Only tests may import it.
package drawn

import (
	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

// Model draws a bundled model and at times breaks it: a parameter, a connection, a component of unknown shape.
func Model(t *rapid.T) *graph.Graph {
	g, err := models.Open(rapid.SampledFrom(models.List()).Draw(t, "model"))
	if err != nil {
		t.Fatal(err)
	}
	c := &g.Components[rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")]
	switch rapid.IntRange(0, 4).Draw(t, "fault") {
	case 0:
		for i := range c.Params {
			if c.Params[i].Value.Kind() == graph.Int {
				c.Params[i].Value = graph.IntValue(rapid.Int64Range(1, 2000).Draw(t, "value"))
			}
		}
	case 1:
		e := rapid.IntRange(0, len(g.Connections)-1).Draw(t, "connection")
		g.Connections = append(g.Connections[:e:e], g.Connections[e+1:]...)
	case 2:
		c.Type, c.Params = "customModule", nil
	}
	return g
}
