package hostedapi

import (
	"context"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/quantity"
)

// check is the action with what became of the organisation's last run of the structure. Who has never trained anything is answered as
// by every other action, without asking the store.
func (s *Server) check() func(*httpapi.Call) httpapi.Reply {
	plain := s.act("check")
	if s.jobs == nil {
		return plain
	}
	keyed := s.keyed(func(c *httpapi.Call, caller account.Caller) httpapi.Reply {
		trains, err := s.hasTrained(c.Request().Context(), caller.Org)
		if err != nil {
			return s.failed(c, err)
		}
		return c.Receive(func(body []byte) httpapi.Reply {
			if !trains {
				return c.Work(func(room *action.Room) httpapi.Reply { return s.perform(c, "check", room, body) })
			}
			return s.checked(c, caller, body)
		})
	})
	return keyed
}

// checked examines the model, asks the store for its last run, and has the stages tell it.
func (s *Server) checked(c *httpapi.Call, caller account.Caller, body []byte) httpapi.Reply {
	var request *check.Request
	var model *check.Examined
	var err error
	if busy := c.Borrow(func(*action.Room) {
		if request, err = check.Decode(body, graph.ServiceLimits); err == nil {
			request.Examined = s.observe
			model = check.Examine(request)
		}
	}); busy != nil {
		return *busy
	}
	if err != nil {
		return httpapi.Refusal(err)
	}
	job, err := s.jobs.LastRun(c.Request().Context(), caller.Org, model.Fingerprint())
	if err != nil {
		return s.failed(c, err)
	}
	request.LastRun = lastRun(job)
	return c.Work(func(*action.Room) httpapi.Reply {
		result := model.Result()
		c.Count(s.actions["check"], result)
		return httpapi.OK(result)
	})
}

// lastRun writes a job down as check has it; nil where there is none, or nothing was measured.
func lastRun(j *jobs.Job) *check.LastRun {
	if j == nil || len(j.Epochs) == 0 {
		return nil
	}
	return &check.LastRun{JobID: j.ID, At: stamp(j.CompletedAt), Dataset: j.Dataset, Mode: string(j.Mode), GPU: j.GPU, Epochs: int64(len(j.Epochs)),
		Metric: jobs.Metric, Value: j.Epochs[len(j.Epochs)-1].ValAcc, WallSec: new(j.Wall(j.CompletedAt).Seconds()), EstCostUSD: new(quantity.USD(j.Dollars())),
		Source: "train:" + j.Dataset + "@" + string(j.Mode)}
}

// trained remembers which organisations have jobs. Most have none, and their checks need not ask for one.
type trained struct{ orgs sync.Map }

// forgetAfter is how long it is believed that an organisation has no job: another process may have taken its first.
const forgetAfter = time.Second

// trains notes that an organisation has a job. It always will.
func (s *Server) trains(org string) { s.trained.orgs.Store(org, time.Time{}) }

// hasTrained says whether an organisation has any job.
func (s *Server) hasTrained(ctx context.Context, org string) (bool, error) {
	now := s.config.Clock()
	if seen, ok := s.trained.orgs.Load(org); ok {
		at := seen.(time.Time)
		if age := now.Sub(at); at.IsZero() || age >= 0 && age < forgetAfter {
			return at.IsZero(), nil
		}
	}
	found, err := s.jobs.List(ctx, org, "", 1)
	if err != nil {
		return false, err
	}
	if len(found) > 0 {
		s.trains(org)
		return true, nil
	}
	s.trained.orgs.Store(org, now)
	return false, nil
}
