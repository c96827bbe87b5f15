package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{Name: "notation", Answer: notation})

// noted is a model in the short notation.
type noted struct {
	Text string `json:"text"`
}

// notation writes a model in the short notation, or reads one that is written in it.
func notation(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits, action.Model)
	if f.Given("text") {
		text := f.Str("text")
		if err := f.Err(); err != nil {
			return nil, err
		}
		g, err := graph.ParseWithin(text, limits)
		if err != nil {
			return nil, err
		}
		return opened{written(g)}, nil
	}
	g := f.Model()
	if err := f.Err(); err != nil {
		return nil, err
	}
	return noted{g.Text()}, nil
}
