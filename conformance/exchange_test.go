package conformance

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/site"
)

// exchange is one request to the hosted service and what is expected of it. Those of a folder are sent in the order of their names.
type exchange struct {
	Case
	Method string            `json:"method"`
	Path   string            `json:"path"`
	Key    string            `json:"key"`              // good, wrong, other (of another organisation) or none
	Real   bool              `json:"real,omitempty"`   // rests on a run that was really computed
	Before string            `json:"before,omitempty"` // what happens first: one of steps
	Host   string            `json:"host,omitempty"`   // that of the service where it is left out
	Header map[string]string `json:"header,omitempty"` // of the answer
	// Provider is the transcript from which the language model answers, of hosted/provider; nobody: there is one, which is not asked.
	// Left out: the service has none.
	Provider string `json:"provider,omitempty"`
}

// exchanges reads those of the folder hosted.
func exchanges(t *testing.T) []*exchange {
	t.Helper()
	files, err := filepath.Glob("hosted/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no exchanges: %v", err)
	}
	var out []*exchange
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e := &exchange{}
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(e); err != nil || e.Name+".json" != filepath.Base(file) {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, e)
	}
	return out
}

// published runs the service with its pages and a bare host.
func published(t *testing.T, change ...func(*hostedapi.Config, *stage)) (s *httptest.Server, keys map[string]string, at *stage) {
	t.Helper()
	pages, err := site.New(site.Config{BaseURL: "http://www.apex.example"})
	if err != nil {
		t.Fatal(err)
	}
	c := hostedapi.Config{
		Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: accounttest.Open(t, accounttest.SQLite(t)), PublicURL: "http://www.apex.example",
		ApexHost: "apex.example", Site: pages, KeyRate: 1_000_000, PlanRate: 1_000_000, Hasher: accounttest.Hasher(t), Log: slog.New(slog.DiscardHandler),
	}
	at = &stage{t: t, jobs: withJobs(t, &c)}
	for _, f := range change {
		f(&c, at)
	}
	h, err := hostedapi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	keys = map[string]string{"none": ""}
	for _, name := range []string{"Beta", "Alpha"} {
		org, owner, _ := accounttest.Found(t, h.Accounts, name, "owner@"+strings.ToLower(name)+".example")
		if _, keys[name], err = h.Accounts.CreateKey(t.Context(), org, owner.ID, "test"); err != nil {
			t.Fatal(err)
		}
		at.org = org
	}
	keys["good"], keys["other"] = keys["Alpha"], keys["Beta"]
	keys["wrong"] = keys["good"][:len(keys["good"])-4] + "AAAA"
	s = httptest.NewServer(h)
	t.Cleanup(s.Close)
	at.url = s.URL
	return s, keys, at
}

// TestTheServiceAnswersAsWritten sends the exchanges: keys, history, the corpus in numbers, the bare host, the indexes.
func TestTheServiceAnswersAsWritten(t *testing.T) {
	s, keys, at := published(t)
	_, made := askWith(t, s, http.MethodPost, "/api/v1/plan", "application/json", "", fingerprinted(t))
	var plan struct {
		Plan struct{ Model struct{ Fingerprint string } }
	}
	if err := json.Unmarshal(made, &plan); err != nil || plan.Plan.Model.Fingerprint == "" {
		t.Fatalf("%v: %s", err, made)
	}
	real := true
	for _, e := range exchanges(t) {
		if e.Provider != "" {
			continue // see TestFixAnswersAsWrittenInBothFormats
		}
		if !at.take(e.Before) {
			t.Logf("%s: this machine has no PyTorch, or no dataset", e.Name)
			real = false
		}
		if !real && e.Real {
			continue
		}
		fill := strings.NewReplacer("{fingerprint}", plan.Plan.Model.Fingerprint, "{job}", at.job)
		got := e.send(t, s, keys, fill)
		if id := jobIn(got); e.Method == http.MethodPost && id != "" {
			at.job = id
		}
	}
}

// send sends an exchange, compares what comes back, and returns it.
func (e *exchange) send(t *testing.T, s *httptest.Server, keys map[string]string, fill *strings.Replacer) []byte {
	t.Helper()
	r, err := http.NewRequest(e.Method, s.URL+fill.Replace(e.Path), bytes.NewReader(e.body(t, fill)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if e.Host != "" {
		r.Host = e.Host
	}
	if k := keys[e.Key]; k != "" {
		r.Header.Set("Authorization", "Bearer "+k)
	}
	resp, err := http.DefaultTransport.RoundTrip(r) // follows nothing
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != e.Status {
		t.Errorf("%s: status %d, want %d: %.2000s", e.Name, resp.StatusCode, e.Status, got)
		return nil
	}
	for name, want := range e.Header {
		if resp.Header.Get(name) != want {
			t.Errorf("%s: %s is %q, want %q", e.Name, name, resp.Header.Get(name), want)
		}
	}
	if e.Response != nil {
		for _, d := range e.Match(got) {
			t.Errorf("%s: %s", e.Name, d)
		}
	}
	return got
}

// body is what is sent, with its repetitions written out.
func (e *exchange) body(t *testing.T, fill *strings.Replacer) []byte {
	t.Helper()
	if e.Request == nil {
		return nil
	}
	body, err := e.Body()
	if err != nil {
		t.Fatal(err)
	}
	return []byte(fill.Replace(string(body)))
}

// fingerprinted is the request of the exchange whose model the history is of.
func fingerprinted(t *testing.T) []byte {
	t.Helper()
	for _, e := range exchanges(t) {
		if e.Name == "history-7-plan-with-key" {
			return e.Request
		}
	}
	t.Fatal("no exchange asks for a plan with a key")
	return nil
}
