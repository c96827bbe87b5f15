package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/telemetry"
)

// raw opens a connection on which a test can misbehave.
func (s *running) raw(send string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, send); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func head(length int) string {
	return fmt.Sprintf("POST /v1/lint HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
}

func readResponse(t *testing.T, c net.Conn) (*http.Response, string) {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, _ := io.ReadAll(r.Body)
	return r, string(data)
}

func TestDroppedConnectionsLeaveNothingBehind(t *testing.T) {
	s := start(t, nil)
	for _, send := range []string{"", "POST /v1/li", head(100), head(100) + `{"model":`, head(9 << 20), head(len(small)) + small} {
		for range 5 {
			s.raw(send).Close()
		}
	}
	s.nothingHeld()
	if r := s.post("/v1/lint", small); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.text)
	}
}

func TestAHalfSentBodyIsRefused(t *testing.T) {
	s := start(t, nil)
	c := s.raw(head(100) + `{"model":`)
	_ = c.(*net.TCPConn).CloseWrite()
	r, text := readResponse(t, c)
	if r.StatusCode != 400 || !strings.Contains(text, `"code":"incomplete-body"`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	s.nothingHeld()
}

func TestABrokenChunkIsRefused(t *testing.T) {
	s := start(t, nil)
	c := s.raw("POST /v1/lint HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	if r, text := readResponse(t, c); r.StatusCode != 400 || !strings.Contains(text, `"code":"incomplete-body"`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	s.nothingHeld()
}

func TestASlowClientIsGivenUp(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Read, c.Limits.ReadHeader = 100*time.Millisecond, 50*time.Millisecond })
	body := s.raw(head(100) + `{"model":`)
	if r, text := readResponse(t, body); r.StatusCode != 408 || !strings.Contains(text, `"code":"timeout"`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	header := s.raw("POST /v1/li")
	if data, err := io.ReadAll(header); err != nil {
		t.Errorf("the connection was not closed: %q %v", data, err)
	}
	s.nothingHeld()
}

func TestAChunkedBodyOverTheLimitIsRefusedWhileItIsSent(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.BodyBytes = 64 << 10 })
	c := s.raw("POST /v1/lint HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
	var sending sync.WaitGroup
	sending.Go(func() {
		chunk := "1000\r\n" + strings.Repeat(" ", 4096) + "\r\n"
		for range 1000 {
			if _, err := io.WriteString(c, chunk); err != nil {
				return // the server has closed, as it should
			}
		}
	})
	if r, text := readResponse(t, c); r.StatusCode != 413 || !strings.Contains(text, `"limit":65536`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	c.Close()
	sending.Wait()
	s.nothingHeld()
}

func TestAnAnnouncedBodyOverTheLimitIsRefusedUnread(t *testing.T) {
	s := start(t, nil)
	c := s.raw("POST /v1/lint HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n\r\n")
	if r, text := readResponse(t, c); r.StatusCode != 413 || !strings.Contains(text, `"code":"too-large"`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
}

// blocking is an action that runs until the test lets it go.
func blocking() (a Action, running chan struct{}, release func()) {
	running, gate := make(chan struct{}, 100), make(chan struct{})
	run := func(*action.Room, []byte, action.Observer) (any, error) {
		running <- struct{}{}
		<-gate
		return map[string]int{"done": 1}, nil
	}
	return Action{Name: "lint", Path: "/v1/lint", Run: run, Tally: func(any) telemetry.Tally { return telemetry.Tally{} }}, running, sync.OnceFunc(func() { close(gate) })
}

func checkShed(t *testing.T, r response) {
	t.Helper()
	if r.status != 503 || r.header.Get("Retry-After") != "1" || r.body["code"] != "overloaded" {
		t.Errorf("%d %v %s", r.status, r.header, r.text)
	}
	checkEnvelope(t, "shed", r)
}

func TestLoadIsShedAndThenServedAgain(t *testing.T) {
	a, running, release := blocking()
	defer release()
	s := start(t, func(c *Config) {
		c.Actions, c.Limits.Workers, c.Limits.Requests, c.Limits.Wait = []Action{a}, 1, 2, 50*time.Millisecond
	})
	var under sync.WaitGroup
	under.Go(func() {
		if r := s.post("/v1/lint", "{}"); r.status != 200 {
			t.Errorf("the one under way: %d %s", r.status, r.text)
		}
	})
	<-running
	checkShed(t, s.post("/v1/lint", "{}")) // waits for the worker, in vain
	slow := s.raw(head(100) + "{")         // holds the second place
	waitFor(t, "a second request", func() bool { return s.gate.under.Load() == 2 })
	checkShed(t, s.post("/v1/lint", "{}")) // does not get in
	if r := s.get("/healthz"); r.status != 200 {
		t.Errorf("healthz under load: %d", r.status)
	}
	if m := s.get("/metrics").text; !strings.Contains(m, `verifier_shed_total{reason="wait"} 1`) || !strings.Contains(m, `verifier_shed_total{reason="requests"} 1`) {
		t.Errorf("metrics: %s", m)
	}
	slow.Close()
	release()
	under.Wait()
	s.nothingHeld()
	if r := s.post("/v1/lint", "{}"); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.text)
	}
}

func TestBodiesBeyondTheMemoryForThemAreShed(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.HeldBytes = 400 << 10 })
	slow := s.raw(head(1<<20) + strings.Repeat(" ", 150<<10))
	waitFor(t, "a held body", func() bool { return s.gate.held.Load() >= 150<<10 })
	checkShed(t, s.post("/v1/lint", strings.Repeat(" ", 200<<10)))
	if r := s.post("/v1/lint", small); r.status != 200 {
		t.Errorf("a small one: %d %s", r.status, r.text)
	}
	slow.Close()
	s.nothingHeld()
}

func TestACallerWhoLeavesTheQueueIsForgotten(t *testing.T) {
	a, running, release := blocking()
	defer release()
	s := start(t, func(c *Config) { c.Actions, c.Limits.Workers, c.Limits.Wait = []Action{a}, 1, time.Hour })
	first := s.raw(head(2) + "{}")
	<-running
	second := s.raw(head(2) + "{}")
	waitFor(t, "a queue", func() bool { return s.gate.under.Load() == 2 })
	second.Close()
	waitFor(t, "the queue's end", func() bool { return s.gate.under.Load() == 1 })
	release()
	if r, text := readResponse(t, first); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	s.nothingHeld()
}

func TestConnectionsBeyondTheLimitWaitForAPlace(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Connections = 1 })
	first := s.raw(head(100) + "{")
	waitFor(t, "a request under way", func() bool { return s.gate.under.Load() == 1 })
	second := s.raw("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	_ = second.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := second.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Error("a second connection is served beside the first")
	}
	_ = second.SetReadDeadline(time.Now().Add(10 * time.Second))
	first.Close()
	if r, _ := readResponse(t, second); r.StatusCode != 200 {
		t.Errorf("the second gets %d", r.StatusCode)
	}
}

func TestShutdownLetsRequestsFinish(t *testing.T) {
	a, running, release := blocking()
	s := start(t, func(c *Config) { c.Actions = []Action{a} })
	c := s.raw(head(2) + "{}")
	<-running
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	waitFor(t, "a closed listener", func() bool {
		probe, err := net.Dial("tcp", s.addr)
		if err == nil {
			probe.Close()
		}
		return err != nil
	})
	release()
	if r, text := readResponse(t, c); r.StatusCode != 200 || !strings.HasPrefix(text, `{"done":1`) {
		t.Errorf("%d %s", r.StatusCode, text)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestShutdownEndsRequestsThatNeverFinish(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Grace = 20 * time.Millisecond })
	c := s.raw(head(100) + "{")
	waitFor(t, "a request", func() bool { return s.gate.under.Load() == 1 })
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	_, _ = io.ReadAll(c) // ends, or the deadline of the connection fails the next line
	s.nothingHeld()
}

func TestServeReturnsWhatTheListenerSays(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := New(testConfig(io.Discard)).Serve(context.Background(), l); err == nil {
		t.Error("a closed listener is served")
	}
}
