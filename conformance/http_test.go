package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/all"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// server runs the container's own handler on a loopback address.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	h := httpapi.New(httpapi.Config{
		Build: httpapi.Build{Name: "verifier-server", Version: "test"}, Actions: httpapi.Actions(), Limits: httpapi.Defaults(),
		Counts: telemetry.New("test"), Log: slog.New(slog.DiscardHandler),
	})
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// ask sends a request and returns the answer.
func ask(t *testing.T, s *httptest.Server, method, path, kind string, body []byte) (*http.Response, []byte) {
	t.Helper()
	return askWith(t, s, method, path, kind, "", body)
}

// askWith is the same under a key, where there is one.
func askWith(t *testing.T, s *httptest.Server, method, path, kind, key string, body []byte) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, data
}

// hostedOnly is the end of every JSON answer of the container, as section 4 of the specification names what it cannot do.
const hostedOnly = `"hosted_only":["mint a shared /p/<id> plan URL","attach organisation outcome history","record a corpus row","create a citable verification badge"]}`

// withoutHostedOnly takes the container's addition off: it is the last member of every body.
func withoutHostedOnly(t *testing.T, name string, body []byte) []byte {
	t.Helper()
	rest, ok := bytes.CutSuffix(bytes.TrimSuffix(body, []byte("\n")), []byte(hostedOnly))
	if !ok {
		t.Errorf("%s: hosted_only is not the last member: …%s", name, body[max(0, len(body)-200):])
		return body
	}
	return append(bytes.TrimSuffix(rest, []byte(",")), '}')
}

func TestTheServerAnswersTheSameBytes(t *testing.T) {
	s := server(t)
	for _, c := range load(t) {
		body := bodyOf(t, c)
		resp, got := ask(t, s, http.MethodPost, "/v1/"+c.Action, "application/json", body)
		got = withoutHostedOnly(t, c.Name, got)
		if resp.StatusCode != c.Status || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: status %d, %s, want %d: %.300s", c.Name, resp.StatusCode, resp.Header.Get("Content-Type"), c.Status, got)
			continue
		}
		for _, d := range c.Match(got) {
			t.Errorf("%s: %s", c.Name, d)
		}
		if _, want := answer(t, c); !bytes.Equal(got, want) && !tooLarge(got) {
			t.Errorf("%s: %.300s, the action says %.300s", c.Name, got, want)
		}
	}
}

// tooLarge reports whether the server refused a body before it had read it all, and so in words of its own.
func tooLarge(answer []byte) bool { return bytes.Contains(answer, []byte(`"code":"too-large"`)) }

func TestHostedOnlyIsInEveryJSONResponse(t *testing.T) {
	s := server(t)
	for _, path := range []string{"/version", "/healthz", "/metrics/preview", "/nowhere", "/v1/check"} {
		resp, body := ask(t, s, http.MethodGet, path, "", nil)
		if want := map[string]int{"/nowhere": 404, "/v1/check": 405}[path]; want != 0 && resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
		withoutHostedOnly(t, path, body)
	}
	resp, body := ask(t, s, http.MethodPost, "/v1/check", "text/plain", []byte(`{}`))
	if resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("text: status %d", resp.StatusCode)
	}
	withoutHostedOnly(t, "text", body)
}

func TestNoKeyIsNeededAndNoneIsLookedAt(t *testing.T) {
	s := server(t)
	body := []byte(`{"model":{"components":[]}}`)
	r, err := http.NewRequest(http.MethodPost, s.URL+"/v1/lint", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer wrong")
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("a wrong key: status %d", resp.StatusCode)
	}
}

func TestTheServerServesEveryAction(t *testing.T) {
	var want, got []string
	for _, a := range all.Actions {
		want = append(want, a.Name+" /v1/"+a.Name)
	}
	for _, a := range httpapi.Actions() {
		got = append(got, a.Name+" "+a.Path)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPagesOfTheContainerHaveTheirFields(t *testing.T) {
	s := server(t)
	for path, want := range map[string]string{
		"/version":         `{"name":"verifier-server","version":"test","commit":"*string*","ruleSet":"*string*","bundles":["*each*",{"name":"*string*","sha256":"*string*"}]}`,
		"/healthz":         `{"status":"ok","telemetry":"off"}`,
		"/metrics/preview": `{"mode":"off","endpoint":null,"payload":"*object*"}`,
	} {
		resp, body := ask(t, s, http.MethodGet, path, "", nil)
		c := &Case{Name: path, By: Hand, Response: json.RawMessage(want)}
		for _, d := range c.Match(withoutHostedOnly(t, path, body)) {
			t.Errorf("%s %d: %s", path, resp.StatusCode, d)
		}
	}
	if _, body := ask(t, s, http.MethodGet, "/metrics", "", nil); !strings.Contains(string(body), "# HELP") {
		t.Errorf("/metrics: %.200s", body)
	}
}
