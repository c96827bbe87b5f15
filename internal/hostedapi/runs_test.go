package hostedapi_test

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
)

const form = "application/x-www-form-urlencoded"

// TestTheAppSeesRunsByItsCookie submits a run with a key and follows it as a browser does: without one.
func TestTheAppSeesRunsByItsCookie(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o, other := s.tenant(t, "Alpha"), s.tenant(t, "Beta")
	w := s.trainer(t, "one", `"cpu":true`)
	id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	at, cookie := "/settings/"+o.org, func(session string) []string { return []string{"Cookie", "session=" + session} }

	if got := good(t, s.call(t, "GET", "/account/session.json", "", "")); got.json(t, "signedIn") != false || got.json(t, "runs") != true {
		t.Errorf("nobody: %s", got.body)
	}
	if got := good(t, s.call(t, "GET", "/account/session.json", "", "", cookie(o.session)...)); got.json(t, "signedIn") != true || !strings.Contains(got.body, o.org) || strings.Contains(got.body, other.org) {
		t.Errorf("session: %s", got.body)
	}
	if got := s.call(t, "GET", "/account/runs", "", ""); got.status != 303 || got.header.Get("Location") != "/account/sign-in?next=%2Faccount%2Fruns" {
		t.Errorf("the way to sign in: %d %v", got.status, got.header)
	}
	if got := s.call(t, "GET", "/account/runs", "", "", cookie(o.session)...); got.status != 303 || got.header.Get("Location") != "/settings" {
		t.Errorf("signed in, without an app: %d %v", got.status, got.header)
	}
	list := good(t, s.call(t, "GET", at+"/runs.json", "", "", cookie(o.session)...))
	if !strings.Contains(list.body, id) || !strings.HasPrefix(list.header.Get("Content-Type"), "application/json") || list.header.Get("Cache-Control") != "no-store" {
		t.Errorf("list: %v %s", list.header, list.body)
	}
	w.take(t, `"cpu":true`).complete(t, "0.5")
	got := good(t, s.call(t, "GET", at+"/runs/"+id, "", "", cookie(o.session)...))
	if got.json(t, "status") != "completed" || got.json(t, "model_url") == nil || got.json(t, "planned_usd") == nil || got.json(t, "cancelling") != false {
		t.Errorf("job: %s", got.body)
	}
	weights := s.call(t, "GET", strings.TrimPrefix(got.json(t, "model_url").(string), s.url), "", "")
	if weights.status != 200 {
		t.Errorf("weights: %d %.100s", weights.status, weights.body)
	}
	if got := good(t, s.call(t, "GET", at+"/outcomes.json?fingerprint="+got.json(t, "fingerprint").(string), "", "", cookie(o.session)...)); !strings.Contains(got.body, `"value":0.5`) {
		t.Errorf("outcomes: %s", got.body)
	}
	if got := s.call(t, "GET", at+"/outcomes.json?fingerprint=xyz", "", "", cookie(o.session)...); got.status != 422 {
		t.Errorf("a fingerprint that is none: %d %s", got.status, got.body)
	}
}

// TestRunsAreForThoseWhoMaySeeThem asks as everybody who may not, and from another site.
func TestRunsAreForThoseWhoMaySeeThem(t *testing.T) {
	s := start(t, accounttest.SQLite(t), training(t))
	o, other := s.tenant(t, "Alpha"), s.tenant(t, "Beta")
	s.trainer(t, "one", `"cpu":true`)
	id := good(t, s.call(t, "POST", "/api/v1/train", o.key, submission(""))).json(t, "job_id").(string)
	viewer := s.hire(t, o, "viewer@example.com", account.Viewer)
	at := "/settings/" + o.org
	for _, c := range []struct {
		method, path, session string
		headers               []string
		status                int
	}{
		{"GET", at + "/runs.json", "", nil, 401},
		{"GET", at + "/runs/" + id, "", nil, 401},
		{"GET", at + "/outcomes.json?fingerprint=0123abcd", "", nil, 401},
		{"GET", at + "/runs.json", other.session, nil, 404},
		{"GET", at + "/runs/" + id, other.session, nil, 404},
		{"GET", "/settings/" + other.org + "/runs/" + id, other.session, nil, 404},
		{"POST", "/settings/" + other.org + "/runs/" + id + "/cancel", other.session, []string{"Content-Type", form}, 404},
		{"GET", at + "/runs/nothing", o.session, nil, 404},
		{"GET", at + "/runs.json", viewer, nil, 200},
		{"POST", at + "/runs/" + id + "/cancel", viewer, []string{"Content-Type", form}, 403},
		{"POST", at + "/runs/" + id + "/cancel", o.session, []string{"Content-Type", form, "Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", at + "/runs/" + id + "/cancel", o.session, []string{"Content-Type", form, "Sec-Fetch-Site", "same-origin"}, 200},
	} {
		headers := c.headers
		if c.session != "" {
			headers = append(headers, "Cookie", "session="+c.session)
		}
		if got := s.call(t, c.method, c.path, "", "", headers...); got.status != c.status || c.status != 200 && strings.Contains(got.body, id) {
			t.Errorf("%s %s: %d, want %d: %.200s", c.method, c.path, got.status, c.status, got.body)
		}
	}
	if got := good(t, s.call(t, "GET", "/api/v1/train?job="+id, o.key, "")); got.json(t, "status") != "cancelled" {
		t.Errorf("%s", got.body)
	}
}

// TestAServiceWithoutJobsSaysSo has the app hide what is not there.
func TestAServiceWithoutJobsSaysSo(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	o := s.tenant(t, "Alpha")
	if got := good(t, s.call(t, "GET", "/account/session.json", "", "", "Cookie", "session="+o.session)); got.json(t, "runs") != false {
		t.Errorf("%s", got.body)
	}
}

// hire adds somebody to an organisation and returns their session.
func (s *service) hire(t *testing.T, o tenant, email string, role account.Role) string {
	t.Helper()
	link := accounttest.Must[string](t)(s.hosts.Accounts.Invite(t.Context(), o.org, o.person, email, role))
	return accounttest.Must[string](t)(s.hosts.Accounts.SignUp(t.Context(), link, string(role), password))
}
