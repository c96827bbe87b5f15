package hostedapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/exporter/task"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/quantity"
)

// train submits runs, and shows and cancels them.
func (s *Server) train(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	switch r := c.Request(); {
	case r.Method == http.MethodPost:
		return c.Receive(func(body []byte) httpapi.Reply { return s.submit(c, caller, body) })
	case r.Method == http.MethodDelete:
		return s.cancel(c, caller)
	case r.URL.Query().Has("job"):
		return s.poll(c, caller)
	}
	return s.list(c, caller)
}

// run is a training run on its way to a job. No worker of the server waits for the store: the run is planned, the store is asked
// where it can be had, it is planned there, and submitted.
type run struct {
	*train.Request
	record  *plan.Record
	mode    jobs.Mode
	backend string // empty: nowhere
	gpu     string // empty: none
	lacking bool   // who could run it has everything but its dataset
}

// submit plans a run first, refuses one that is blocked, and books the rest.
func (s *Server) submit(c *httpapi.Call, caller account.Caller, body []byte) httpapi.Reply {
	r := &run{}
	if refused := s.planRun(c, r, body); refused != nil {
		return *refused
	}
	if refused := s.place(c, caller.Org, r); refused != nil {
		return *refused
	}
	if s.jobs == nil {
		return nowhere()
	}
	if refused := s.remember(c, caller, r.record); refused != nil {
		return *refused
	}
	source := jobs.Source{Repo: r.Source.Repo, PR: r.Source.PR}
	job, err := s.jobs.Submit(c.Request().Context(), jobs.Submission{Org: caller.Org, Dataset: r.Dataset.Name, GPU: r.gpu, Config: r.Config,
		Fingerprint: r.record.Model.Fingerprint, Model: r.Model.AppendJSON(nil), Source: source, Mode: r.mode, Backend: r.backend, Reserved: r.reserved()})
	if r.lacking && errors.Is(err, jobs.ErrNowhere) { // a worker says what it has when it asks for work, and its dataset may have come since
		c.Header().Set("Retry-After", lackingWait)
	}
	if err != nil {
		return s.unbooked(c, err)
	}
	s.trains(caller.Org)
	return c.Work(func(*action.Room) httpapi.Reply {
		return httpapi.OK(&train.Result{JobID: job.ID, Mode: string(job.Mode), Backend: job.Backend, Config: job.Config, Plan: r.record, Text: plan.Text(r.record)})
	})
}

// planRun reads the request and plans it on the card that was asked for, or on the cheapest that there is. What is blocked is refused.
func (s *Server) planRun(c *httpapi.Call, r *run, body []byte) (refused *httpapi.Reply) {
	var err error
	if busy := c.Borrow(func(*action.Room) {
		if r.Request, err = train.Decode(body, graph.ServiceLimits); err == nil {
			r.Examined, r.Exports = s.observe, exports
			r.record = r.Plan(r.GPU)
		}
	}); busy != nil {
		return busy
	}
	if err != nil {
		out := httpapi.Refusal(err)
		return &out
	}
	if r.record.Run.Legal {
		return nil
	}
	out := c.Work(func(*action.Room) httpapi.Reply {
		return httpapi.Explained(http.StatusUnprocessableEntity, train.ErrorBlocked, &train.Blocked{Error: train.ErrorBlocked, Plan: r.record, Text: plan.Text(r.record)})
	})
	return &out
}

// exports says why no PyTorch file can be made of a model.
func exports(r *train.Request) error {
	_, err := task.Of(r.Model.Clone(), r.Dataset.Name, r.Config)
	return err
}

// place finds where a run can be had now, and plans it there.
func (s *Server) place(c *httpapi.Call, org string, r *run) *httpapi.Reply {
	if s.jobs == nil {
		return nil
	}
	ctx := c.Request().Context()
	places, err := s.jobs.Available(ctx)
	var limits jobs.Limits
	if err == nil {
		limits, _, err = s.jobs.Limits(ctx, org)
	}
	if err != nil {
		out := s.failed(c, err)
		return &out
	}
	var having []jobs.Place
	for _, p := range places {
		if p.Datasets == nil || slices.Contains(p.Datasets, r.Dataset.Name) {
			having = append(having, p)
		}
	}
	return c.Borrow(func(*action.Room) {
		if r.choose(having, limits.BigGPU); r.backend == "" && len(having) < len(places) {
			elsewhere := *r
			elsewhere.choose(places, limits.BigGPU)
			r.lacking = elsewhere.backend != ""
		}
	})
}

// choose takes the card that was asked for, or else the cheapest that holds the run, or else no card. A big card that the organisation
// may not use is taken only where there is nothing else, so that the refusal says why. A run is simulated only where workers do
// nothing else.
func (r *run) choose(places []jobs.Place, big bool) {
	gpu, record := r.GPU, r.record
	if gpu == "" {
		var offered, allowed []string
		cpu := false
		for _, p := range places {
			offered, cpu = append(offered, p.Cards...), cpu || p.CPU
		}
		for _, card := range offered {
			if big || !jobs.Big(card) {
				allowed = append(allowed, card)
			}
		}
		if gpu, record = r.Cheapest(allowed); gpu == "" && !cpu {
			gpu, record = r.Cheapest(offered)
		}
	}
	r.gpu = r.GPU
	for _, way := range []struct {
		mode jobs.Mode
		has  func(jobs.Place) bool
	}{
		{jobs.GPU, func(p jobs.Place) bool { return gpu != "" && slices.Contains(p.Cards, gpu) }},
		{jobs.CPU, func(p jobs.Place) bool { return r.GPU == "" && p.CPU }},
		{jobs.Simulated, func(p jobs.Place) bool { return p.Simulated }},
	} {
		i := slices.IndexFunc(places, way.has)
		if i < 0 {
			continue
		}
		r.mode, r.backend = way.mode, places[i].Backend
		if way.mode == jobs.GPU {
			r.gpu, r.record = gpu, record
		}
		return
	}
}

// reserved is what a run is estimated to cost, in micro-dollars. Only cards cost anything.
func (r *run) reserved() int64 {
	if r.mode != jobs.GPU && r.mode != "" || r.record.Cost.EstCostUSD == nil {
		return 0
	}
	return r.record.Cost.EstCostUSD.Unscaled
}

// limited is the body of a run that the limits of an organisation refuse. Dollars are dollars.
type limited struct {
	Error    string           `json:"error"`
	Code     string           `json:"code"`
	Limit    quantity.Decimal `json:"limit"`
	Used     quantity.Decimal `json:"used"`
	ResetsAt string           `json:"resetsAt,omitempty"` // absent where nothing resets by itself
}

// unbooked is the reply to a run that was not booked.
func (s *Server) unbooked(c *httpapi.Call, err error) httpapi.Reply {
	if errors.Is(err, jobs.ErrNowhere) {
		return nowhere()
	}
	e := (*jobs.LimitError)(nil)
	if !errors.As(err, &e) {
		return s.failed(c, err)
	}
	body := &limited{Error: e.Error(), Code: e.Code, Limit: quantity.Decimal{Unscaled: e.Limit}, Used: quantity.Decimal{Unscaled: e.Used}}
	if e.Code == jobs.CodeDollars {
		body.Limit, body.Used = quantity.USD(e.Limit), quantity.USD(e.Used)
	}
	if e.Code == jobs.CodeBigGPU {
		return httpapi.Explained(http.StatusForbidden, e.Code, body)
	}
	wait := inFlightWait
	if !e.ResetsAt.IsZero() {
		body.ResetsAt = e.ResetsAt.UTC().Format(time.RFC3339)
		wait = max(time.Second, e.ResetsAt.Sub(s.config.Clock()))
	}
	c.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	return httpapi.Explained(http.StatusTooManyRequests, e.Code, body)
}

// inFlightWait is when to try again behind a limit that ends with somebody's job.
const inFlightWait = 30 * time.Second

// lackingWait is after how many seconds to ask again for a dataset that a worker may be about to say that it has.
const lackingWait = "2"

// bareError is a body that the specification writes without a code.
type bareError struct {
	Error string `json:"error"`
}

// nowhere is the reply where nobody can run a job: there is no fallback to simulation.
func nowhere() httpapi.Reply {
	return httpapi.Explained(http.StatusServiceUnavailable, "gpu-not-configured", &bareError{"gpu_not_configured"})
}
