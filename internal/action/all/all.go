// Package all finds an action by its name, for surfaces that are handed one: the bytes of a request go in, the status and the
// bytes of the answer come out. It must not know who asks.
package all

import (
	"bytes"
	"encoding/json"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/graph"
)

// Action reads a request and answers it.
type Action struct {
	Name string
	Run  func(body []byte, limits graph.Limits) (result any, err error)

	// RunTold is Run for a caller who knows what calls with text alone the models have: that of the model, or of each candidate.
	RunTold func(body []byte, limits graph.Limits, texts []action.TextCall) (result any, err error)
}

// Actions are all there are, by name.
var Actions = []Action{
	join("check", check.Decode, check.Run),
	join("lint", lint.Decode, lint.Run),
	join("plan", plan.Decode, plan.Run),
	join("rank", rank.Decode, rank.Run),
}

// told is a request that can be told of calls with text alone.
type told[Q any] interface {
	*Q
	Tell(texts []action.TextCall)
}

func join[Q, R any, P told[Q]](name string, decode func([]byte, graph.Limits) (*Q, error), run func(*Q) *R) Action {
	with := func(body []byte, limits graph.Limits, texts []action.TextCall) (any, error) {
		request, err := decode(body, limits)
		if err != nil {
			return nil, err
		}
		P(request).Tell(texts)
		return run(request), nil
	}
	return Action{name, func(body []byte, limits graph.Limits) (any, error) { return with(body, limits, nil) }, with}
}

// statusUnknown is that of a name that no action has, as of a path that no server knows.
const statusUnknown = 404

// Answer runs the action of a name and returns the status that HTTP has for the answer, and its bytes.
func Answer(name string, body []byte, limits graph.Limits) (status int, answer []byte) {
	for _, a := range Actions {
		if a.Name != name {
			continue
		}
		result, err := a.Run(body, limits)
		if err != nil {
			return action.Status(err), encode(action.Explain(err))
		}
		return 200, encode(result)
	}
	return statusUnknown, encode(action.ErrorBody{Error: "there is no action of this name; check, lint, plan and rank are served", Code: "not-found"})
}

// encode writes a body as every surface does: compact, and without escapes that only a web page would need.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{"error":"a fault of our own","code":"internal"}`) // no result has a value that cannot be written
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
