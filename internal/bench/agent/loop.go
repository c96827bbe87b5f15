package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(loop{}, "takes every fix of a finding at its word, as verifier loop does, until nothing blocks or none is left")

// loop follows the edits of findings. It reads no constraint: it passes where a model that runs is all that was asked for.
type loop struct{}

// Name is what results call it.
func (loop) Name() string { return "loop" }

// Solve makes the edit of the first finding that blocks and has one, until there is none.
func (loop) Solve(_ context.Context, t *bench.Task, _ uint64, step func(Step)) ([]byte, error) {
	d, err := begin(t)
	if err != nil {
		return nil, err
	}
	r, err := edit.Follow(d.graph, graph.ServiceLimits, action.TextCall{}, nil)
	if err != nil {
		return d.answer(), nil // an edit that goes past the limits: the start is what is left
	}
	for _, s := range r.Steps {
		edits, err := json.Marshal(s.Edit)
		if err != nil {
			return nil, fmt.Errorf("agent: encode an edit: %w", err)
		}
		if d, err = d.with(edits); err != nil {
			return nil, fmt.Errorf("agent: repeat an edit: %w", err)
		}
		step(Step{Edits: edits, Because: s.Detail + "; " + s.Fix, Grade: d.grade(), Gradings: 1})
	}
	return d.answer(), nil
}
