package view

import (
	_ "embed"

	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{Name: "example", Answer: func([]byte, graph.Limits) (any, error) {
	g, err := graph.Parse(example)
	if err != nil {
		return nil, err
	}
	return opened{written(g)}, nil
}})

// example is the model of the Start page that does not run, and whose one fix is a button.
//
//go:embed example.graph
var example string
