package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// lineRequests are requests that are answered, refused and not read.
var lineRequests = []string{
	`{"model":{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"inFeatures":8,"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]}}`,
	`{"model":{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"l","type":"linear","params":{"inFeatures":9,"outFeatures":2}},{"id":"o","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]}}`,
	`{"model":7}`,
	`not json`,
	`{}`,
}

func (s *running) body(path, kind string, body io.Reader) (int, string) {
	s.t.Helper()
	res, err := s.client.Post("http://"+s.addr+path, kind, body)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

func TestALineIsAnsweredAsItIsAlone(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.BodyBytes = 1 << 10 })
	requests := append(lineRequests[:len(lineRequests):len(lineRequests)], `{"model":{"name":"`+strings.Repeat("a", 2<<10)+`"}}`)
	for _, a := range Actions() {
		var want strings.Builder
		for _, r := range requests {
			_, alone := s.body(a.Path, "application/json", strings.NewReader(r))
			want.WriteString(alone + "\n")
		}
		status, got := s.body(a.Path, lineType, strings.NewReader(strings.Join(requests, "\n\r\n")))
		if status != http.StatusOK || got != want.String() {
			t.Errorf("%s: %d\n%s\nalone\n%s", a.Path, status, got, want.String())
		}
	}
	if held, under := s.gate.held.Load(), s.gate.under.Load(); held != 0 || under != 0 {
		t.Errorf("%d bytes and %d calls are held", held, under)
	}
}

func TestAnswersGoOutWhileLinesComeIn(t *testing.T) {
	s := start(t, nil)
	r, w := io.Pipe()
	req, err := http.NewRequest("POST", "http://"+s.addr+"/v1/check", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", lineType+"; charset=utf-8")
	go fmt.Fprintln(w, lineRequests[0])
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for i := range 20 {
		line, err := lines.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, `{"verdict":`) {
			t.Fatalf("line %d: %.80s, %v", i, line, err)
		}
		fmt.Fprintln(w, lineRequests[i%2])
	}
	_ = w.Close()
	if rest, err := io.ReadAll(lines); err != nil || strings.Count(string(rest), "\n") != 1 {
		t.Errorf("behind the end: %.80s, %v", rest, err)
	}
}

func TestAStreamOfLinesSaysWhyItEnds(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Lines, c.Limits.Read = 3, 300*time.Millisecond })
	many := strings.Repeat(lineRequests[4]+"\n", 4)
	if status, got := s.body("/v1/lint", lineType, strings.NewReader(many)); status != http.StatusOK || strings.Count(got, "\n") != 4 || !strings.Contains(got, "at most 3 lines") {
		t.Errorf("four lines: %d, %s", status, got)
	}
	if status, got := s.body("/v1/lint", lineType, strings.NewReader("\n \n")); status != http.StatusBadRequest || !strings.Contains(got, "no line") {
		t.Errorf("no line: %d, %s", status, got)
	}
	r, w := io.Pipe()
	go fmt.Fprintln(w, lineRequests[4])
	status, got := s.body("/v1/lint", lineType, r) // the second line never comes
	_ = w.Close()
	if status != http.StatusOK || !strings.Contains(got, "did not arrive in time") {
		t.Errorf("a line that does not come: %d, %s", status, got)
	}
	if status, _ := s.body("/v1/none", lineType, strings.NewReader(many)); status != http.StatusNotFound {
		t.Errorf("a path that is not there: %d", status)
	}
	if held, under := s.gate.held.Load(), s.gate.under.Load(); held != 0 || under != 0 {
		t.Errorf("%d bytes and %d calls are held", held, under)
	}
}

// TestLinesWaitForRoom holds that a stream does not fail where others take all the room there is for bodies: it waits.
func TestLinesWaitForRoom(t *testing.T) {
	s := start(t, nil)
	s.gate.hold("", s.Limits.HeldBytes)
	timer := time.AfterFunc(100*time.Millisecond, func() { s.gate.drop("", s.Limits.HeldBytes) })
	defer timer.Stop()
	if status, got := s.body("/v1/check", lineType, strings.NewReader(lineRequests[0])); status != http.StatusOK || !strings.HasPrefix(got, `{"verdict":`) {
		t.Errorf("%d, %s", status, got)
	}
}
