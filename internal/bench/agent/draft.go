package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

// draft is a model on its way to an answer.
type draft struct {
	task  *bench.Task
	graph *graph.Graph
}

// begin is the start of a task, or an empty model where it has none.
func begin(t *bench.Task) (*draft, error) {
	if text := bytes.TrimSpace(t.Start); len(text) == 0 || string(text) == "null" {
		return &draft{t, &graph.Graph{}}, nil
	}
	g, err := graph.Decode(t.Start, "start", graph.ServiceLimits)
	if err != nil {
		return nil, fmt.Errorf("agent: the start of %s: %w", t.ID, err)
	}
	return &draft{t, g}, nil
}

// with is the draft with changes made, which are written as a request carries them.
func (d *draft) with(edits json.RawMessage) (*draft, error) {
	ops, err := edit.Decode(string(edits), "edits")
	if err != nil {
		return nil, err
	}
	g, err := edit.Apply(d.graph, ops, graph.ServiceLimits)
	if err != nil {
		return nil, err
	}
	return &draft{d.task, g}, nil
}

// answer is the draft as an answer.
func (d *draft) answer() []byte {
	return append(d.graph.AppendJSON([]byte(`{"model":`)), '}')
}

func (d *draft) grade() *bench.Grade { return bench.Score(d.task, d.answer()) }
