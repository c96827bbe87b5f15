package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const key = "mv_secretsecretsecret"

// serve answers every request with one answer, and counts them.
func serve(t *testing.T, answer http.HandlerFunc) (*Client, *[]*http.Request) {
	t.Helper()
	var seen []*http.Request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	c, err := New(s.URL, key, "test")
	if err != nil {
		t.Fatal(err)
	}
	return c, &seen
}

func say(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestTheKeyIsSentToNobodyElse(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c, seen := serve(t, say(status, "", "Location", other.URL+"/api/v1/train"))
		for _, call := range []func() error{
			func() error { _, err := c.Train(t.Context(), []byte("{}"), nil); return err }, func() error { _, _, err := c.Job(t.Context(), "j"); return err },
			func() error { _, _, err := c.Jobs(t.Context(), ""); return err }, func() error { _, _, err := c.Cancel(t.Context(), "j"); return err },
		} {
			err := call()
			if err == nil || !strings.Contains(err.Error(), other.URL) || !strings.Contains(err.Error(), "--server") || strings.Contains(err.Error(), key) {
				t.Errorf("%d: %v", status, err)
			}
		}
		if len(*seen) != 4 || elsewhere != 0 {
			t.Errorf("%d: %d requests, %d elsewhere", status, len(*seen), elsewhere)
		}
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		says    string
		blocked bool
	}{
		{"a wrong key", say(401, `{"error":"x","code":"unauthorized"}`), "VERIFIER_API_KEY", false},
		{"nobody to run it", say(503, `{"error":"gpu_not_configured"}`), "verifier-worker", false},
		{"nobody with the dataset", say(503, `{"error":"gpu_not_configured"}`, "Retry-After", "1"), "has its dataset: verifier-worker data brings it", false},
		{"a limit", say(429, `{"error":"2 of 2 jobs have not ended","code":"jobs-in-flight","limit":2,"used":2}`, "Retry-After", "30"), "2 of 2 jobs have not ended; try again in 30 s", false},
		{"an unknown dataset", say(422, `{"error":"dataset: is \"x\" but must be one of cifar10","code":"unknown-value"}`), "must be one of cifar10", false},
		{"a design that is blocked", say(422, `{"error":"blocked","plan":{},"text":"plan  does not run"}`), "nothing was booked", true},
		{"a page", say(502, `<html>`), "502: Bad Gateway", false},
		{"another service", say(200, `<html>`), "does not answer as the service does", false},
	} {
		client, _ := serve(t, c.answer)
		client.patience = 0
		_, err := client.Train(t.Context(), []byte("{}"), nil)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want …%s…", c.name, err, c.says)
		}
		b := (*Blocked)(nil)
		if errors.As(err, &b) != c.blocked || c.blocked && b.Text != "plan  does not run" {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
	gone, err := New("http://127.0.0.1:1", key, "test")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := gone.Job(t.Context(), "j"); !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody there: %v", err)
	}
}

func TestWhatIsNoServerOrNoKeyIsRefused(t *testing.T) {
	for _, c := range []struct{ server, key, says string }{
		{"", key, "VERIFIER_URL"}, {"example.org", key, "a scheme and a host"}, {"ftp://example.org", key, "a scheme and a host"}, {"https://example.org/api/v1", key, "a scheme and a host"},
		{"https://u:p@example.org", key, "a scheme and a host"}, {"https://example.org?x=1", key, "a scheme and a host"}, {"https://example.org", "", "VERIFIER_API_KEY"},
		{"https://example.org", " \n", "VERIFIER_API_KEY"}, {"https://example.org", "a\r\nb", "no key"},
	} {
		if _, err := New(c.server, c.key, ""); err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), key) {
			t.Errorf("%q %q: %v", c.server, c.key, err)
		}
	}
	for _, server := range []string{"https://www.example.org", "https://www.example.org/", "http://localhost:8080"} {
		if c, err := New(server, key+"\n", ""); err != nil || c.Server() != strings.TrimSuffix(server, "/") {
			t.Errorf("%s: %v", server, err)
		}
	}
}

func TestAnswersAreRead(t *testing.T) {
	c, seen := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			say(200, `{"job_id":"j1","mode":"gpu","backend":"workers","config":{"epochs":3,"batchSize":128,"lr":0.001,"optimizer":"adam"},"plan":{"version":1},"text":"t"}`)(w, r)
		case r.URL.Query().Has("job"):
			say(200, `{"job_id":"j1","status":"running","epochs":[{"epoch":1,"trainLoss":0.5,"valLoss":0.4,"valAcc":0.9}],"est_cost_usd":0.25,"wall_sec":1.5}`)(w, r)
		default:
			say(200, `{"jobs":[{"job_id":"j2"}],"next":"j2"}`)(w, r)
		}
	})
	sent, err := c.Train(t.Context(), []byte(`{"dataset":"mnist"}`), nil)
	if err != nil || sent.JobID != "j1" || sent.Config.Epochs != 3 || !strings.Contains(string(sent.Body), `"plan":{"version":1}`) {
		t.Errorf("%+v, %v", sent, err)
	}
	for _, read := range []func() (string, error){
		func() (string, error) { j, _, err := c.Job(t.Context(), "a b&c"); return j.Status, err }, func() (string, error) { j, _, err := c.Cancel(t.Context(), "j1"); return j.Status, err },
	} {
		if status, err := read(); err != nil || status != "running" {
			t.Errorf("%s, %v", status, err)
		}
	}
	page, _, err := c.Jobs(t.Context(), "x")
	if err != nil || page.Next != "j2" || len(page.Jobs) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
	for i, want := range []string{"POST /api/v1/train", "GET /api/v1/train?job=a+b%26c", "DELETE /api/v1/train?job=j1", "GET /api/v1/train?after=x"} {
		r := (*seen)[i]
		if got := r.Method + " " + r.URL.String(); got != want || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestARunIsAskedForAgainUntilAWorkerHasItsDataset(t *testing.T) {
	asked, told := 0, 0
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked < 3 {
			say(503, `{"error":"gpu_not_configured"}`, "Retry-After", "1")(w, r)
			return
		}
		say(200, `{"job_id":"j1"}`)(w, r)
	})
	if sent, err := c.Train(t.Context(), []byte("{}"), func() { told++ }); err != nil || sent.JobID != "j1" || asked != 3 || told != 1 {
		t.Errorf("%+v, %v, asked %d times, told %d", sent, err, asked, told)
	}
	c, seen := serve(t, say(503, `{"error":"gpu_not_configured"}`))
	if _, err := c.Train(t.Context(), []byte("{}"), func() { told++ }); err == nil || len(*seen) != 1 || told != 1 {
		t.Errorf("without a worker: %v, asked %d times, told %d", err, len(*seen), told)
	}
	ctx, stop := context.WithCancel(t.Context())
	c, _ = serve(t, say(503, `{"error":"gpu_not_configured"}`, "Retry-After", "3600"))
	if _, err := c.Train(ctx, []byte("{}"), stop); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
