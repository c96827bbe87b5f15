package httpapi

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// Action is one POST endpoint: a function from the bytes of a request to the body of the answer, which is good until the room that
// it was made in is cleared.
type Action struct {
	Name, Path string
	Run        func(room *action.Room, body []byte) (result any, err error)
	Tally      func(result any) telemetry.Tally
	Result     reflect.Type // of the body of the answer, for the OpenAPI document
}

// Actions are those of the container, all of them.
func Actions() []Action {
	return []Action{
		endpoint("check", check.DecodeIn, check.Run, tallyCheck),
		endpoint("lint", fresh(lint.Decode), lint.Run, tallyLint),
		endpoint("plan", fresh(plan.Decode), plan.Run, tallyPlan),
		endpoint("rank", fresh(rank.Decode), rank.Run, tallyRank),
	}
}

// fresh reads a request into memory of its own.
func fresh[Q any](decode func([]byte, graph.Limits) (*Q, error)) func(*action.Room, []byte, graph.Limits) (*Q, error) {
	return func(_ *action.Room, body []byte, limits graph.Limits) (*Q, error) { return decode(body, limits) }
}

// endpoint joins the three parts of an action. Limits are those of a request over the network.
func endpoint[Q, R any](name string, decode func(*action.Room, []byte, graph.Limits) (*Q, error), run func(*Q) *R, tally func(*R) telemetry.Tally) Action {
	return Action{
		Name: name,
		Path: "/v1/" + name,
		Run: func(room *action.Room, body []byte) (any, error) {
			request, err := decode(room, body, graph.ServiceLimits)
			if err != nil {
				return nil, err
			}
			return run(request), nil
		},
		Tally:  func(result any) telemetry.Tally { return tally(result.(*R)) },
		Result: reflect.TypeFor[R](),
	}
}

// act reads the body, waits for a worker, and has it run the action and encode the answer.
func (s *Server) act(a Action, c *call) reply {
	if out := checkType(c.request); out != nil {
		return *out
	}
	if !s.gate.enter() {
		return s.busy("requests")
	}
	defer s.gate.leave()
	body := takeBody(s.gate)
	defer body.release()
	if out := s.read(body, c); out != nil {
		return *out
	}
	room, reason := s.gate.work(c.request.Context())
	if room == nil {
		return s.busy(reason)
	}
	defer s.gate.rest(room)
	result, err := a.Run(room, body.data)
	if err != nil {
		return refusal(err)
	}
	s.Counts.Add(a.Name, a.Tally(result))
	out := reply{status: http.StatusOK, body: result}
	c.encode(&out)
	return out
}

// busy sheds load. Where the caller has gone nobody reads it, but the log does.
func (s *Server) busy(reason string) reply {
	s.metrics.shed(reason)
	out := fault(http.StatusServiceUnavailable, "overloaded", "the server has all the work it can hold; try again shortly")
	out.header, out.value = "Retry-After", "1"
	return out
}

func (s *Server) actionPaths() string {
	var paths []string
	for _, a := range s.Config.Actions {
		paths = append(paths, a.Path)
	}
	return list(paths)
}

func list(items []string) string { return strings.Join(items, ", ") }
