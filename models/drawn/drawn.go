// Package drawn draws models for property tests: those of package models, at times broken. Only tests may import it.
package drawn

import (
	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

// Model draws a bundled model and at times breaks it: a parameter, a connection, a component of unknown shape.
func Model(t *rapid.T) *graph.Graph {
	g, err := models.Open(rapid.SampledFrom(models.List()).Draw(t, "model"))
	if err != nil {
		t.Fatal(err)
	}
	at := rapid.IntRange(0, len(g.Components)-1).Draw(t, "component")
	c := &g.Components[at]
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
		c.Params = declared(t, g, at)
		c.Type = "customModule"
	}
	return g
}

// declared draws what a module of the caller's own in the place of a component says of itself: its shape, its weights and its FLOPs, each
// or none of them.
func declared(t *rapid.T, g *graph.Graph, at int) (params []graph.Param) {
	walked := g.Clone()
	walked.Normalize(catalog.Vocabulary)
	n := &infer.Walk(walked).Nodes[at]
	if n.Out != nil && rapid.Bool().Draw(t, "outShape") {
		params = append(params, graph.Param{Name: "outShape", Value: graph.IntsValue(n.Out...)})
	}
	if rapid.Bool().Draw(t, "numParams") {
		params = append(params, graph.Param{Name: "numParams", Value: graph.IntValue(n.Params)})
	}
	if rapid.Bool().Draw(t, "flops") {
		params = append(params, graph.Param{Name: "flops", Value: graph.IntValue(n.FLOPs)})
	}
	return params
}
