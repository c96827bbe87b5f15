package pages

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/store"
)

// Runs are the training jobs of organisations, as they go over the wire. ErrNotFound of package account stands for a
// job that is not there, or is another organisation's.
type Runs interface {
	List(ctx context.Context, org, after string) (any, error)
	Get(ctx context.Context, org, id string) (any, error)
	Cancel(ctx context.Context, org, id string) (any, error)
}

// appRoutes are what the app asks for: JSON, by the cookie of the pages and under their protection against other
// origins.
func (h *handler) appRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /account/session.json", h.open((*call).showSession))
	mux.HandleFunc("GET "+runsPath, h.signed((*call).toApp))
	mux.HandleFunc("GET /settings/{org}/outcomes.json", h.inData(account.ToRead, (*call).showOutcomes))
	if h.Runs == nil {
		return
	}
	mux.HandleFunc("GET /settings/{org}/runs.json", h.inData(account.ToRead, (*call).showRuns))
	mux.HandleFunc("GET /settings/{org}/runs/{id}", h.inData(account.ToRead, (*call).showRun))
	mux.HandleFunc("POST /settings/{org}/runs/{id}/cancel", h.inData(account.ToUse, (*call).cancelRun))
}

// session is who asks, for the app: it has no key and goes by the cookie of the pages.
type session struct {
	SignedIn      bool           `json:"signedIn"`
	SignIn        string         `json:"signIn"` // where to
	Email         string         `json:"email,omitempty"`
	Organisations []organisation `json:"organisations"`
	Runs          bool           `json:"runs"` // whether this service runs jobs
}

type organisation struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	Cancel bool   `json:"cancel"` // whether the role may cancel runs
}

// showSession says who asks. Whoever has not signed in is told so: that is no error.
func (c *call) showSession() error {
	out := &session{SignIn: runsPath, Organisations: []organisation{}, Runs: c.Runs != nil}
	if c.who != nil {
		out.SignedIn, out.Email = true, c.who.Person.Email
		for _, p := range c.who.Places {
			one := organisation{p.Org, p.Name, string(p.Role), p.Role.May(account.ToUse)}
			out.Organisations = append(out.Organisations, one)
		}
	}
	return c.data(http.StatusOK, out)
}

// toApp leads back to the app: what stands behind the # of its address is lost while one signs in.
func (c *call) toApp() error {
	if c.App == "" {
		c.redirect(SettingsPath, nil)
		return nil
	}
	c.redirect(c.App+"#/runs", nil)
	return nil
}

// outcomes is the history of a structure.
type outcomes struct {
	Fingerprint string       `json:"fingerprint"`
	Rows        []ledger.Row `json:"rows"`
}

func (c *call) showOutcomes() (any, error) {
	out := &outcomes{Fingerprint: c.r.URL.Query().Get("fingerprint"), Rows: []ledger.Row{}}
	found, err := c.Ledger.List(c.ctx(), c.place.Org, out.Fingerprint)
	out.Rows = append(out.Rows, found...)
	return out, err
}

func (c *call) showRuns() (any, error) {
	return c.Runs.List(c.ctx(), c.place.Org, c.r.URL.Query().Get("after"))
}

func (c *call) showRun() (any, error) { return c.Runs.Get(c.ctx(), c.place.Org, c.r.PathValue("id")) }

func (c *call) cancelRun() (any, error) {
	return c.Runs.Cancel(c.ctx(), c.place.Org, c.r.PathValue("id"))
}

// fault is the body of an answer for the app that is none.
type fault struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

// inData wraps an answer for the app: as inside, with JSON in place of pages and of the way to sign in.
func (h *handler) inData(right account.Right, f func(*call) (any, error)) http.HandlerFunc {
	return h.open(func(c *call) error {
		if c.who == nil {
			return c.data(http.StatusUnauthorized, &fault{"you have not signed in", "signed-out"})
		}
		for _, p := range c.who.Places {
			if p.Org == c.r.PathValue("org") {
				c.place = p
			}
		}
		switch {
		case c.place.Org == "":
			return c.data(http.StatusNotFound, &fault{"there is no such organisation, or it is not yours", "not-found"})
		case !c.place.Role.May(right):
			return c.data(http.StatusForbidden, &fault{"your role does not allow this", "denied"})
		}
		out, err := f(c)
		if err != nil {
			return c.dataFault(err)
		}
		return c.data(http.StatusOK, out)
	})
}

// dataFault says what went wrong. What is our own fault is logged by open.
func (c *call) dataFault(err error) error {
	var wrong *graph.Error
	switch {
	case errors.As(err, &wrong):
		return c.data(http.StatusUnprocessableEntity, &fault{wrong.Error(), wrong.Code})
	case errors.Is(err, account.ErrNotFound):
		return c.data(http.StatusNotFound, &fault{"there is nothing of this name", "not-found"})
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrFull), errors.Is(err, context.DeadlineExceeded):
		c.Log.Error("page", "id", c.w.Header().Get("X-Request-Id"), "route", c.r.Pattern, "error", err.Error())
		c.w.Header().Set("Retry-After", "10")
		why := &fault{"our database does not answer; it works again by itself", "unavailable"}
		return c.data(http.StatusServiceUnavailable, why)
	}
	return err
}

// data writes a body for the app.
func (c *call) data(status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	if c.r.Method != http.MethodHead {
		_, _ = c.w.Write(body) // an error means that the caller has gone
	}
	return nil
}
