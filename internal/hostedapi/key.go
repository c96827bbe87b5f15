package hostedapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store"
)

// bearer returns what a request is authorised by, and whether it names anything at all. Something that is no bearer is as good
// as a wrong key.
func bearer(r *http.Request) (key string, given bool) {
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(values[0], " ")
	if len(values) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", true
	}
	return strings.TrimSpace(rest), true
}

// keyed lets callers with a key in.
func (s *Server) keyed(answer func(*httpapi.Call, account.Caller) httpapi.Reply) func(*httpapi.Call) httpapi.Reply {
	return func(c *httpapi.Call) httpapi.Reply {
		caller, refused := s.enter(c)
		if refused != nil {
			return *refused
		}
		return answer(c, caller)
	}
}

// enter finds out whom a key stands for, and whether it may be used now.
func (s *Server) enter(c *httpapi.Call) (account.Caller, *httpapi.Reply) {
	key, _ := bearer(c.Request())
	caller, err := s.keys.Authenticate(c.Request().Context(), key)
	if err != nil {
		out := s.unknown(c, err)
		return caller, &out
	}
	c.For(caller.Org)
	return caller, s.take(c, s.perKey, rate.Key(caller.KeyID), &s.counts.limitedKeys)
}

// unknown is the reply to a key that is missing, wrong or revoked: one for all of them.
func (s *Server) unknown(c *httpapi.Call, err error) httpapi.Reply {
	if !errors.Is(err, account.ErrUnauthorised) {
		return s.away(c, err)
	}
	s.counts.unauthorised.Add(1)
	c.Header().Set("WWW-Authenticate", `Bearer realm="verifier"`)
	return httpapi.Fault(http.StatusUnauthorized, "unauthorized", "%s; send Authorization: Bearer <key>, made in Settings, Developer API", account.ErrUnauthorised)
}

// take asks a limit for one call, and says in the headers how it stands.
func (s *Server) take(c *httpapi.Call, l *rate.Limiter, bucket string, refused *counter) *httpapi.Reply {
	got, err := l.Take(c.Request().Context(), bucket)
	if err != nil {
		out := s.away(c, err)
		return &out
	}
	h := c.Header()
	until := max(0, got.Reset.Sub(s.config.Clock()))
	reset := strconv.FormatInt(int64((until+time.Second-1)/time.Second), 10)
	values := []string{strconv.FormatInt(got.Limit, 10), strconv.FormatInt(got.Remaining, 10), reset}
	h["Ratelimit-Limit"], h["Ratelimit-Remaining"], h["Ratelimit-Reset"] = values[:1:1], values[1:2:2], values[2:]
	if got.Allowed {
		return nil
	}
	refused.Add(1)
	h.Set("Retry-After", reset)
	out := httpapi.Explained(http.StatusTooManyRequests, codeLimited, &action.ErrorBody{
		Error: "the limit of " + values[0] + " calls is used up; try again in " + reset + " s", Code: codeLimited, Limit: got.Limit})
	return &out
}

const codeLimited = "rate-limited"

// away is the reply where the store did not answer. The same call may work later, and nothing of this one was done.
func (s *Server) away(c *httpapi.Call, err error) httpapi.Reply {
	if c.Request().Context().Err() == nil { // else the caller has gone
		s.fault("store", err, "id", c.ID())
	}
	c.Header().Set("Retry-After", "1")
	if errors.Is(err, store.ErrFull) {
		return httpapi.Fault(http.StatusServiceUnavailable, "storage-full", "the disk of the service is full; nothing was kept")
	}
	return httpapi.Fault(http.StatusServiceUnavailable, "unavailable", "the service cannot reach its database; try again shortly")
}

// failed is the reply to an error of a domain package: the caller's fault, or the store's.
func (s *Server) failed(c *httpapi.Call, err error) httpapi.Reply {
	if own := (*graph.Error)(nil); errors.As(err, &own) {
		return httpapi.Refusal(err)
	}
	if e := (*sharedEnough)(nil); errors.As(err, &e) {
		c.Header().Set("Retry-After", strconv.FormatInt(int64(e.wait/time.Second), 10))
		return httpapi.Explained(http.StatusTooManyRequests, codeLimited, &action.ErrorBody{Error: e.Error(), Code: codeLimited, Limit: e.limit})
	}
	if e := (*share.RoomError)(nil); errors.As(err, &e) {
		status, code := http.StatusForbidden, "share-room"
		if e.Org == "" { // other callers took it
			status, code = http.StatusServiceUnavailable, "storage-full"
			c.Header().Set("Retry-After", "3600")
		}
		return httpapi.Explained(status, code, &action.ErrorBody{Error: e.Error(), Code: code, Limit: e.Limit})
	}
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return s.away(c, err)
	}
	s.fault("store", err, "id", c.ID())
	return httpapi.Refusal(err)
}
