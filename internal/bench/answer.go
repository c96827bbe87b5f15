package bench

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

// Answer is what an agent sends: a model, or changes of the start. A graph alone counts as a model.
type Answer struct {
	Model json.RawMessage `json:"model,omitempty"`
	Edits json.RawMessage `json:"edits,omitempty"`
}

// Apply returns the model of an answer, as it was written. Errors say what is wrong and where.
func Apply(t *Task, answer []byte) (*graph.Graph, error) {
	_, model, err := apply(t, answer)
	return model, err
}

// read returns the model of an answer, examined.
func read(t *Task, answer []byte) (*subject, error) {
	start, model, err := apply(t, answer)
	if err != nil {
		return nil, err
	}
	if start != nil {
		start.Normalize(catalog.Vocabulary)
	}
	return examine(t, start, model), nil
}

func apply(t *Task, answer []byte) (start, model *graph.Graph, err error) {
	if len(t.Start) > 0 && string(t.Start) != "null" {
		if start, err = graph.Decode(t.Start, "start", Limits); err != nil {
			return nil, nil, fmt.Errorf("the start of the task cannot be read: %w", err)
		}
	}
	model, err = modelOf(start, answer)
	if err != nil {
		return nil, nil, err
	}
	if len(model.Components) == 0 {
		return nil, nil, errors.New("the answer has no components")
	}
	if bad := action.CheckModel(model, "model"); bad != nil {
		return nil, nil, fmt.Errorf("the answer cannot be read: %w", bad)
	}
	return start, model, nil
}

// modelOf reads the three forms of an answer.
func modelOf(start *graph.Graph, answer []byte) (*graph.Graph, error) {
	body, err := graph.DecodeBody(answer, Limits, func(path string) bool { return path == action.Model })
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	model, edits := body.Member(action.Model), body.Member("edits")
	switch {
	case model != nil && edits != nil:
		return nil, errors.New("the answer has both model and edits: give one")
	case model != nil:
		return model.Graph, nil
	case edits != nil:
		return edited(start, edits.Raw)
	case body.Member("components") != nil:
		g, err := graph.Decode(answer, "model", Limits)
		if err != nil {
			return nil, fmt.Errorf("the answer cannot be read: %w", err)
		}
		return g, nil
	}
	return nil, errors.New(`the answer has neither a model nor edits: send {"model": GRAPH}, {"edits": [CHANGES]} or a graph`)
}

// edited makes the changes of an answer on the start. edit.Decode bounds how many there are.
func edited(start *graph.Graph, text string) (*graph.Graph, error) {
	if start == nil {
		return nil, errors.New("the answer has edits, and the task has no start that they could change: send a model")
	}
	ops, err := edit.Decode(text, "edits")
	if err != nil {
		return nil, fmt.Errorf("the edits cannot be read: %w", err)
	}
	g, err := edit.Apply(start, ops, Limits)
	if err != nil {
		return nil, fmt.Errorf("the edits cannot be made: %w", err)
	}
	return g, nil
}
