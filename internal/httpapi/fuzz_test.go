package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzHandler sends anything to any path. Whatever comes, the answer is JSON of a known status that ends with hosted_only,
// the same bytes when asked again, never a fault of our own, and nothing stays booked.
func FuzzHandler(f *testing.F) {
	s := New(testConfig(io.Discard))
	for _, a := range s.Config.Actions {
		f.Add("POST", a.Path, "application/json", []byte(small))
		for _, body := range marked {
			f.Add("POST", a.Path, "application/json", []byte(body))
		}
	}
	f.Add("GET", "/version", "", []byte{})
	f.Add("PUT", "/v1/../x", "application/json; charset=x", []byte("{}"))
	f.Fuzz(func(t *testing.T, method, path, kind string, body []byte) {
		ask := func() *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
			r.Method, r.URL.Path = method, path
			r.Header.Set("Content-Type", kind)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		w := ask()
		if (strings.HasPrefix(path, "/metrics") || path == "/openapi.json") && w.Code == 200 {
			return // counts this very request, or is a document
		}
		switch w.Code {
		case 200, 400, 404, 405, 413, 415, 422:
		default:
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		var out map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		if !bytes.HasSuffix(w.Body.Bytes(), tail) {
			t.Errorf("does not end with hosted_only: %s", w.Body)
		}
		if w.Code != 200 && (out["error"] == "" || out["code"] == "" || out["code"] == nil) {
			t.Errorf("%d without a reason: %s", w.Code, w.Body)
		}
		if again := ask(); again.Code != w.Code || !bytes.Equal(again.Body.Bytes(), w.Body.Bytes()) {
			t.Errorf("the second answer differs: %s\n%s", w.Body, again.Body)
		}
		if s.gate.under.Load() != 0 || s.gate.held.Load() != 0 || len(s.gate.workers) != s.Limits.Workers {
			t.Error("something stays booked")
		}
	})
}
