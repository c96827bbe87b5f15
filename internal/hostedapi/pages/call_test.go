package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store"
)

func TestEveryErrorHasItsPage(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		title  string
		logged bool
	}{
		{account.ErrNotFound, 404, "Nothing is here", false},
		{share.ErrNotFound, 404, "Nothing is here", false},
		{account.ErrDenied, 403, "Your role does not allow this", false},
		{account.ErrLink, 404, "This link does not work", false},
		{errBody, 400, "The form could not be read", false},
		{fmt.Errorf("%w: dial", account.ErrProvider), 503, "The identity provider does not answer", true},
		{fmt.Errorf("%w: code 53100", store.ErrFull), 503, "Our disk is full", true},
		{fmt.Errorf("%w: refused", store.ErrUnavailable), 503, "Not available at the moment", true},
		{fmt.Errorf("account: hash: %w", context.DeadlineExceeded), 503, "Not available at the moment", true},
		{errors.New("something inside"), 500, "Something went wrong here", true},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		h := &handler{Deps: Deps{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		(&call{handler: h, w: w, r: httptest.NewRequest("GET", "/settings", nil)}).fail(c.err)
		if w.Code != c.status || !strings.Contains(w.Body.String(), "<h1>"+c.title+"</h1>") {
			t.Errorf("%v: status %d\n%s", c.err, w.Code, w.Body)
		}
		if (w.Header().Get("Retry-After") != "") != (c.status == 503) {
			t.Errorf("%v: Retry-After is %q", c.err, w.Header().Get("Retry-After"))
		}
		if (log.Len() > 0) != c.logged {
			t.Errorf("%v: the log says %q", c.err, &log)
		}
		if c.logged && strings.Contains(w.Body.String(), c.err.Error()) {
			t.Errorf("%v is shown to everybody", c.err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	(&call{handler: &handler{}, w: w, r: httptest.NewRequest("GET", "/settings", nil).WithContext(ctx)}).fail(ctx.Err())
	if w.Body.Len() > 0 {
		t.Error("a page for somebody who has gone")
	}
}
