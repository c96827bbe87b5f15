package env

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

// Action is one step: changes of the model, or another model in its place, and whether that is the answer.
type Action struct {
	Edits  []edit.Op
	Model  *graph.Graph
	Submit bool
}

// members are those of a step on the wire.
var members = []string{"edits", action.Model, "submit"}

// decode reads a step. Unknown members are refused, because a mistyped one would be a step that does nothing.
func decode(data []byte) (*Action, error) {
	body, err := graph.DecodeBody(data, bench.Limits, func(path string) bool { return path == action.Model })
	if err != nil {
		return nil, err
	}
	for _, m := range body.Members {
		if !slices.Contains(members, m.Name) {
			return nil, noMember(m.Name, members)
		}
	}
	a := &Action{}
	if m := body.Member("submit"); m != nil {
		if m.Raw != "true" && m.Raw != "false" {
			return nil, action.Errorf(graph.CodeType, "submit", "must be true or false")
		}
		a.Submit = m.Raw == "true"
	}
	if m := body.Member("edits"); m != nil {
		if a.Edits, err = edit.Decode(m.Raw, "edits"); err != nil {
			return nil, err
		}
	}
	if m := body.Member(action.Model); m != nil {
		if a.Model = m.Graph; len(a.Edits) > 0 {
			return nil, action.Errorf(action.CodeForm, action.Model, "stands beside edits: give one of the two")
		}
		if bad := action.CheckModel(a.Model, action.Model); bad != nil {
			return nil, bad
		}
	}
	if len(a.Edits) == 0 && a.Model == nil && !a.Submit {
		return nil, action.Errorf(graph.CodeMissing, "edits", `is missing: a step is {"edits": [CHANGES]}, {"model": GRAPH} or {"submit": true}`)
	}
	return a, nil
}

// Observation is what an agent sees.
type Observation struct {
	Task     *bench.Task      `json:"task"`
	Model    json.RawMessage  `json:"model"`    // as it is now
	Verdict  string           `json:"verdict"`  // of a check of it
	Findings []action.Finding `json:"findings"` // those with an edit are repaired by exactly that change
	Grade    *bench.Grade     `json:"grade"`    // as if it were submitted now
	Steps    int              `json:"steps"`    // taken
	MaxSteps int              `json:"maxSteps"`
	Error    string           `json:"error"` // why the last step changed nothing; "" where it did
}

// Stepped is the answer to a step.
type Stepped struct {
	Observation *Observation `json:"observation"`
	Reward      float64      `json:"reward"`
	Done        bool         `json:"done"`      // submitted, or out of steps: nothing more is taken
	Truncated   bool         `json:"truncated"` // out of steps
	Grade       *bench.Grade `json:"grade"`
}

// episode is one that is open.
type episode struct {
	mu    sync.Mutex // one step at a time
	task  *bench.Task
	graph *graph.Graph
	grade *bench.Grade
	steps int
	most  int
	done  bool
	used  time.Time // guarded by the pool
}

func begin(t *bench.Task, most int) (*episode, error) {
	e := &episode{task: t, graph: &graph.Graph{}, most: most}
	if text := bytes.TrimSpace(t.Start); len(text) > 0 && string(text) != "null" {
		g, err := graph.Decode(t.Start, "start", bench.Limits)
		if err != nil {
			return nil, fmt.Errorf("env: the start of %s: %w", t.ID, err)
		}
		e.graph = g
	}
	e.grade = e.score()
	return e, nil
}

// score grades the model as it is.
func (e *episode) score() *bench.Grade {
	return bench.Score(e.task, append(e.graph.AppendJSON([]byte(`{"model":`)), '}'))
}

// step makes an action. Changes that cannot be made cost the step and change nothing: an agent learns of it in the observation.
func (e *episode) step(a *Action) *Stepped {
	before := progress(e.grade)
	e.steps++
	var failed error
	switch {
	case a.Model != nil:
		e.graph = a.Model
	case len(a.Edits) > 0:
		if g, err := edit.Apply(e.graph, a.Edits, bench.Limits); err != nil {
			failed = err
		} else if bad := action.CheckModel(g, action.Model); bad != nil {
			failed = bad
		} else {
			e.graph = g
		}
	}
	if failed == nil && (a.Model != nil || len(a.Edits) > 0) {
		e.grade = e.score()
	}
	s := &Stepped{Observation: e.observe(failed), Grade: e.grade, Reward: round(progress(e.grade) - before)}
	s.Truncated = !a.Submit && e.steps >= e.most
	s.Done = a.Submit || s.Truncated
	return s
}

// observe is the episode as an agent sees it.
func (e *episode) observe(failed error) *Observation {
	r := check.Run(&check.Request{Model: e.graph.Clone()})
	o := &Observation{Task: e.task, Model: e.graph.AppendJSON(nil), Verdict: r.Verdict, Findings: r.Findings, Grade: e.grade,
		Steps: e.steps, MaxSteps: e.most}
	if failed != nil {
		o.Error = failed.Error()
	}
	return o
}
