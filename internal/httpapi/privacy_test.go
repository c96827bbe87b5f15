package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// mark stands wherever a caller can put a word of their own.
const mark = "zqxmark7"

// marked are bodies with the mark as name, id, type, parameter, value, key and broken JSON.
var marked = []string{
	`{"model":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"zqxmark7","name":"zqxmark7","params":{"zqxmark7":"zqxmark7"}}],"connections":[{"from":"zqxmark7","to":"zqxmark7"}],"zqxmark7":1},"zqxmark7":{}}`,
	`{"model":{"components":[{"id":"zqxmark7","type":"input","params":{"shape":"zqxmark7"}},{"id":"l","type":"linear","params":{"inFeatures":"zqxmark7"}}],"connections":[{"from":"zqxmark7","to":"l"}]}}`,
	`{"model":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"input","params":{"shape":[3]}},{"id":"o","name":"zqxmark7","type":"output"}],"connections":[{"from":"zqxmark7","to":"o"}]},"base":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"zqxmark7"}]},"policy":{"forbid_types":["input"],"must_fit":"T4"},"source":{"kind":"zqxmark7","target":"zqxmark7"}}`,
	`{"candidates":[{"id":"zqxmark7","model":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"zqxmark7"}]}},{"model":{"components":[]}}],"tieBreak":"zqxmark7"}`,
	`{"candidates":[{"id":"zqxmark7","model":{"name":"zqxmark7","components":[{"id":"zqxmark7","type":"zqxmark7"}]}},{"model":{"components":[]}}],"tieBreak":"cost"}`,
	`{"model":{"components":[]},"policy":{"zqxmark7":1,"forbid_types":["zqxmark7"]},"attention":"zqxmark7","data":{"zqxmark7":1},"layout":{"gpu":"zqxmark7"},"serve":{"command":"zqxmark7"}}`,
	`{"model":{"components":[{"zqxmark7":1,"zqxmark7":2}]}}`,
	`{"model":zqxmark7`,
	`zqxmark7`,
	`{"model":{"components":"zqxmark7"}}`,
}

// TestNothingACallerSendsIsLoggedOrCounted sends the mark in every place of a request, and looks for it in the log, the
// metrics, the preview and a real send.
func TestNothingACallerSendsIsLoggedOrCounted(t *testing.T) {
	var sent strings.Builder
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Fprint(&sent, r.URL, r.Header)
		_, _ = io.Copy(&sent, r.Body)
	}))
	defer receiver.Close()
	s := start(t, func(c *Config) {
		c.Actions = append(Actions(), Action{Name: "panics", Path: "/v1/panics", Run: func(_ *action.Room, b []byte, _ action.Observer) (any, error) { panic(string(b)) }})
		c.Telemetry = telemetry.Config{URL: receiver.URL}
	})
	answers := 0
	for _, a := range s.Config.Actions {
		for _, body := range marked {
			req, _ := http.NewRequest("POST", "http://"+s.addr+a.Path+"?q=zqxmark7", strings.NewReader(body))
			req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {mark}, "X-Request-Id": {mark}, "X-Forwarded-For": {mark}, "Authorization": {mark}, "Cookie": {mark}}
			req.Host = mark
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if strings.Contains(string(text), mark) {
				answers++ // the caller's own words come back to the caller, and only there
			}
			if strings.Contains(fmt.Sprint(resp.Header), mark) {
				t.Errorf("a header repeats the mark: %v", resp.Header)
			}
		}
	}
	if answers == 0 {
		t.Error("no answer speaks of the mark, so this test does not see what it looks for")
	}
	s.do("POST", "/"+mark, mark, mark)
	s.do("ZQXMARK7", "/v1/lint", "application/json", mark)
	io.ReadAll(s.raw("zqxmark7\r\n\r\n"))
	io.ReadAll(s.raw("GET /healthz HTTP/1.1\r\nHost: x\r\nzqxmark7 zqxmark7\r\n\r\n"))
	s.raw(head(500) + marked[0]).Close()
	s.nothingHeld()

	preview, metrics := s.get("/metrics/preview").text, s.get("/metrics").text
	ctx, cancel := contextEnded(t)
	defer cancel()
	s.Counts.Run(ctx, s.Telemetry, time.Hour, func(err error) { t.Error(err) })
	if !strings.Contains(sent.String(), `"lint":3`) {
		t.Errorf("the send was %s", sent.String())
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{"log": s.log.String(), "preview": preview, "metrics": metrics, "send": sent.String()} {
		if strings.Contains(strings.ToLower(text), mark) {
			t.Errorf("the %s has the mark: %s", name, text)
		}
		if text == "" {
			t.Errorf("the %s is empty", name)
		}
	}
}

// TestLogLinesHoldNoAddress looks for the client's address, in every form that net/http prints it.
func TestLogLinesHoldNoAddress(t *testing.T) {
	s := start(t, nil)
	s.post("/v1/lint", small)
	s.post("/v1/lint", "{")
	io.ReadAll(s.raw("GET / HTTP/9.9\r\n\r\n"))
	serverErrors{s.Log}.Write([]byte("http: Accept error: accept tcp 127.0.0.1:1: too many open files; retrying in 5ms"))
	serverErrors{s.Log}.Write([]byte("http: panic serving 127.0.0.1:1: x"))
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	log := s.log.String()
	if strings.Contains(log, "127.0.0.1") || strings.Contains(log, "[::") {
		t.Errorf("the log has an address: %s", log)
	}
	if !strings.Contains(log, `"kind":"accept"`) || !strings.Contains(log, `"kind":"panic"`) {
		t.Errorf("the log does not tell the kinds apart: %s", log)
	}
	for line := range strings.Lines(log) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Errorf("not JSON: %s", line)
		}
		for name := range fields {
			if !strings.Contains(" time level msg id method route status received sent us code kind underWay ", " "+name+" ") {
				t.Errorf("the log has a field %s: %s", name, line)
			}
		}
	}
}
