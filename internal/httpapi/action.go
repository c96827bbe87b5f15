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
	Run        func(room *action.Room, body []byte, seen action.Observer) (result any, err error) // seen may be nil
	Tally      func(result any) telemetry.Tally
	Result     reflect.Type // of the body of the answer, for the OpenAPI document
}

// Actions are those of the container, all of them.
func Actions() []Action {
	return []Action{
		endpoint("check", check.DecodeIn, func(r *check.Request) *action.Observer { return &r.Examined }, check.Run, tallyCheck),
		endpoint("lint", fresh(lint.Decode), func(r *lint.Request) *action.Observer { return &r.Examined }, lint.Run, tallyLint),
		endpoint("plan", plan.DecodeIn, func(r *plan.Request) *action.Observer { return &r.Examined }, plan.Run, tallyPlan),
		endpoint("rank", rank.DecodeIn, func(r *rank.Request) *action.Observer { return &r.Examined }, rank.Run, tallyRank),
	}
}

// fresh reads a request into memory of its own.
func fresh[Q any](decode func([]byte, graph.Limits) (*Q, error)) func(*action.Room, []byte, graph.Limits) (*Q, error) {
	return func(_ *action.Room, body []byte, limits graph.Limits) (*Q, error) { return decode(body, limits) }
}

// endpoint joins the parts of an action. Limits are those of a request over the network.
func endpoint[Q, R any](name string, decode func(*action.Room, []byte, graph.Limits) (*Q, error), observer func(*Q) *action.Observer, run func(*Q) *R,
	tally func(*R) telemetry.Tally) Action {
	return Action{
		Name: name,
		Path: "/v1/" + name,
		Run: func(room *action.Room, body []byte, seen action.Observer) (any, error) {
			request, err := decode(room, body, graph.ServiceLimits)
			if err != nil {
				return nil, err
			}
			*observer(request) = seen
			return run(request), nil
		},
		Tally:  func(result any) telemetry.Tally { return tally(result.(*R)) },
		Result: reflect.TypeFor[R](),
	}
}

// act reads the body, waits for a worker, and has it run the action and encode the answer.
func (s *Server) act(a Action, c *Call) Reply {
	return c.Receive(func(body []byte) Reply {
		return c.Work(func(room *action.Room) Reply {
			result, err := a.Run(room, body, nil)
			if err != nil {
				return Refusal(err)
			}
			s.Counts.Add(a.Name, a.Tally(result))
			return OK(result)
		})
	})
}

// For says on whose behalf a call is: everybody has a share of the server.
func (c *Call) For(tenant string) { c.tenant = tenant }

// Receive reads the body of a request and hands it on. It is gone when f returns.
func (c *Call) Receive(f func(body []byte) Reply) Reply {
	s := c.server
	if out := checkType(c.request); out != nil {
		return *out
	}
	if !s.gate.enter(c.tenant) {
		return s.busy("requests")
	}
	defer s.gate.leave(c.tenant)
	if s.gate.crowded(c.tenant) { // before the body is read
		return s.busy("queue")
	}
	if c.given != nil {
		return f(c.given)
	}
	body := takeBody(s.gate, c.tenant)
	defer body.release()
	end := c.part("read")
	out := s.read(body, c)
	if end(); out != nil {
		return *out
	}
	return f(body.data)
}

// Work waits for a worker, and has it do f and encode what comes of it. What f made in the room is gone then.
func (c *Call) Work(f func(room *action.Room) Reply) (out Reply) {
	busy := c.Borrow(func(room *action.Room) {
		out = f(room)
		c.encode(&out)
	})
	if busy != nil {
		return *busy
	}
	return out
}

// Borrow waits for a worker and has it do f, or returns the reply where none was free in time.
func (c *Call) Borrow(f func(room *action.Room)) *Reply {
	s := c.server
	end := c.part("wait")
	p, reason := s.gate.work(c.request.Context(), c.tenant, c.worked)
	if end(); p.Room == nil {
		out := s.busy(reason)
		return &out
	}
	c.worked = true
	defer s.gate.rest(p)
	defer c.part("work")()
	f(p.Room)
	return nil
}

// busy sheds load. Where the caller has gone nobody reads it, but the log does.
func (s *Server) busy(reason string) Reply {
	s.metrics.shed(reason)
	out := Fault(http.StatusServiceUnavailable, "overloaded", "the server has all the work it can hold; try again shortly")
	out.header, out.value = "Retry-After", "1"
	return out
}

// served says what there is, for those who asked for something else.
func (s *Server) served() string {
	if s.Edition != nil {
		return s.Edition.Served
	}
	var paths []string
	for _, a := range s.Config.Actions {
		paths = append(paths, a.Path)
	}
	return "GET /version, /healthz, /metrics, /metrics/preview, /openapi.json and POST " + list(paths) + " are served"
}

func list(items []string) string { return strings.Join(items, ", ") }
