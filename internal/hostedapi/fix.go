package hostedapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/llm"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// Bounds of fixing. A request holds its files while a provider is waited for, so that only so many are under way at once.
const (
	fixesAtOnce      = 16
	DefaultFixWithin = 20 * time.Second // for reading sources and proving changes, each time
	beyond           = 30 * time.Second // what an answer may take longer than the provider does
)

// agent is the provider as fix sees it.
type agent struct{ *llm.Client }

func (a agent) Ask(ctx context.Context, system, user string) (fix.Reply, error) {
	answer, err := a.Client.Ask(ctx, llm.Question{System: system, User: user})
	return fix.Reply(answer), err
}

// fix mends the files of a model. Nothing is applied, run or kept, and no text of them gets into a log or the database.
func (s *Server) fix(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	var request *fix.Request
	refused := c.Receive(func(body []byte) (out httpapi.Reply) {
		var err error
		if busy := c.Borrow(func(*action.Room) { request, err = fix.Decode(body, graph.ServiceLimits) }); busy != nil {
			return *busy
		}
		if err != nil {
			return httpapi.Refusal(err)
		}
		return out
	})
	if request == nil {
		return refused
	}
	select {
	case s.fixing <- struct{}{}:
		defer func() { <-s.fixing }()
	default:
		c.Header().Set("Retry-After", "1")
		return httpapi.Fault(http.StatusServiceUnavailable, "overloaded", "the service mends all that it can at once; try again shortly")
	}
	request.Examined, request.CheckDiff = s.observe, s.config.CheckDiff
	if err := s.agents.Take(c.Request().Context(), caller.Org); err != nil {
		return s.unbooked(c, err)
	}
	return s.mend(c, request)
}

// mend makes our own changes, asks the provider for the rest, and proves what it answers. No worker waits for the provider.
func (s *Server) mend(c *httpapi.Call, request *fix.Request) httpapi.Reply {
	work, err := within(c, s.fixTime, func(ctx context.Context) (*fix.Work, error) { return fix.Begin(ctx, request) })
	if err != nil {
		return s.unmended(c, nil, err)
	}
	system, user, ask, err := work.Question()
	if err == nil && ask {
		err = s.ask(c, work, system, user)
	}
	if err != nil {
		return s.unmended(c, work, err)
	}
	return c.Work(func(*action.Room) httpapi.Reply {
		result, err := work.Result()
		if err != nil {
			return s.unmended(c, nil, err)
		}
		c.Count(fixAction, result)
		return httpapi.OK(result)
	})
}

// ask has a provider answer what is left, and takes the answer.
func (s *Server) ask(c *httpapi.Call, work *fix.Work, system, user string) error {
	if s.config.Agent == nil {
		return fix.ErrNoProvider
	}
	c.Extend(s.config.Agent.Timeout() + beyond)
	reply, err := agent{s.config.Agent}.Ask(c.Request().Context(), system, user)
	if err != nil {
		return err
	}
	_, err = within(c, s.fixTime, func(ctx context.Context) (any, error) { return nil, work.Take(ctx, reply) })
	return err
}

// busyError is a reply where no worker was free.
type busyError struct{ reply httpapi.Reply }

func (*busyError) Error() string { return "no worker was free" }

// within has a worker do something that takes processor time, within a bound.
func within[T any](c *httpapi.Call, most time.Duration, f func(context.Context) (T, error)) (out T, err error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), most)
	defer cancel()
	if busy := c.Borrow(func(*action.Room) { out, err = f(ctx) }); busy != nil {
		return out, &busyError{*busy}
	}
	return out, err
}

// unmended is the reply to what ended in an error.
func (s *Server) unmended(c *httpapi.Call, work *fix.Work, err error) httpapi.Reply {
	if e := (*busyError)(nil); errors.As(err, &e) {
		return e.reply
	}
	if e := (*fix.DiffError)(nil); errors.As(err, &e) {
		s.config.Log.Error("fault", "of", "fix", "error", "a diff does not apply again")
		return httpapi.Fault(http.StatusInternalServerError, fix.CodeDiff, "the blocks were legal, but the diff made of them failed our own validation; nothing was applied")
	}
	if errors.Is(err, context.DeadlineExceeded) && c.Request().Context().Err() == nil {
		return httpapi.Fault(http.StatusUnprocessableEntity, "takes-too-long", "reading and judging the files takes longer than %d s: send fewer of them", int(s.fixTime/time.Second))
	}
	provider := (*llm.Error)(nil)
	switch {
	case work == nil || c.Request().Context().Err() != nil:
		return s.failed(c, err)
	case errors.As(err, &provider):
		s.counts.providerFaults.Add(1)
		s.config.Log.Warn("provider", "status", provider.Status, "kind", provider.Kind)
		if wait := provider.RetryAfter; wait > 0 {
			c.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
		}
	case errors.Is(err, fix.ErrNoProvider):
	case fix.IsBlocks(err):
		s.counts.refusedBlocks.Add(1)
		f := work.Failed(err)
		return httpapi.Explained(http.StatusUnprocessableEntity, f.Code, &f)
	default:
		return s.failed(c, err)
	}
	f := work.Failed(err)
	return httpapi.Explained(http.StatusServiceUnavailable, f.Code, &f)
}

// fixAction is how answers are counted: proved is the verdict where every patch is.
var fixAction = httpapi.Action{Name: "fix", Tally: func(result any) telemetry.Tally {
	verdict := "proved"
	for _, p := range result.(*fix.Result).Patches {
		if !p.Proved {
			verdict = "unproved"
		}
	}
	if len(result.(*fix.Result).Patches) == 0 {
		verdict = "none"
	}
	return telemetry.Tally{Verdicts: []string{verdict}}
}}
