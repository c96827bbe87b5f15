package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/exporter/task"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/pythontest"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
	"github.com/modelverifier/verifier/internal/training/data/datatest"
	"github.com/modelverifier/verifier/internal/training/protocol"
	"github.com/modelverifier/verifier/internal/training/run"
)

// working is a worker of a service for its one job, with a folder of its own and a log that failing tests show.
func working(t *testing.T, s *service, python string) Options {
	t.Helper()
	var log bytes.Buffer
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", log.String())
		}
	})
	return Options{Server: s.URL, Token: token, Data: datatest.Folder(t, "tabular"), Work: t.TempDir(), Python: python, CPU: true, Job: "job1",
		Log: slog.New(slog.NewTextHandler(&log, nil))}
}

const classifier = `graph "Classifier"
x: input shape=[30]
fc1: linear inFeatures=30 outFeatures=32
norm: batchNorm numFeatures=32
act: relu
drop: dropout p=0.2
fc2: linear inFeatures=32 outFeatures=2
y: output
x -> fc1 -> norm -> act -> drop -> fc2 -> y
`

// tabular is a job that PyTorch runs.
func tabular(t *testing.T, epochs int64) *protocol.Assignment {
	t.Helper()
	g, err := graph.Parse(classifier)
	if err != nil {
		t.Fatal(err)
	}
	a := job(epochs)
	a.Lease.Seconds = 30
	if a.Task, err = task.Of(g, "tabular", training.Config{Epochs: epochs, BatchSize: 16, LR: 1e-2, Optimizer: "adam"}); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAJobIsRunFromItsLeaseToItsWeights(t *testing.T) {
	if testing.Short() {
		t.Skip("trains with PyTorch, which takes seconds")
	}
	s := serveJob(t, tabular(t, 3))
	o := working(t, s, pythontest.WithTorch(t))
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, _ := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, PUT checkpoint2, POST epochs, PUT checkpoint3, POST epochs, PUT model, POST finish")
	if end.Status != "completed" || !end.ModelTrained || end.ModelFormat != "onnx" || end.ModelBytes != int64(len(s.model)) || end.WallSec <= 0 || s.rows[2].ValAcc < 0.9 {
		t.Errorf("%+v, %+v", end, s.rows)
	}
	nothingLeft(t, o.Work)
}

// TestAnotherWorkerGoesOn stops a worker in the middle as SIGTERM does, and gives the job to another one.
func TestAnotherWorkerGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("trains with PyTorch, which takes seconds")
	}
	python := pythontest.WithTorch(t)
	alone := serveJob(t, tabular(t, 12))
	if err := Run(t.Context(), working(t, alone, python)); err != nil {
		t.Fatal(err)
	}
	s := serveJob(t, tabular(t, 12))
	ctx, leave := context.WithCancel(t.Context())
	s.on = func(s *service, call string) {
		if call == "epochs" && len(s.rows) == 4 {
			leave()
		}
	}
	o := working(t, s, python)
	if err := Run(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	nothingLeft(t, o.Work)
	if _, end, released := s.seen(); end != nil || !released {
		t.Fatalf("end %+v, released %t", end, released)
	}
	done := int64(len(s.rows))
	if done < 4 || done > 11 {
		t.Fatalf("%d rows: it was not stopped in the middle", done)
	}
	s.on, s.assign = nil, tabular(t, 12)
	sum, size := digest(s.checkpoint)
	s.assign.Checkpoint = &protocol.Checkpoint{Epoch: done, SHA256: sum, Bytes: size}
	if err := Run(t.Context(), working(t, s, python)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.rows, alone.rows) || s.end == nil || !s.end.ModelTrained {
		t.Errorf("%+v\nwant\n%+v\n%+v", s.rows, alone.rows, s.end)
	}
}

func TestACancelledJobSaysSo(t *testing.T) {
	s := serveJob(t, job(20))
	s.on = func(s *service, call string) { s.cancel = s.cancel || call == "epochs" }
	o := working(t, s, script(t, `EPOCH 1; sleep 60`))
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, _ := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, POST finish")
	if end == nil || end.Status != "cancelled" || end.ModelTrained {
		t.Errorf("%+v", end)
	}
	nothingLeft(t, o.Work)
}

func TestALostLeaseEndsTheRunAndNothingIsSaid(t *testing.T) {
	s := serveJob(t, job(20))
	s.on = func(s *service, call string) { s.lost = s.lost || call == "epochs" }
	o := working(t, s, script(t, `EPOCH 1; sleep 60`))
	began := time.Now()
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, released := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs")
	if end != nil || released || time.Since(began) > 30*time.Second {
		t.Errorf("%+v, %t, %v", end, released, time.Since(began))
	}
	nothingLeft(t, o.Work)
}

func TestAServiceMayBeAwayForLessThanALease(t *testing.T) {
	a := job(2)
	a.Lease.Seconds = 20
	s := serveJob(t, a)
	var away atomic.Int64
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/lease") || away.Add(1) > 3 {
			return false
		}
		if away.Load() == 1 { // as a proxy says it, and then as a broken connection
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		panic(http.ErrAbortHandler)
	}
	o := working(t, s, script(t, `EPOCH 1; EPOCH 2; DONE`))
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, _ := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, PUT checkpoint2, POST epochs, POST finish")
	if end == nil || end.Status != "completed" || end.ModelTrained || end.ModelReason != "there is no exporter in this test" {
		t.Errorf("%+v", end)
	}
}

func TestAServiceThatStaysAwayLosesTheWorker(t *testing.T) {
	s := serveJob(t, job(20))
	var away atomic.Bool
	s.before = func(http.ResponseWriter, *http.Request) bool {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	s.on = func(_ *service, call string) {
		if call == "epochs" {
			away.Store(true)
		}
	}
	o := working(t, s, script(t, `EPOCH 1; sleep 60`))
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if calls, end, released := s.seen(); end != nil || released {
		t.Errorf("%v, %+v, %t", calls, end, released)
	}
	nothingLeft(t, o.Work)
}

func TestHalfAnUploadIsMadeAgain(t *testing.T) {
	a := job(1)
	a.Lease.Seconds = 20
	s := serveJob(t, a)
	var uploads atomic.Int64
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		switch uploads.Add(1) {
		case 1: // the connection breaks after some bytes
			_, _ = r.Body.Read(make([]byte, 4))
			panic(http.ErrAbortHandler)
		case 2: // what came is not what was sent
			http.Error(w, `{"error":"other bytes","code":"digest_mismatch"}`, http.StatusUnprocessableEntity)
			return true
		}
		return false
	}
	if err := Run(t.Context(), working(t, s, script(t, `EPOCH 1; DONE`))); err != nil {
		t.Fatal(err)
	}
	calls, _, _ := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, POST finish")
	if string(s.checkpoint) != "weights of 1\n" || uploads.Load() != 3 {
		t.Errorf("%q after %d uploads", s.checkpoint, uploads.Load())
	}
}

func TestADivergedRunIsAnErrorInItsWords(t *testing.T) {
	s := serveJob(t, job(5))
	if err := Run(t.Context(), working(t, s, script(t, `EPOCH 1; echo '{"event":"error","reason":"the training loss was nan in epoch 2"}'; exit 1`))); err != nil {
		t.Fatal(err)
	}
	if _, end, _ := s.seen(); end == nil || end.Status != "error" || end.Error != "the training loss was nan in epoch 2" || end.ModelTrained {
		t.Errorf("%+v", end)
	}
}

func TestAKilledTrainerIsStartedAgain(t *testing.T) {
	s := serveJob(t, job(2))
	o := working(t, s, script(t, `if [ -f resume.pt ]; then echo '{"event":"epoch","epoch":1,"trainLoss":0.5,"valLoss":0.5,"valAcc":0.9,"resumed":true}'; EPOCH 2; DONE
else EPOCH 1; sleep 0.2; kill -9 $$; fi`))
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, _ := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, POST epochs, PUT checkpoint2, POST epochs, POST finish")
	if end == nil || end.Status != "completed" || len(s.rows) != 2 {
		t.Errorf("%+v, %+v", end, s.rows)
	}
	s = serveJob(t, job(2))
	if err := Run(t.Context(), working(t, s, script(t, `kill -9 $$`))); err != nil {
		t.Fatal(err)
	}
	if _, end, _ := s.seen(); end == nil || end.Status != "error" || !strings.Contains(end.Error, "signal: killed") {
		t.Errorf("%+v", end)
	}
}

func TestTheCeilingIsKept(t *testing.T) {
	a := job(20)
	a.Task.RuntimeSec = 1
	s := serveJob(t, a)
	if err := Run(t.Context(), working(t, s, script(t, `EPOCH 1; sleep 60`))); err != nil {
		t.Fatal(err)
	}
	if _, end, _ := s.seen(); end == nil || end.Status != "error" || end.Error != "the run was stopped at its ceiling of 1 seconds" {
		t.Errorf("%+v", end)
	}
}

func TestSimulatedRunsSayThatTheyAre(t *testing.T) {
	a := job(3)
	a.Mode = "simulated"
	s := serveJob(t, a)
	o := working(t, s, "/nowhere/python3")
	o.CPU, o.Simulate = false, true
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	calls, end, _ := s.seen()
	wanted(t, "calls", calls, "POST epochs, POST epochs, POST epochs, POST finish")
	if end.Status != "completed" || end.ModelTrained || end.ModelReason != run.Simulated {
		t.Errorf("%+v", end)
	}
	a = job(3) // of a service that would have it computed
	s = serveJob(t, a)
	o.Server = s.URL
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if calls, end, released := s.seen(); end != nil || !released || len(s.rows) > 0 {
		t.Errorf("%v, %+v", calls, end)
	}
}

func TestARefusedTokenEndsTheWorker(t *testing.T) {
	s := serveJob(t, job(1))
	o := working(t, s, script(t, ``))
	o.Token, o.Job = "mvw_wrong", ""
	if err := Run(t.Context(), o); !errors.Is(err, ErrToken) {
		t.Error(err)
	}
}

func TestTheTokenIsNotSentElsewhere(t *testing.T) {
	other := serveJob(t, nil)
	s := serveJob(t, job(1))
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
	o := working(t, s, script(t, ``))
	o.Job = ""
	if err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "answered 307") {
		t.Error(err)
	}
}

// TestAServiceThatCannotAnswerNowIsAskedAgain has a database that is away when the worker comes.
func TestAServiceThatCannotAnswerNowIsAskedAgain(t *testing.T) {
	s := serveJob(t, job(1))
	asked := atomic.Int32{}
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		if asked.Add(1) > 2 {
			return false
		}
		http.Error(w, `{"error":"the service cannot do this now","code":"unavailable"}`, http.StatusServiceUnavailable)
		return true
	}
	ctx, leave := context.WithCancel(t.Context())
	s.on = func(s *service, call string) {
		if call == "lease" && s.end != nil { // the run is behind it
			leave()
		}
	}
	o := working(t, s, script(t, `EPOCH 1; DONE`))
	o.Job = ""
	if err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	if _, end, _ := s.seen(); end == nil || end.Status != "completed" {
		t.Errorf("%+v", end)
	}
}

func TestAWorkerServesUntilItIsStopped(t *testing.T) {
	s := serveJob(t, job(1))
	ctx, leave := context.WithCancel(t.Context())
	leases := 0
	s.on = func(s *service, call string) {
		if call == "lease" {
			leases++
		}
		if call == "finish" && leases == 1 {
			s.assign = job(1)
		}
		if leases == 3 { // both runs are behind it
			leave()
		}
	}
	o := working(t, s, script(t, `EPOCH 1; DONE`))
	o.Job = ""
	if err := Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	calls, _, released := s.seen()
	wanted(t, "calls", calls, "PUT checkpoint1, POST epochs, POST finish, PUT checkpoint1, POST epochs, POST finish")
	if released {
		t.Error("released what had ended")
	}
	nothingLeft(t, o.Work)
}

func TestDatasetsThatComeAreOffered(t *testing.T) {
	s := serveJob(t, nil)
	o := working(t, s, script(t, ``))
	from := o.Data
	o.Data, o.Job = t.TempDir(), ""
	ctx, leave := context.WithTimeout(t.Context(), 30*time.Second)
	defer leave()
	offers := 0
	s.offered = func(got protocol.Offer) {
		offers++
		if offers == 1 && len(got.Datasets) > 0 {
			t.Errorf("offers %v of an empty folder", got.Datasets)
		}
		if offers == 1 {
			if err := data.Take(ctx, training.Find("tabular"), from, o.Data, nil); err != nil {
				t.Error(err)
			}
		} else if slices.Equal(got.Datasets, []string{"tabular"}) {
			leave()
		}
	}
	if err := Run(ctx, o); err != nil || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("%v, %v after %d offers", err, ctx.Err(), offers)
	}
}

func TestDriversNamesAreKnown(t *testing.T) {
	for name, c := range map[string]struct {
		mib  int64
		want string
	}{
		"NVIDIA H200":                      {143156, "H200"},
		"NVIDIA H100 80GB HBM3":            {81089, "H100"},
		"NVIDIA A100-SXM4-40GB":            {40442, "A100-40GB"},
		"NVIDIA A100 80GB PCIe":            {81037, "A100-80GB"},
		"NVIDIA A100-SXM4-80GB":            {81154, "A100-80GB"},
		"NVIDIA A10G":                      {22515, "A10G"},
		"NVIDIA L40S":                      {45372, "L40S"},
		"NVIDIA L4":                        {22491, "L4"},
		"Tesla T4":                         {14914, "T4"},
		"Tesla V100-SXM2-16GB":             {16151, "V100"},
		"NVIDIA GeForce RTX 4090":          {24210, "RTX4090"},
		"AMD Instinct MI300X":              {196288, "MI300X"},
		"NVIDIA B200":                      {182642, "B200"},
		"Tesla V100-SXM2-32GB":             {32501, ""}, // twice the memory, and no price of ours
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb": {4864, ""},
		"NVIDIA GeForce GTX 1080":          {8112, ""},
	} {
		if got := known(run.Card{Name: name, Memory: c.mib << 20}); got != c.want {
			t.Errorf("%s with %d MiB is taken for %q, want %q", name, c.mib, got, c.want)
		}
	}
}

func TestEveryCardHasASlotOfItsOwn(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "3,GPU-abc")
	seen := []run.Card{{Name: "NVIDIA H200", Memory: 143156 << 20}, {Name: "Quadro", Memory: 1 << 30}}
	slots, notes, err := slotsOf(seen, nil)
	if err != nil || !reflect.DeepEqual(slots, []slot{{"H200", "3"}}) || len(notes) != 1 {
		t.Errorf("%v, %v, %v", slots, notes, err)
	}
	slots, _, err = slotsOf(seen, []string{"H200", "T4"})
	if err != nil || !reflect.DeepEqual(slots, []slot{{"H200", "3"}, {"T4", "GPU-abc"}}) {
		t.Errorf("%v, %v", slots, err)
	}
	if _, _, err = slotsOf(seen, []string{"H200", "X9"}); err == nil || !strings.Contains(err.Error(), `--cards names "X9": there are T4`) {
		t.Error(err)
	}
	if _, _, err = slotsOf(seen, []string{"T4", "T4", "T4"}); err == nil {
		t.Error("three names for two cards")
	}
}

// TestAWorkerMayBeStoppedWhileItLooks has a python3 that says nothing for a while, in a system that refuses namespaces or not.
func TestAWorkerMayBeStoppedWhileItLooks(t *testing.T) {
	python := filepath.Join(t.TempDir(), "python3")
	if err := os.WriteFile(python, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, stop)
	if err := Run(ctx, Options{Server: "http://127.0.0.1:1", Token: "t", Python: python, CPU: true, Work: t.TempDir()}); err != nil {
		t.Error(err)
	}
}
