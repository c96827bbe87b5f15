package hostedapi_test

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/web"
)

// TestTheAppIsServedBesideTheAPI: below its own path, to everybody, with its own policy.
func TestTheAppIsServedBesideTheAPI(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) { c.App = web.Handler() })
	for path, want := range map[string]struct {
		status int
		has    string
	}{
		"/app/": {200, `<div id="root">`}, "/app/index.html": {200, `<div id="root">`}, "/app/icon.svg": {200, "<svg"}, "/app": {301, ""}, "/app/none": {404, "nothing here"},
	} {
		got := s.call(t, "GET", path, "", "")
		if got.status != want.status || !strings.Contains(got.body, want.has) {
			t.Errorf("%s answers %d %.200s", path, got.status, got.body)
		}
		if policy := got.header.Get("Content-Security-Policy"); want.status == 200 && policy != web.Policy {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	if got := s.call(t, "POST", "/app/", "", "{}"); got.status != 405 {
		t.Errorf("POST answers %d", got.status)
	}
}
