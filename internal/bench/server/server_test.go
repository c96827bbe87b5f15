package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/env"
)

func call(t *testing.T, base, method, path, body string) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s %s: %v: %s", method, path, err, data)
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s %s: %s", method, path, kind)
	}
	return resp.StatusCode, out
}

func started(t *testing.T, limits env.Limits) string {
	t.Helper()
	s := httptest.NewServer(New(limits))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnEpisodeOverHTTP(t *testing.T) {
	url := started(t, env.Defaults)
	p, err := bench.Find("repair/test/4")
	if err != nil {
		t.Fatal(err)
	}
	if status, got := call(t, url, "GET", "/tasks/repair/test/4", ""); status != 200 || got["prompt"] != p.Task.Prompt || got["reference"] != nil {
		t.Errorf("%d %v", status, got)
	}
	status, got := call(t, url, "GET", "/tasks?family=repair&split=test&from=4&n=2", "")
	if tasks, _ := got["tasks"].([]any); status != 200 || len(tasks) != 2 || got["next"] != 6.0 {
		t.Errorf("%d %v", status, got)
	}
	status, got = call(t, url, "POST", "/grade", `{"task":"repair/test/4","answer":`+string(p.Reference)+`}`)
	if status != 200 || got["passed"] != true || got["quality"] == nil {
		t.Errorf("%d %v", status, got)
	}
	status, got = call(t, url, "POST", "/episodes", `{"task":"repair/test/4"}`)
	if status != 200 || got["episode"] != "e1" {
		t.Fatalf("%d %v", status, got)
	}
	status, got = call(t, url, "POST", "/episodes/e1/steps", string(p.Reference))
	if status != 200 || got["done"] != false || got["reward"].(float64) < 0.5 {
		t.Errorf("%d %v", status, got)
	}
	status, got = call(t, url, "POST", "/episodes/e1/steps", `{"submit":true}`)
	if grade, _ := got["grade"].(map[string]any); status != 200 || got["done"] != true || grade["passed"] != true {
		t.Errorf("%d %v", status, got)
	}
	if status, got = call(t, url, "POST", "/episodes", `{"task":"repair/test/4"}`); got["episode"] != "e2" {
		t.Errorf("%d %v", status, got)
	}
	if status, got = call(t, url, "DELETE", "/episodes/e2", ""); status != 200 || got["closed"] != true {
		t.Errorf("%d %v", status, got)
	}
	if status, got = call(t, url, "GET", "/", ""); status != 200 || got["families"] == nil {
		t.Errorf("%d %v", status, got)
	}
}

// TestBadRequestsAreExplained has every refusal say its code, what is wrong, and what is allowed.
func TestBadRequestsAreExplained(t *testing.T) {
	url := started(t, env.Limits{Episodes: 1, Steps: 2})
	if status, got := call(t, url, "POST", "/episodes", `{"task":"repair/test/0"}`); status != 200 {
		t.Fatal(got)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		code, says         string
	}{
		{"GET", "/tasks?family=repiar", "", 422, "unknown-value", "did you mean repair?"},
		{"GET", "/tasks?split=all", "", 422, "unknown-value", "train, dev, test"},
		{"GET", "/tasks?n=many", "", 400, "wrong-type", "whole number"},
		{"GET", "/tasks?n=100000", "", 422, "out-of-range", "n: is 100000"},
		{"GET", "/tasks?from=-1", "", 422, "out-of-range", "from"},
		{"GET", "/tasks/repair/test/x", "", 422, "out-of-range", "999999999"},
		{"GET", "/tasks/repair/test", "", 404, "not-found", "are served"},
		{"POST", "/tasks", "", 405, "method-not-allowed", "takes GET"},
		{"GET", "/grade", "", 405, "method-not-allowed", "takes POST"},
		{"PUT", "/episodes/e1", "", 405, "method-not-allowed", "takes DELETE"},
		{"POST", "/grade", "not JSON", 400, "invalid-json", "not JSON"},
		{"POST", "/grade", `{"task":"repair/test/0"}`, 400, "missing-field", "answer"},
		{"POST", "/grade", `{"answer":{}}`, 400, "missing-field", "repair/test/0"},
		{"POST", "/grade", `{"task":"repair/test/0","anwser":{}}`, 422, "unknown-value", "did you mean answer?"},
		{"POST", "/episodes", `{"task":["repair/test/0"]}`, 400, "wrong-type", "string"},
		{"POST", "/episodes", `{"task":"repair/test/0"}`, 429, "too-many-episodes", "submit or close one"},
		{"POST", "/episodes/e9/steps", `{"submit":true}`, 404, "unknown-episode", "e9"},
		{"POST", "/episodes/e1/steps", `{"sumbit":true}`, 422, "unknown-value", "did you mean submit?"},
		{"POST", "/episodes/e1/steps", `{"edits":"none"}`, 400, "wrong-type", "edits"},
		{"DELETE", "/episodes/x", "", 404, "unknown-episode", "x"},
		{"GET", "/nowhere", "", 404, "not-found", "GET /tasks"},
	} {
		status, got := call(t, url, c.method, c.path, c.body)
		if text, _ := got["error"].(string); status != c.status || !strings.Contains(text, c.says) || c.code != "" && got["code"] != c.code {
			t.Errorf("%s %s %s: %d %v, want %d %s %q", c.method, c.path, c.body, status, got, c.status, c.code, c.says)
		}
	}
	// An answer that cannot be read is graded: zero with the reason.
	for _, answer := range []string{`"no JSON"`, `{}`, `[]`, `7`, `"{\"edits\":[]}"`, `{"model":{"components":[],"connections":[]}}`} {
		status, got := call(t, url, "POST", "/grade", `{"task":"repair/test/0","answer":`+answer+`}`)
		if status != 200 || got["passed"] != false || got["reason"] == "" || got["quality"] != nil {
			t.Errorf("%s: %d %v", answer, status, got)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	url := started(t, env.Defaults)
	status, got := call(t, url, "POST", "/grade", `{"task":"`+strings.Repeat("x", bench.Limits.Bytes)+`"}`)
	if status != 413 || got["limit"] != float64(bench.Limits.Bytes) {
		t.Errorf("%d %v", status, got)
	}
	resp, err := http.Post(url+"/grade", "text/plain", bytes.NewReader([]byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 415 {
		t.Errorf("%s: a page of another site could send this", resp.Status)
	}
}

func TestMoreRequestsThanThereArePlacesAreRefused(t *testing.T) {
	s := New(env.Defaults)
	for range maxRequests {
		s.places <- struct{}{}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "/tasks", nil))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"busy"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestItServesUntilItIsStopped(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(env.Defaults).Serve(ctx, l) }()
	if status, got := call(t, "http://"+l.Addr().String(), "GET", "/tasks?family=repair&split=dev&n=1", ""); status != 200 {
		t.Error(got)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}
