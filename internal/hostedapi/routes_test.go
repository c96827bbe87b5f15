package hostedapi_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
)

// wrongKey has the form of a key and is none.
const wrongKey = "mv_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// TestEveryRouteAnswersAsTheContractSays tries each route with each kind of key and each fault, on both databases.
func TestEveryRouteAnswersAsTheContractSays(t *testing.T) {
	many := `{"model":{"components":[` + strings.TrimSuffix(strings.Repeat(`{"id":"x","type":"relu"},`, 2001), ",") + `],"connections":[]}}`
	candidates := `{"candidates":[` + strings.TrimSuffix(strings.Repeat(`{"model":`+model("", 3)+`},`, 21), ",") + `]}`
	ranked := `{"candidates":[{"model":` + model("", 3) + `},{"model":` + model("", 4) + `}]}`
	shape := `{"model":{"components":[{"id":"a","type":"input","params":{"shape":[0]}}],"connections":[]}}`
	outcome := `{"fingerprint":"0123abcd","metric":"val_acc","value":0.5}`
	cases := []struct {
		name, method, path, key, body string
		status                        int
		code                          string // of a refusal, or a part of the body
	}{
		{"check", "POST", "/api/v1/check", "good", request("", 3), 200, `"verdict":"ask"`},
		{"check without a key", "POST", "/api/v1/check", "", request("", 3), 401, "unauthorized"},
		{"check with a wrong key", "POST", "/api/v1/check", "wrong", request("", 3), 401, "unauthorized"},
		{"check with a revoked key", "POST", "/api/v1/check", "revoked", request("", 3), 401, "unauthorized"},
		{"check of no graph", "POST", "/api/v1/check", "good", `{}`, 400, "missing-field"},
		{"check of no JSON", "POST", "/api/v1/check", "good", `{"model"`, 400, "invalid-json"},
		{"check of too many components", "POST", "/api/v1/check", "good", many, 413, "too-many-components"},
		{"check of a malformed shape", "POST", "/api/v1/check", "good", shape, 422, "malformed-shape"},
		{"check by GET", "GET", "/api/v1/check", "good", "", 405, "method-not-allowed"},
		{"lint", "POST", "/api/v1/lint", "good", request("", 3), 200, `"verdict":"`},
		{"lint without a key", "POST", "/api/v1/lint", "", request("", 3), 401, "unauthorized"},
		{"lint of no graph", "POST", "/api/v1/lint", "good", `{"model":[]}`, 400, "wrong-type"},
		{"rank", "POST", "/api/v1/rank", "good", ranked, 200, `"ranked":[`},
		{"rank without a key", "POST", "/api/v1/rank", "", ranked, 401, "unauthorized"},
		{"rank of too many", "POST", "/api/v1/rank", "good", candidates, 413, "too-many-candidates"},
		{"rank of none", "POST", "/api/v1/rank", "good", `{"candidates":[]}`, 400, "missing-field"},
		{"plan", "POST", "/api/v1/plan", "good", request("", 3), 200, `"plan":{`},
		{"plan without a key", "POST", "/api/v1/plan", "", request("", 3), 200, `"plan":{`},
		{"plan with a wrong key", "POST", "/api/v1/plan", "wrong", request("", 3), 401, "unauthorized"},
		{"plan with a revoked key", "POST", "/api/v1/plan", "revoked", request("", 3), 401, "unauthorized"},
		{"plan with something else than a key", "POST", "/api/v1/plan", "x", request("", 3), 401, "unauthorized"},
		{"plan of no graph", "POST", "/api/v1/plan", "", `{}`, 400, "missing-field"},
		{"history", "GET", "/api/v1/history?fingerprint=0123abcd", "good", "", 200, `{"fingerprint":"0123abcd","rows":[]}`},
		{"history without a key", "GET", "/api/v1/history?fingerprint=0123abcd", "", "", 401, "unauthorized"},
		{"history of nothing", "GET", "/api/v1/history", "good", "", 400, "missing-field"},
		{"history of no fingerprint", "GET", "/api/v1/history?fingerprint=XYZ", "good", "", 422, "malformed-value"},
		{"an outcome without a key", "POST", "/api/v1/history", "", outcome, 401, "unauthorized"},
		{"an outcome without a metric", "POST", "/api/v1/history", "good", `{"fingerprint":"0123abcd","value":1}`, 400, "missing-field"},
		{"an outcome of the future", "POST", "/api/v1/history", "good", `{"fingerprint":"0123abcd","metric":"m","value":1,"at":"2999-01-01T00:00:00Z"}`, 422, "out-of-range"},
		{"report", "GET", "/api/v1/report", "", "", 200, `"structures":`},
		{"report by POST", "POST", "/api/v1/report", "", "{}", 405, "method-not-allowed"},
		{"train", "POST", "/api/v1/train", "good", `{"model":` + rows() + `,"dataset":"tabular"}`, 503, `{"error":"gpu_not_configured"}`},
		{"train of no graph", "POST", "/api/v1/train", "good", `{"model":{},"dataset":"mnist"}`, 400, "missing-field"},
		{"train on nothing", "POST", "/api/v1/train", "good", `{"model":` + rows() + `}`, 400, "missing-field"},
		{"train on what is not there", "POST", "/api/v1/train", "good", `{"model":` + rows() + `,"dataset":"imagenet"}`, 422, `"allowed":["cifar10","mnist","tabular"]`},
		{"train of what does not fit", "POST", "/api/v1/train", "good", `{"model":` + rows() + `,"dataset":"mnist"}`, 422, `{"error":"blocked","plan":{`},
		{"the jobs of who has none", "GET", "/api/v1/train", "good", "", 200, `{"jobs":[]}`},
		{"cancelling a job that is not there", "DELETE", "/api/v1/train?job=1", "good", "", 404, `{"error":"No such job under this key."}`},
		{"cancelling without a key", "DELETE", "/api/v1/train?job=1", "", "", 401, "unauthorized"},
		{"train without a key", "POST", "/api/v1/train", "", `{}`, 401, "unauthorized"},
		{"a job", "GET", "/api/v1/train?job=1", "good", "", 404, `{"error":"No such job under this key."}`},
		{"a job without a key", "GET", "/api/v1/train?job=1", "", "", 401, "unauthorized"},
		{"fix of nothing", "POST", "/api/v1/fix", "good", `{}`, 400, "missing-field"},
		{"fix of what nobody can", "POST", "/api/v1/fix", "good", `{"model":` + model("", 3) + `,"findings":[{"title":"x"}],"files":[]}`, 503, "provider-unavailable"},
		{"fix of what is whole", "POST", "/api/v1/fix", "good", `{"model":` + model("", 3) + `,"findings":[],"files":[]}`, 200, ""},
		{"fix without a key", "POST", "/api/v1/fix", "", `{}`, 401, "unauthorized"},
		{"removing a plan that is not there", "DELETE", "/api/v1/plans/aaaaaaaaaaaaaaaaaaaaaaaaaa", "good", "", 404, "not-found"},
		{"removing a plan without a key", "DELETE", "/api/v1/plans/aaaaaaaaaaaaaaaaaaaaaaaaaa", "", "", 401, "unauthorized"},
		{"a plan that is not there", "GET", "/p/aaaaaaaaaaaaaaaaaaaaaaaaaa", "", "", 404, "There is no plan"},
		{"nothing", "GET", "/api/v1/nothing", "good", "", 404, "not-found"},
		{"health", "GET", "/healthz", "", "", 200, `{"status":"ok"}`},
		{"readiness", "GET", "/readyz", "", "", 200, `{"status":"ready"}`},
		{"version", "GET", "/version", "", "", 200, `"name":"verifier-hosted"`},
		{"metrics, which are not for callers", "GET", "/metrics", "", "", 404, "not-found"},
		{"signing in", "GET", "/account/sign-in", "", "", 200, "Sign in"},
	}
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		id, revoked := s.newKey(t, o, "revoked")
		if err := s.hosts.Accounts.RevokeKey(context.Background(), o.org, o.person, id); err != nil {
			t.Fatal(err)
		}
		keys := map[string]string{"good": o.key, "wrong": wrongKey, "revoked": revoked, "x": "hello", "": ""}
		for _, c := range cases {
			got := s.call(t, c.method, c.path, keys[c.key], c.body)
			if got.status != c.status || !strings.Contains(got.body, c.code) {
				t.Errorf("%s: status %d, want %d with %q: %.300s", c.name, got.status, c.status, c.code, got.body)
			}
			if got.header.Get("X-Request-Id") == "" || got.header.Get("X-Frame-Options") != "DENY" || got.header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || strings.Contains(got.header.Get("Content-Security-Policy"), "unsafe") {
				t.Errorf("%s: headers %v", c.name, got.header)
			}
			if (got.status == 401) != (got.header.Get("WWW-Authenticate") != "") {
				t.Errorf("%s: status %d with WWW-Authenticate %q", c.name, got.status, got.header.Get("WWW-Authenticate"))
			}
			if strings.Contains(got.body, "hosted_only") {
				t.Errorf("%s: has hosted_only", c.name)
			}
		}
	})
}

func TestMissingWrongAndRevokedKeysAreAnsweredAlike(t *testing.T) {
	both(t, func(t *testing.T, database string) {
		s := start(t, database)
		o := s.tenant(t, "Alpha")
		if got := s.call(t, "POST", "/api/v1/lint", o.key, request("", 3)); got.status != 200 {
			t.Fatalf("the key does not work: %d %s", got.status, got.body)
		}
		if err := s.hosts.Accounts.RevokeKey(context.Background(), o.org, o.person, o.keyID); err != nil {
			t.Fatal(err)
		}
		s.clock.Pass(1e9) // a second later
		want := s.call(t, "POST", "/api/v1/lint", "", request("", 3))
		for name, headers := range map[string][]string{
			"wrong": {"Authorization", "Bearer " + wrongKey}, "revoked": {"Authorization", "Bearer " + o.key}, "no key": {"Authorization", "Bearer"}, "basic": {"Authorization", "Basic " + o.key},
			"two": {"Authorization", "Bearer " + o.key, "Authorization", "Bearer " + o.key}, "long": {"Authorization", "Bearer " + strings.Repeat("x", 9000)},
		} {
			got := s.call(t, "POST", "/api/v1/lint", "", request("", 3), headers...)
			if got.status != 401 || got.body != want.body || got.header.Get("WWW-Authenticate") != want.header.Get("WWW-Authenticate") {
				t.Errorf("%s: %d %s, want %s", name, got.status, got.body, want.body)
			}
		}
	})
}

func TestTheBareHostSendsToTheOther(t *testing.T) {
	s := start(t, accounttest.SQLite(t), func(c *hostedapi.Config) {
		c.ApexHost, c.WWWHost, c.PublicURL = "example.org", "www.example.org", "https://www.example.org"
	})
	for _, path := range []string{"/api/v1/check", "/api/v1/report?a=b", "/api/v1/nothing", "/api//evil.example/x"} {
		for _, host := range []string{"example.org", "EXAMPLE.org:443", "example.org."} {
			for _, method := range []string{"GET", "POST"} {
				got := s.call(t, method, path, wrongKey, "", "Host", host)
				if got.status != 307 || got.header.Get("Location") != "https://www.example.org"+path {
					t.Errorf("%s %s at %s: %d to %q", method, path, host, got.status, got.header.Get("Location"))
				}
			}
		}
	}
	for _, target := range []string{"x:.evil.example/", "http:.evil.example", "http://evil.example/a?b", "http:@evil.example/", "*", "//evil.example/%2e%2e", "http://example.org"} {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "OPTIONS "+target+" HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(resp.Header.Get("Location"))
		if resp.StatusCode == 307 && (err != nil || to.Scheme != "https" || to.Host != "www.example.org" || to.User != nil) {
			t.Errorf("%s leads to %q", target, resp.Header.Get("Location"))
		}
	}
	if got := s.call(t, "GET", "/healthz", "", "", "Host", "example.org"); got.status != 200 {
		t.Errorf("a probe: %d", got.status)
	}
	got := s.call(t, "POST", "/api/v1/check", "", "{}", "Host", "www.example.org")
	if got.status != 401 || got.header.Get("Strict-Transport-Security") == "" {
		t.Errorf("the other host: %d %v", got.status, got.header)
	}
	plain := start(t, accounttest.SQLite(t))
	if got := plain.call(t, "POST", "/api/v1/check", "", "{}", "Host", "example.org"); got.status != 401 || got.header.Get("Strict-Transport-Security") != "" {
		t.Errorf("nothing configured: %d %v", got.status, got.header)
	}
}

func TestWrongConfigurationIsRefused(t *testing.T) {
	for _, url := range []string{"", "example.org", "ftp://example.org", "https://example.org/x", "https://u:p@example.org"} {
		if _, err := hostedapi.New(hostedapi.Config{PublicURL: url}); err == nil || !strings.Contains(err.Error(), "https://www.example.org") {
			t.Errorf("%q: %v", url, err)
		}
	}
	for _, list := range []string{"10.0.0.0/33", "example.org", "10.0.0.1;10.0.0.2"} {
		if _, err := hostedapi.ParseProxies(list); err == nil {
			t.Errorf("%q is taken", list)
		}
	}
	if _, err := hostedapi.ParseProxies(" 10.0.0.0/8, 192.0.2.1,,2001:db8::/32 "); err != nil {
		t.Error(err)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	s := start(t, accounttest.SQLite(t))
	o := s.tenant(t, "Alpha")
	huge := `{"x":"` + strings.Repeat("x", 9<<20) + `"}`
	for _, path := range []string{"check", "lint", "rank", "plan", "history"} {
		if got := s.call(t, "POST", "/api/v1/"+path, o.key, huge); got.status != 413 {
			t.Errorf("%s: %d", path, got.status)
		}
		if got := s.call(t, "POST", "/api/v1/"+path, o.key, "{}", "Content-Encoding", "gzip"); got.status != 415 {
			t.Errorf("%s compressed: %d", path, got.status)
		}
	}
}
