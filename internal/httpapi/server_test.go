package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/modelverifier/verifier/internal/telemetry"
)

// TestMain fails when any test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logBuffer is a log that tests can read while the server writes it.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// running is a real server on a real listener, with a client of its own.
type running struct {
	*Server
	t      *testing.T
	addr   string
	log    *logBuffer
	client *http.Client
	stop   func() error // ends the server and waits for it
}

func testConfig(log io.Writer) Config {
	return Config{
		Build: Build{Name: "verifier-server", Version: "test"}, Actions: Actions(), Limits: Defaults(), Counts: telemetry.New("test"),
		Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func start(t *testing.T, change func(*Config)) *running {
	t.Helper()
	log := &logBuffer{}
	cfg := testConfig(log)
	if change != nil {
		change(&cfg)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	stop := sync.OnceValue(func() error {
		client.CloseIdleConnections()
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &running{s, t, l.Addr().String(), log, client, stop}
}

type response struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (s *running) do(method, path, contentType, body string) response {
	s.t.Helper()
	req, err := http.NewRequest(method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	out := response{status: resp.StatusCode, header: resp.Header, text: string(data)}
	_ = json.Unmarshal(data, &out.body)
	return out
}

func (s *running) post(path, body string) response {
	s.t.Helper()
	return s.do("POST", path, "application/json", body)
}

func (s *running) get(path string) response {
	s.t.Helper()
	return s.do("GET", path, "", "")
}

// waitFor polls a condition that the server brings about on its own time.
func waitFor(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !yes(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come about", what)
		}
	}
}

// nothingHeld checks that no request has left anything booked.
func (s *running) nothingHeld() {
	s.t.Helper()
	waitFor(s.t, "an empty gate", func() bool {
		return s.gate.under.Load() == 0 && s.gate.held.Load() == 0 && len(s.gate.workers) == s.Limits.Workers
	})
}
