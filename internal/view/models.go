package view

import (
	"encoding/json"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

var _ = define(call{Name: "models", Answer: func([]byte, graph.Limits) (any, error) {
	return modelList{models.Entries()}, nil
}})

var _ = define(call{Name: "model", Answer: openModel})

// modelList are the bundled models: a row each of those that the Start page offers to open.
type modelList struct {
	Models []models.Entry `json:"models"`
}

// opened is a model that can be shown and edited.
type opened struct {
	Model json.RawMessage `json:"model"`
}

func openModel(body []byte, limits graph.Limits) (any, error) {
	f := action.Read(body, limits)
	id := f.Enum("id", models.List()...)
	if id == "" {
		f.Fail(action.Errorf(graph.CodeMissing, "id", "must be the id of a bundled model; view/models lists them"))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	g, err := models.Open(id)
	if err != nil {
		return nil, err
	}
	return opened{written(g)}, nil
}
