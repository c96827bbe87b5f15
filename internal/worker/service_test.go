package worker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// service speaks the protocol for one job over real HTTP, and can be told to misbehave.
type service struct {
	*httptest.Server
	mu         sync.Mutex
	assign     *protocol.Assignment // nil: nothing to do
	calls      []string
	rows       []training.Epoch
	checkpoint []byte
	model      []byte
	end        *protocol.End
	released   bool
	beats      int
	lasts      float64 // seconds of the lease

	lost    bool                                              // every lease is
	cancel  bool                                              // the next heartbeat says so
	before  func(w http.ResponseWriter, r *http.Request) bool // answers in the service's place
	on      func(s *service, call string)                     // told of each call, with the lock held
	offered func(protocol.Offer)                              // told of each offer
}

const token = "mvw_test"

func serveJob(t *testing.T, a *protocol.Assignment) *service {
	t.Helper()
	s := &service{assign: a}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *service) answer(w http.ResponseWriter, r *http.Request) {
	call := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	if s.before != nil && s.before(w, r) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+token {
		http.Error(w, `{"error":"no","code":"unauthorized"}`, http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.calls = append(s.calls, "half a "+call)
		http.Error(w, `{"error":"half","code":"incomplete-body"}`, http.StatusBadRequest)
		return
	}
	if call != "heartbeat" && call != "lease" {
		s.calls = append(s.calls, r.Method+" "+call+r.URL.Query().Get("epoch"))
	}
	if s.on != nil {
		s.on(s, call)
	}
	if call != "lease" && (s.lost || leaseOf(r, body) != "the-lease") {
		http.Error(w, `{"error":"lost","code":"lease_lost"}`, http.StatusConflict)
		return
	}
	status, answer := s.take(call, r, body)
	w.WriteHeader(status)
	if raw, ok := answer.([]byte); ok {
		_, _ = w.Write(raw)
	} else if status == http.StatusOK {
		_ = json.NewEncoder(w).Encode(answer)
	}
}

func leaseOf(r *http.Request, body []byte) string {
	if id := r.URL.Query().Get("lease"); id != "" {
		return id
	}
	var held protocol.Held
	_ = json.Unmarshal(body, &held)
	return held.Lease
}

func (s *service) take(call string, r *http.Request, body []byte) (int, any) {
	switch call {
	case "lease":
		var o protocol.Offer
		if err := json.Unmarshal(body, &o); err == nil && s.offered != nil {
			s.offered(o)
		}
		if s.assign == nil {
			return http.StatusNoContent, nil
		}
		a := *s.assign
		s.assign, s.lasts = nil, a.Lease.Seconds
		return http.StatusOK, a
	case "heartbeat":
		s.beats++
		return http.StatusOK, protocol.Orders{Seconds: s.lasts, Cancel: s.cancel}
	case "epochs":
		var e protocol.Epochs
		if err := json.Unmarshal(body, &e); err != nil {
			return http.StatusUnprocessableEntity, nil
		}
		for _, row := range e.Epochs {
			if !slices.ContainsFunc(s.rows, func(have training.Epoch) bool { return have.Epoch == row.Epoch }) {
				s.rows = append(s.rows, row)
			}
		}
	case "finish":
		s.end = new(protocol.End)
		_ = json.Unmarshal(body, s.end)
	case "release":
		s.released = true
	case "checkpoint", "model":
		if r.Method == http.MethodGet {
			return http.StatusOK, s.checkpoint
		}
		if sum := sha256.Sum256(body); r.Header.Get("Digest") != "sha-256="+hex.EncodeToString(sum[:]) {
			return http.StatusUnprocessableEntity, []byte(`{"error":"no","code":"digest_mismatch"}`)
		}
		if call == "model" {
			s.model = body
		} else {
			s.checkpoint = body
		}
	}
	return http.StatusOK, struct{}{}
}

// seen is what happened, under the lock.
func (s *service) seen() (calls []string, end *protocol.End, released bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls), s.end, s.released
}

const shortLease = 0.6 // seconds

func job(epochs int64) *protocol.Assignment {
	return &protocol.Assignment{Lease: protocol.Lease{ID: "the-lease", Seconds: shortLease}, Job: "job1", Mode: "cpu",
		Task: training.Task{Dataset: "tabular", Class: "M", InputShape: []int64{30}, Config: training.Config{Epochs: epochs, BatchSize: 8, LR: 1e-3, Optimizer: "adam"}}}
}

// script is a program in the place of python3: it answers the question for PyTorch, and then does what it is told to in the place of
// the trainer. EPOCH N prints a row behind its checkpoint.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	text := `#!/bin/sh
if [ "$2" = -c ]; then echo '{"torch":"2.0","cards":[]}'; exit; fi
EPOCH() { echo "weights of $1" > checkpoint-$1.pt; echo '{"event":"epoch","epoch":'$1',"trainLoss":0.5,"valLoss":0.5,"valAcc":0.9}'; }
DONE() { echo '{"event":"done","onnx":null,"reason":"there is no exporter in this test"}'; }
`
	if err := os.WriteFile(path, []byte(text+lines+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// trainers counts the processes that run in a folder or below it.
func trainers(folder string) (n int) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		text, err := os.ReadFile(path)
		if _, bad := strconv.Atoi(strings.Split(path, "/")[2]); err == nil && bad == nil && strings.Contains(string(text), folder) {
			n++
		}
	}
	return n
}

// nothingLeft holds that a worker has cleaned up.
func nothingLeft(t *testing.T, work string) {
	t.Helper()
	left, err := os.ReadDir(work)
	if err = errors.Join(err, nil); err != nil || len(left) > 0 || trainers(work) > 0 {
		t.Errorf("left behind: %v, %d processes, %v", left, trainers(work), err)
	}
}

func wanted(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, text, want)
	}
}

func digest(content []byte) (sha string, size int64) {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), int64(len(content))
}
