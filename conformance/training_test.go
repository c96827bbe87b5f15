package conformance

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
	"github.com/modelverifier/verifier/internal/training/protocol"
	"github.com/modelverifier/verifier/internal/training/run"
	"github.com/modelverifier/verifier/internal/worker"
)

// withJobs has a service run training jobs, with objects in a folder. Workers that simulate are allowed.
func withJobs(t *testing.T, c *hostedapi.Config) *jobs.Service {
	t.Helper()
	bucket, err := blob.Open(t.Context(), t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: c.PublicURL})
	if err != nil {
		t.Fatal(err)
	}
	c.Jobs = &jobs.Service{Store: c.Store.Jobs(), Blobs: bucket, Clock: time.Now, Server: c.PublicURL, AllowSimulated: true}
	c.Weights = bucket.Handler()
	return c.Jobs
}

// stage is what happens between exchanges: workers come, run jobs and go, and the operator sets limits.
type stage struct {
	t    *testing.T
	jobs *jobs.Service
	url  string
	org  string
	job  string // that was submitted last
	hand jobs.Worker

	refusing bool // our own validator of diffs
}

// steps are what an exchange may ask for before it is sent.
var steps = map[string]func(*stage){
	"a simulated worker runs the job": func(s *stage) { s.work("simulated", worker.Options{Simulate: true}) },
	"a real worker runs the job": func(s *stage) {
		s.work("real", worker.Options{CPU: true, Python: torch(s.t), Data: datatest.Folder(s.t, "tabular")})
	},
	"a worker simulates": func(s *stage) {
		s.offer("simulator", protocol.Offer{Simulate: true, Datasets: training.DatasetNames()})
	},
	"a worker has a processor": func(s *stage) { s.offer("processor", protocol.Offer{CPU: true, Datasets: training.DatasetNames()}) },
	"a worker begins":          func(s *stage) { s.begin() },
	"a worker fails":           func(s *stage) { s.finish(protocol.End{Status: "error", Error: "The loss is no number."}) },
	"a worker measures nothing": func(s *stage) {
		s.begin()
		s.finish(protocol.End{Status: "completed", ModelReason: "the export failed"})
	},
	"no agent messages":          func(s *stage) { s.limit(func(l *jobs.Limits) { l.AgentMessages = 0 }) },
	"the validator refuses":      func(s *stage) { s.refusing = true },
	"the validator is itself":    func(s *stage) { s.refusing = false },
	"one job a day":              func(s *stage) { s.limit(func(l *jobs.Limits) { l.JobsPerDay = 1 }) },
	"no dollars":                 func(s *stage) { s.limit(func(l *jobs.Limits) { l.DollarsPerDay = 0 }) },
	"one job in flight":          func(s *stage) { s.limit(func(l *jobs.Limits) { l.InFlight = 1 }) },
	"the limits of who has none": func(s *stage) { s.limit(func(*jobs.Limits) {}) },
}

// torch is a python3 with PyTorch, or the end of the test: what guards main has one.
func torch(t *testing.T) string {
	t.Helper()
	python := cmp.Or(os.Getenv("VERIFIER_PYTHON"), "/usr/bin/python3")
	if _, err := run.Probe(t.Context(), python); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("make test installs PyTorch: %v", err)
		}
		return ""
	}
	return python
}

// take makes a step. It reports false where the machine cannot: without PyTorch nothing is trained for real.
func (s *stage) take(step string) bool {
	s.t.Helper()
	if step == "" {
		return true
	}
	f, known := steps[step]
	if !known {
		s.t.Fatalf("no step %q", step)
	}
	if strings.HasPrefix(step, "a real worker") && (torch(s.t) == "" || !there("tabular")) {
		_, err := s.jobs.Cancel(s.t.Context(), s.org, s.job)
		s.must(err)
		return false
	}
	f(s)
	return true
}

// there says whether the files of a dataset are.
func there(name string) bool {
	_, err := os.Stat("../tools/data/" + name)
	return err == nil || os.Getenv("CI") != ""
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) limit(change func(*jobs.Limits)) {
	l := jobs.DefaultLimits
	change(&l)
	s.must(s.jobs.SetLimits(s.t.Context(), s.org, l))
}

// offer has a worker say what it has; nothing waits for it.
func (s *stage) offer(name string, o protocol.Offer) {
	s.t.Helper()
	token, err := s.jobs.Hire(s.t.Context(), name, jobs.Fleet)
	s.must(err)
	s.hand, err = s.jobs.Worker(s.t.Context(), token)
	s.must(err)
	_, err = s.jobs.Lease(s.t.Context(), s.hand, o)
	s.must(err)
}

// begin leases the job that was submitted last.
func (s *stage) begin() {
	s.t.Helper()
	for range 10 {
		a, err := s.jobs.Lease(s.t.Context(), s.hand, protocol.Offer{CPU: true, Datasets: training.DatasetNames()})
		s.must(err)
		if a == nil {
			break
		}
		if a.Job == s.job {
			return
		}
	}
	s.t.Fatalf("job %s is not to be had", s.job)
}

// finish ends the job that runs.
func (s *stage) finish(end protocol.End) {
	s.t.Helper()
	var lease string
	s.must(s.jobs.Store.Read(s.t.Context(), func(tx jobs.Tx) error { j, err := tx.Job(s.job); lease = j.Lease.ID; return err }))
	end.Lease = lease
	_, err := s.jobs.Finish(s.t.Context(), s.hand, s.job, lease, end)
	s.must(err)
}

// work runs the worker that machines run, over HTTP, until the job that was submitted last has ended.
func (s *stage) work(name string, o worker.Options) {
	s.t.Helper()
	token, err := s.jobs.Hire(s.t.Context(), name, jobs.Fleet)
	s.must(err)
	o.Server, o.Token, o.Name, o.Version, o.Work, o.Log = s.url, token, name, "test", s.t.TempDir(), slog.New(slog.DiscardHandler)
	ctx, stop := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	var failed error
	running.Go(func() { failed = worker.Run(ctx, o) })
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var j jobs.Job
		s.must(s.jobs.Store.Read(ctx, func(tx jobs.Tx) (err error) { j, err = tx.Job(s.job); return err }))
		if j.Status.Ended() {
			break
		}
		if time.Now().After(end) {
			s.t.Errorf("%s: the job is %s", name, j.Status)
			break
		}
	}
	stop()
	running.Wait()
	if failed != nil && !errors.Is(failed, context.Canceled) {
		s.t.Errorf("%s: %v", name, failed)
	}
}

// deaf is a store that cannot write for a while.
type deaf struct {
	jobs.Store
	off atomic.Bool
}

func (d *deaf) Write(ctx context.Context, f func(jobs.Tx) error) error {
	if d.off.Load() {
		return errors.New("the disk is full")
	}
	return d.Store.Write(ctx, f)
}

// TestAnOutcomeThatCannotBeStoredIsUnavailableUntilItCan polls a completed job while nothing can be written, and then once more.
func TestAnOutcomeThatCannotBeStoredIsUnavailableUntilItCan(t *testing.T) {
	c := hostedapi.Config{Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: accounttest.Open(t, accounttest.SQLite(t)), PublicURL: "http://localhost",
		Hasher: accounttest.Hasher(t), Log: slog.New(slog.DiscardHandler)}
	service := withJobs(t, &c)
	kept := &deaf{Store: service.Store}
	service.Store = kept
	h, err := hostedapi.New(c)
	if err != nil {
		t.Fatal(err)
	}
	org, owner, _ := accounttest.Found(t, h.Accounts, "Alpha", "owner@alpha.example")
	_, key, err := h.Accounts.CreateKey(t.Context(), org, owner.ID, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	defer s.Close()
	at := &stage{t: t, jobs: service, url: s.URL, org: org}
	at.take("a worker has a processor")
	resp, body := askWith(t, s, http.MethodPost, "/api/v1/train", "application/json", key, []byte(`{"dataset":"tabular","config":{"epochs":1},"model":{"components":[{"id":"x","type":"input","params":{"shape":[30]}},{"id":"l","type":"linear","params":{"outFeatures":2}},{"id":"y","type":"output"}],"connections":[{"from":"x","to":"l"},{"from":"l","to":"y"}]}}`))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	at.job = jobIn(body)
	at.begin()
	var lease string
	at.must(kept.Read(t.Context(), func(tx jobs.Tx) error { j, err := tx.Job(at.job); lease = j.Lease.ID; return err }))
	at.must(service.Push(t.Context(), at.hand, at.job, lease, []training.Epoch{{Epoch: 1, TrainLoss: 1, ValLoss: 1, ValAcc: 0.5}}))
	at.finish(protocol.End{Status: "completed"})
	for _, step := range []struct {
		off  bool
		word string
	}{{true, "unavailable"}, {true, "unavailable"}, {false, "written"}, {false, "already"}, {true, "already"}} {
		kept.off.Store(step.off)
		_, body := askWith(t, s, http.MethodGet, "/api/v1/train?job="+at.job, "", key, nil)
		if !strings.Contains(string(body), fmt.Sprintf(`"ledger":%q`, step.word)) {
			t.Errorf("want %s: %s", step.word, body)
		}
	}
}

// jobIn is the id of the job that an answer made.
func jobIn(body []byte) string {
	_, rest, _ := strings.Cut(string(body), `"job_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// TestASignedLinkWorksForTenMinutesAndForOneObject makes a link as a poll does, and changes everything in it.
func TestASignedLinkWorksForTenMinutesAndForOneObject(t *testing.T) {
	now := time.Now()
	s := httptest.NewUnstartedServer(nil)
	bucket, err := blob.Open(t.Context(), t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: "http://" + s.Listener.Addr().String(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = bucket.Handler()
	s.Start()
	defer s.Close()
	for _, key := range []string{"weights/alpha/j1/l/w.onnx", "weights/beta/j2/l/w.onnx"} {
		sum := sha256.Sum256([]byte(key))
		if _, err := bucket.Put(t.Context(), key, hex.EncodeToString(sum[:]), 100, strings.NewReader(key)); err != nil {
			t.Fatal(err)
		}
	}
	service := &jobs.Service{Blobs: bucket}
	link, err := service.Link(t.Context(), jobs.Job{Weights: jobs.Weights{Object: jobs.Object{Key: "weights/alpha/j1/l/w.onnx"}, Trained: true}})
	if err != nil {
		t.Fatal(err)
	}
	read := func(link string) (int, string) {
		resp, body := ask(t, s, http.MethodGet, strings.TrimPrefix(link, s.URL), "", nil)
		return resp.StatusCode, string(body)
	}
	if status, body := read(link); status != http.StatusOK || body != "weights/alpha/j1/l/w.onnx" {
		t.Errorf("%d %s", status, body)
	}
	at := strings.IndexByte(link, '?')
	for _, changed := range []string{strings.ReplaceAll(strings.ReplaceAll(link, "alpha", "beta"), "j1", "j2"), link[:at], link[:len(link)-2] + "xx"} {
		if status, body := read(changed); status == http.StatusOK {
			t.Errorf("%s: %s", changed, body)
		}
	}
	now = now.Add(10*time.Minute + time.Second)
	if status, _ := read(link); status == http.StatusOK {
		t.Error("the link works after ten minutes")
	}
}

// TestEveryFieldOfTrainingIsAnEntry finds fields of jobs and their answers that the section on training has forgotten.
func TestEveryFieldOfTrainingIsAnEntry(t *testing.T) {
	data, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "\n## Training\n")
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(section, -1) {
		named[m[1]] = true
	}
	for _, v := range []any{train.Job{}, train.Result{}, train.Blocked{}, train.Page{}, train.Source{}, train.Scalar{}, training.Config{}, training.Epoch{}, check.LastRun{}} {
		for f := range reflect.TypeOf(v).Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !named[name] {
				t.Errorf("%T.%s is not in the section", v, name)
			}
		}
	}
}
