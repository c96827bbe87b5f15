package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/action/train"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/client"
	"github.com/modelverifier/verifier/internal/hostedapi"
	"github.com/modelverifier/verifier/internal/httpapi"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/pythontest"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

const rowsGraph = "graph \"Rows\"\nx: input shape=[30]\nfc: linear inFeatures=30 outFeatures=2\ny: output\nx -> fc -> y\n"

// hosted runs the real service, points the environment to it, and writes a model into the working folder.
func hosted(t *testing.T) *jobs.Service {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	url := "http://" + s.Listener.Addr().String()
	st := accounttest.Open(t, accounttest.SQLite(t))
	bucket, err := blob.Open(t.Context(), t.TempDir(), blob.Signer{Secret: []byte(strings.Repeat("s", 32)), Base: url})
	if err != nil {
		t.Fatal(err)
	}
	service := &jobs.Service{Store: st.Jobs(), Blobs: bucket, Clock: time.Now, Server: url}
	h, err := hostedapi.New(hostedapi.Config{Build: httpapi.Build{Name: "verifier-hosted", Version: "test"}, Limits: httpapi.Defaults(), Store: st, PublicURL: url,
		Hasher: accounttest.Hasher(t), Log: slog.New(slog.DiscardHandler), Jobs: service, Weights: bucket.Handler()})
	if err != nil {
		t.Fatal(err)
	}
	org, owner, _ := accounttest.Found(t, h.Accounts, "Alpha", "owner@alpha.example")
	_, key, err := h.Accounts.CreateKey(t.Context(), org, owner.ID, "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = h
	s.Start()
	t.Cleanup(s.Close)
	t.Setenv(client.URLVariable, url)
	t.Setenv(client.KeyVariable, key)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("rows.graph", []byte(rowsGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	return service
}

// offer is what the worker of these tests has.
var rowsOffer = protocol.Offer{Name: "here", CPU: true, Datasets: []string{"tabular"}}

// worker makes a worker that offers a processor.
func worker(t *testing.T, s *jobs.Service) jobs.Worker {
	t.Helper()
	token, err := s.AddWorker(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Worker(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lease(t.Context(), w, rowsOffer); err != nil {
		t.Fatal(err)
	}
	return w
}

// compute leases the next job and runs it to its end, as a worker does.
func compute(s *jobs.Service, w jobs.Worker, end protocol.End) error {
	ctx := context.Background()
	var a *protocol.Assignment
	for deadline := time.Now().Add(20 * time.Second); a == nil; time.Sleep(10 * time.Millisecond) {
		var err error
		if a, err = s.Lease(ctx, w, rowsOffer); err != nil || time.Now().After(deadline) {
			return fmt.Errorf("no job, %w", err)
		}
	}
	rows := []training.Epoch{{Epoch: 1, TrainLoss: 0.7, ValLoss: 0.6, ValAcc: 0.5}, {Epoch: 2, TrainLoss: 0.3, ValLoss: 0.2, ValAcc: 0.875}}
	if err := s.Push(ctx, w, a.Job, a.Lease.ID, rows); err != nil {
		return err
	}
	end.Lease = a.Lease.ID
	_, err := s.Finish(ctx, w, a.Job, a.Lease.ID, end)
	return err
}

// verifier runs a command line, and returns its exit code and what it printed.
func verifier(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestTrainSubmitsWatchesListsAndCancels(t *testing.T) {
	s := hosted(t)
	code, _, said := verifier("train", "rows.graph", "--dataset", "tabular")
	if code != exitUsage || !strings.Contains(said, "verifier-worker") {
		t.Errorf("nobody to run it: %d %s", code, said)
	}
	w := worker(t, s)
	code, out, said := verifier("train", "rows.graph", "--dataset", "mnist")
	if code != exitGated || !strings.Contains(out, "a sample of mnist is [1,28,28] and the model takes [30]") || !strings.Contains(out, "nothing was booked") {
		t.Errorf("blocked: %d %s%s", code, out, said)
	}
	if code, out, _ := verifier("train", "rows.graph", "--dataset", "mnist", "--json"); code != exitGated || !strings.HasPrefix(out, `{"error":"blocked","plan":{`) {
		t.Errorf("blocked, as JSON: %d %.200s", code, out)
	}
	ended := make(chan error, 1)
	go func() { ended <- compute(s, w, protocol.End{Status: "completed", ModelReason: "the export failed"}) }()
	code, out, said = verifier("train", "rows.graph", "--dataset", "tabular", "--epochs", "2", "--lr", "0.01", "--repo", "lab/nets", "--pr", "7", "--watch")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"plan", "2 epochs, batches of 128, adam with a learning rate of 0.01", "epoch 1 of 2: trainLoss 0.7000, valLoss 0.6000, valAcc 0.5000\nepoch 2 of 2: ",
		"o trainLoss   x valLoss", "* valAcc", "completed ", "valAcc 0.875 on tabular after 2 epochs", "none that are trained: the export failed", "the next plan of "} {
		if !strings.Contains(out, part) && !strings.Contains(strings.Join(strings.Fields(out), " "), part) {
			t.Errorf("%q is not in\n%s%s", part, out, said)
		}
	}
	if code != exitClean || strings.Contains(out, "\x1b") {
		t.Errorf("watched: %d %q", code, out)
	}
	fits(t, "train --watch", out)

	for _, c := range []struct {
		args []string
		told bool
	}{{[]string{"plan", "rows.graph", "--history"}, true}, {[]string{"plan", "rows.graph"}, false}, {[]string{"plan", "resnet18", "--history"}, false}} {
		code, out, said := verifier(c.args...)
		if code != exitClean || strings.Contains(out, "valAcc 0.875 after 2 epochs for $0.0000 on ") != c.told {
			t.Errorf("%v: %d %s%s", c.args, code, out, said)
		}
	}

	code, out, _ = verifier("train", "rows.graph", "--dataset", "tabular")
	_, rest, _ := strings.Cut(out, "job         ")
	id := strings.Fields(rest)[0]
	if code != exitClean || !strings.Contains(out, "verifier jobs "+id) {
		t.Errorf("submitted: %d %s", code, out)
	}
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"jobs"}, exitClean, []string{id, "queued", "completed", "cpu", "$0.0000"}},
		{[]string{"jobs", "--json"}, exitClean, []string{`{"jobs":[{"job_id":"` + id}},
		{[]string{"jobs", "--after", id}, exitClean, []string{"completed"}},
		{[]string{"jobs", id}, exitClean, []string{"queued", "[..............................] 0 of 3"}},
		{[]string{"jobs", id, "--cancel"}, exitClean, []string{"cancelled"}},
		{[]string{"jobs", id, "--cancel", "--json"}, exitClean, []string{`"status":"cancelled"`}},
		{[]string{"jobs", id, "--watch"}, exitGated, []string{"cancelled"}},
		{[]string{"jobs", "nobodys"}, exitUsage, []string{"No such job under this key."}},
		{[]string{"jobs", "--cancel"}, exitUsage, []string{"take the ID of a job"}},
	} {
		code, out, said := verifier(c.args...)
		for _, part := range c.says {
			if code != c.code || !strings.Contains(out+said, part) {
				t.Errorf("%v: %d, want %d with %q\n%s%s", c.args, code, c.code, part, out, said)
			}
		}
	}
}

// onSaying does something when a text is written.
type onSaying struct {
	bytes.Buffer
	text string
	do   func()
}

func (w *onSaying) Write(p []byte) (int, error) {
	if w.do != nil && bytes.Contains(p, []byte(w.text)) {
		w.do()
		w.do = nil
	}
	return w.Buffer.Write(p)
}

// TestTrainWaitsForADatasetThatHasJustCome is what somebody meets who pastes the commands of the README at once: the worker says which
// datasets it has when it next asks for work.
func TestTrainWaitsForADatasetThatHasJustCome(t *testing.T) {
	s := hosted(t)
	w := worker(t, s)
	before := rowsOffer
	before.Datasets = []string{"mnist"}
	if _, err := s.Lease(t.Context(), w, before); err != nil {
		t.Fatal(err)
	}
	found := func() {
		if _, err := s.Lease(context.Background(), w, rowsOffer); err != nil {
			t.Error(err)
		}
	}
	var out bytes.Buffer
	said := &onSaying{text: "no worker has tabular yet", do: found}
	if code := Main([]string{"train", "rows.graph", "--dataset", "tabular", "--json"}, strings.NewReader(""), &out, said); code != exitClean || !strings.HasPrefix(out.String(), `{"job_id":`) || said.do != nil {
		t.Errorf("%d %.300s%s", code, out.String(), said)
	}
}

func TestAJobThatFailsIsExitCodeOne(t *testing.T) {
	s := hosted(t)
	w := worker(t, s)
	for _, form := range []string{"", "--json"} {
		ended := make(chan error, 1)
		go func() { ended <- compute(s, w, protocol.End{Status: "error", Error: "The loss is no number."}) }()
		args := []string{"train", "rows.graph", "--dataset", "tabular", "--watch"}
		if form != "" {
			args = append(args, form)
		}
		code, out, _ := verifier(args...)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if code != exitGated || !strings.Contains(out, "The loss is no number.") || form != "" && !strings.HasPrefix(out, `{"job_id":`) {
			t.Errorf("%s: %d %s", form, code, out)
		}
	}
}

func TestTrainTeachesWhatItNeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(client.URLVariable, "")
	t.Setenv(client.KeyVariable, "")
	if err := os.WriteFile("rows.graph", []byte(rowsGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"train", "rows.graph"}, "--dataset is missing: give cifar10, mnist, tabular"},
		{[]string{"train", "rows.graph", "--dataset", "tabular"}, "no server is named: give --server"},
		{[]string{"train", "rows.graph", "--dataset", "tabular", "--server", "https://www.example.org"}, "no key for www.example.org: set VERIFIER_API_KEY"},
		{[]string{"train", filepath.Join("no", "file.graph"), "--dataset", "tabular"}, "no/file.graph"},
		{[]string{"jobs", "--server", "example.org"}, "takes a scheme and a host alone"},
	} {
		if code, _, said := verifier(c.args...); code != exitUsage || !strings.Contains(said, c.says) {
			t.Errorf("%v: %d %s", c.args, code, said)
		}
	}
	if code, _, said := verifier("jobs", "--server", "http://127.0.0.1:1", "--api-key", "mv_x"); code != exitFault || !strings.Contains(said, "127.0.0.1:1 does not answer") {
		t.Errorf("nobody there: %d %s", code, said)
	}
}

// scripted is a server that says one thing after another.
type scripted struct {
	jobs      []train.Job
	errs      []error
	polls     int
	cancelled bool
}

func (s *scripted) Job(context.Context, string) (*train.Job, []byte, error) {
	i := min(s.polls, len(s.jobs)-1)
	s.polls++
	if s.cancelled {
		return &train.Job{Status: "cancelled"}, []byte("{}"), nil
	}
	if i < len(s.errs) && s.errs[i] != nil {
		return nil, nil, s.errs[i]
	}
	return &s.jobs[i], []byte("{}"), nil
}

func (s *scripted) Cancel(context.Context, string) (*train.Job, []byte, error) {
	s.cancelled = true
	return &train.Job{}, nil, nil
}

func TestAnInterruptAsksOnceWhetherToCancel(t *testing.T) {
	running := []train.Job{{Status: "running", Config: training.Config{Epochs: 3}}}
	for _, c := range []struct {
		name      string
		ask       func() bool
		interrupt int
		cancelled bool
		err       error
	}{
		{"yes", func() bool { return true }, 1, true, nil},
		{"no", func() bool { return false }, 1, false, errLeft},
		{"nobody to ask", nil, 1, false, errLeft},
		{"again instead of an answer", func() bool { select {} }, 2, false, errLeft},
	} {
		s, stops := &scripted{jobs: running}, make(chan os.Signal, 2)
		for range c.interrupt {
			stops <- os.Interrupt
		}
		asked := 0
		w := &watcher{caller: s, id: "j", out: &bytes.Buffer{}, every: time.Millisecond, stops: stops}
		if c.ask != nil {
			w.ask = func() bool { asked++; return c.ask() }
		}
		_, _, err := w.follow(t.Context())
		if !errors.Is(err, c.err) || s.cancelled != c.cancelled {
			t.Errorf("%s: %v, cancelled %v", c.name, err, s.cancelled)
		}
	}
}

func TestAServerThatIsAwayForAWhileIsAskedAgain(t *testing.T) {
	done := train.Job{Status: "completed"}
	away := fmt.Errorf("x %w", client.ErrUnreachable)
	s := &scripted{jobs: []train.Job{{}, {}, {}, done}, errs: []error{away, &client.Error{Status: 503}, &client.Error{Status: 429}}}
	w := &watcher{caller: s, out: &bytes.Buffer{}, every: time.Millisecond}
	if j, _, err := w.follow(t.Context()); err != nil || j.Status != "completed" {
		t.Errorf("%+v, %v", j, err)
	}
	gone := &scripted{jobs: []train.Job{{}}, errs: []error{away}}
	w = &watcher{caller: gone, out: &bytes.Buffer{}, every: time.Millisecond}
	if _, _, err := w.follow(t.Context()); !errors.Is(err, client.ErrUnreachable) || gone.polls != awayMost+1 {
		t.Errorf("%d polls, %v", gone.polls, err)
	}
	refused := &scripted{jobs: []train.Job{{}}, errs: []error{&client.Error{Status: 404}}}
	w = &watcher{caller: refused, out: &bytes.Buffer{}, every: time.Millisecond}
	if _, _, err := w.follow(t.Context()); err == nil || refused.polls != 1 {
		t.Errorf("%d polls, %v", refused.polls, err)
	}
}

func TestOnlyATerminalIsDrawnOver(t *testing.T) {
	rows := []training.Epoch{{Epoch: 1, TrainLoss: 0.7, ValLoss: 0.6, ValAcc: 0.5}, {Epoch: 2, TrainLoss: 0.3, ValLoss: 0.2, ValAcc: 0.875}}
	config := training.Config{Epochs: 2}
	var out bytes.Buffer
	s := &scripted{jobs: []train.Job{{Status: "queued", Config: config}, {Status: "running", Config: config, Epochs: rows[:1], WallSec: new(1.0)}, {Status: "completed", Config: config, Epochs: rows}}}
	w := &watcher{caller: s, out: &out, every: time.Millisecond, live: true}
	if _, _, err := w.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "\x1b[1A\x1b[Jrunning   [###############...............] 1 of 2  1 s\n") || !strings.Contains(text, "\x1b[17A\x1b[Jcompleted [##############################] 2 of 2\n") {
		t.Errorf("%q", text)
	}
}

func TestCurvesShowEveryEpoch(t *testing.T) {
	var rows []training.Epoch
	for i := range 20 {
		rows = append(rows, training.Epoch{Epoch: int64(i + 1), TrainLoss: 2 / float64(i+1), ValLoss: 2.2 / float64(i+1), ValAcc: 1 - 0.9/float64(i+1)})
	}
	text := curves(rows, 20)
	fits(t, "curves", text)
	if n := strings.Count(text, "*"); n != 21 { // and the legend
		t.Errorf("%d epochs of accuracy:\n%s", n, text)
	}
	if text := curves(rows[:1], 20); strings.Count(text, "*") != 2 || !strings.Contains(text, "0.1 |") {
		t.Errorf("one epoch:\n%s", text)
	}
	if curves(nil, 3) != "" {
		t.Error("no epoch has a curve")
	}
}

// TestTrainLocalTrainsForReal trains rows of a table with PyTorch on this machine, and reads the weights back.
func TestTrainLocalTrainsForReal(t *testing.T) {
	folder := datatest.Folder(t, "tabular")
	python := pythontest.WithTorch(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("rows.graph", []byte(rowsGraph), 0o600); err != nil {
		t.Fatal(err)
	}
	local := []string{"train", "rows.graph", "--local", "--python", python, "--data", folder, "--dataset"}
	code, out, said := verifier(append(local, "tabular", "--epochs", "5", "--lr", "0.05", "--batch-size", "32", "--device", "cpu", "-o", "w.onnx")...)
	if code != exitClean || !strings.Contains(out, "epoch 5 of 5: ") || !regexp.MustCompile(`completed   local: valAcc (0\.9\d*|1) on tabular`).MatchString(out) || !strings.Contains(out, "weights     w.onnx") || strings.Contains(out, "\x1b") {
		t.Errorf("%d %s%s", code, out, said)
	}
	if code, out, said := verifier("check", "w.onnx"); code != exitClean {
		t.Errorf("the weights: %d %s%s", code, out, said)
	}
	if code, out, _ := verifier(append(local, "mnist")...); code != exitGated || !strings.Contains(out, "nothing was booked") {
		t.Errorf("a dataset that does not fit: %d %s", code, out)
	}
	if code, out, _ := verifier(append(local, "mnist", "--json")...); code != exitGated || !strings.HasPrefix(out, `{"error":"blocked","plan":{`) {
		t.Errorf("the same as JSON: %d %.200s", code, out)
	}
	if code, _, said := verifier("train", "rows.graph", "--local", "--python", python, "--data", t.TempDir(), "--dataset", "tabular", "--device", "cpu"); code != exitUsage || !strings.Contains(said, "breast_cancer.csv") {
		t.Errorf("no data: %d %s", code, said)
	}
	if code, _, said := verifier("train", "rows.graph", "--local", "--python", "/bin/false", "--dataset", "tabular"); code != exitUsage || !strings.Contains(said, "PyTorch") {
		t.Errorf("no PyTorch: %d %s", code, said)
	}
}
