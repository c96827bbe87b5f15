package hostedapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/quantity"
)

// act is an action for callers with a key. It is the container's, and adds a row to the corpus for each model.
func (s *Server) act(name string) func(*httpapi.Call) httpapi.Reply {
	return s.keyed(func(c *httpapi.Call, _ account.Caller) httpapi.Reply {
		return c.Receive(func(body []byte) httpapi.Reply {
			return c.Work(func(room *action.Room) httpapi.Reply { return s.perform(c, name, room, body) })
		})
	})
}

// perform runs an action, and counts it.
func (s *Server) perform(c *httpapi.Call, name string, room *action.Room, body []byte) httpapi.Reply {
	a := s.actions[name]
	result, err := a.Run(room, body, s.observe)
	if err != nil {
		return httpapi.Refusal(err)
	}
	c.Count(a, result)
	return httpapi.OK(result)
}

// observe keeps the anonymous row of a model.
func (s *Server) observe(study *action.Study) {
	s.corpus.Add(corpus.Of(study, corpus.Day(s.config.Clock())))
}

// plan is the action that needs no key. Who sends one sees what became of earlier runs.
func (s *Server) plan(c *httpapi.Call) httpapi.Reply {
	var caller account.Caller
	var refused *httpapi.Reply
	if _, given := bearer(c.Request()); given {
		caller, refused = s.enter(c)
	} else {
		refused = s.enterKeyless(c)
	}
	if refused != nil {
		return *refused
	}
	return c.Receive(func(body []byte) httpapi.Reply { return s.planned(c, caller, body) })
}

// enterKeyless lets so many plans of an address in.
func (s *Server) enterKeyless(c *httpapi.Call) *httpapi.Reply {
	bucket, err := s.bucket(c.Request().Context(), s.address(c.Request()))
	if err != nil {
		out := s.away(c, err)
		return &out
	}
	return s.take(c, s.perHost, bucket, &s.counts.limitedAddresses)
}

// planned makes the plan. No worker waits for the store: the record is made, the store is asked, and the record is written down.
func (s *Server) planned(c *httpapi.Call, caller account.Caller, body []byte) httpapi.Reply {
	var request *plan.Request
	var record *plan.Record
	var err error
	if busy := c.Borrow(func(*action.Room) {
		if request, err = plan.Decode(body, graph.ServiceLimits); err == nil {
			if caller.Org != "" {
				request.Examined = s.observe
			}
			record = plan.New(request)
		}
	}); busy != nil {
		return *busy
	}
	if err != nil {
		return httpapi.Refusal(err)
	}
	ctx := c.Request().Context()
	if caller.Org != "" {
		if refused := s.remember(c, caller, record); refused != nil {
			return *refused
		}
	}
	var shared *plan.Share
	if request.Share {
		shares := s.shares
		shares.Admit = func(ctx context.Context, bytes int64) error { return s.admit(ctx, c, bytes) }
		p, removal, err := shares.Create(ctx, caller.Org, body, s.config.Clock())
		if err != nil {
			return s.failed(c, err)
		}
		shared = &plan.Share{ID: p.ID, URL: s.config.PublicURL + sharedPath + p.ID, Removal: removal}
	}
	return c.Work(func(*action.Room) httpapi.Reply {
		result := plan.Render(record)
		result.Share = shared
		c.Count(s.actions["plan"], result)
		return httpapi.OK(result)
	})
}

// remember adds what became of earlier runs of the structure to a plan.
func (s *Server) remember(c *httpapi.Call, caller account.Caller, record *plan.Record) *httpapi.Reply {
	rows, err := s.ledger.List(c.Request().Context(), caller.Org, record.Model.Fingerprint)
	if err != nil {
		out := s.failed(c, err)
		return &out
	}
	record.History = past(rows)
	return nil
}

// sharePeriod is the time for which the bytes of one address are counted.
const sharePeriod = 24 * time.Hour

// admit counts what an address shares without a key.
func (s *Server) admit(ctx context.Context, c *httpapi.Call, bytes int64) error {
	bucket, err := s.bucket(ctx, s.address(c.Request()))
	if err != nil {
		return err
	}
	limit, now := or(s.config.ShareRate, DefaultShareRate), s.config.Clock()
	w, err := s.windows.Take(ctx, "share:"+bucket, bytes, limit, sharePeriod, now)
	if err == nil && w.Granted < bytes {
		s.counts.limitedAddresses.Add(1)
		err = &sharedEnough{limit, max(time.Second, w.Began.Add(sharePeriod).Sub(now))}
	}
	return err
}

// sharedEnough is returned where an address has shared as much as it may in a day.
type sharedEnough struct {
	limit int64
	wait  time.Duration
}

func (e *sharedEnough) Error() string {
	return "one address shares at most " + strconv.FormatInt(e.limit, 10) + " bytes a day without a key: share it with one, or later"
}

// past writes rows of the ledger as a plan has them; nil where there is none.
func past(rows []ledger.Row) *plan.History {
	if len(rows) == 0 {
		return nil
	}
	h := &plan.History{}
	for _, r := range rows {
		o := plan.Outcome{At: r.At.UTC().Format(time.RFC3339), Metric: r.Metric, Value: r.Value, Epochs: r.Epochs, WallSec: r.WallSec, Source: r.Source}
		if r.EstCostUSD != nil {
			o.EstCostUSD = new(quantity.Round(*r.EstCostUSD, 6))
		}
		h.Rows = append(h.Rows, o)
	}
	return h
}

// rows is the body of GET /history.
type rows struct {
	Fingerprint string       `json:"fingerprint"`
	Rows        []ledger.Row `json:"rows"`
}

// written is the body of POST /history.
type written struct {
	Ledger string `json:"ledger"`
}

// history reads and writes outcomes of the caller's organisation.
func (s *Server) history(c *httpapi.Call, caller account.Caller) httpapi.Reply {
	r := c.Request()
	if r.Method == http.MethodPost {
		return c.Receive(func(body []byte) httpapi.Reply {
			outcome, err := ledger.Decode(body, s.config.Clock())
			if err != nil {
				return httpapi.Refusal(err)
			}
			what, err := s.ledger.Write(r.Context(), caller.Org, outcome)
			if err != nil {
				return s.failed(c, err)
			}
			return httpapi.OK(&written{what})
		})
	}
	values := r.URL.Query()["fingerprint"]
	if len(values) != 1 {
		return httpapi.Refusal(action.Errorf(graph.CodeMissing, "fingerprint", "must be given once, as in /api/v1/history?fingerprint=0123abcd"))
	}
	found, err := s.ledger.List(r.Context(), caller.Org, values[0])
	if err != nil {
		return s.failed(c, err)
	}
	return httpapi.OK(&rows{values[0], found})
}

// report is the corpus in numbers, for everybody.
func (s *Server) report(c *httpapi.Call) httpapi.Reply {
	r, err := s.reports.Report(c.Request().Context())
	if err != nil {
		return s.failed(c, err)
	}
	return httpapi.OK(r)
}
