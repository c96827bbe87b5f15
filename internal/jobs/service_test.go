package jobs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/blob"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	org         = "lab"
	fingerprint = "0a1b2c3d"
	model       = `{"components":[{"id":"x","type":"input","params":{"shape":[1,28,28]}},{"id":"f","type":"flatten"},
		{"id":"l","type":"linear","params":{"inFeatures":784,"outFeatures":10}},{"id":"y","type":"output"}],
		"connections":[{"from":"x","to":"f"},{"from":"f","to":"l"},{"from":"l","to":"y"}]}`
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	must = func(tb testing.TB, err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
)

// desk is a service over a real store and a real folder, with a clock that the test moves.
type desk struct {
	*jobs.Service
	tb    testing.TB
	db    *store.Store
	clock *accounttest.Clock
	names int
}

func (d *desk) pass(t time.Duration) { d.clock.Pass(t) }

// newDesk opens one on an address of a database, with two organisations.
func newDesk(tb testing.TB, address, folder string) *desk {
	tb.Helper()
	d := &desk{tb: tb, clock: accounttest.Standing()}
	db, err := store.Open(context.Background(), address)
	must(tb, err)
	tb.Cleanup(func() { _ = db.Close() })
	must(tb, db.Migrate(context.Background()))
	must(tb, db.Accounts().Write(context.Background(), func(tx account.Tx) error {
		return errors.Join(tx.PutOrganisation(account.Organisation{ID: org, Name: "Lab"}), tx.PutOrganisation(account.Organisation{ID: "other", Name: "Other"}))
	}))
	bucket, err := blob.Open(context.Background(), "file://"+folder, blob.Signer{Secret: bytes.Repeat([]byte{1}, 32), Base: "http://localhost", Now: d.clock.Now})
	must(tb, err)
	tb.Cleanup(func() { _ = bucket.Close() })
	d.db = db
	d.Service = &jobs.Service{Store: db.Jobs(), Blobs: bucket, Clock: d.clock.Now, AllowSimulated: true}
	return d
}

func sqlite(tb testing.TB) *desk {
	dir := tb.TempDir()
	return newDesk(tb, accounttest.SQLite(tb), filepath.Join(dir, "blobs"))
}

// both runs a test on either database.
func both(t *testing.T, f func(t *testing.T, d *desk)) {
	t.Run("sqlite", func(t *testing.T) { f(t, sqlite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, newDesk(t, accounttest.Postgres(t), filepath.Join(t.TempDir(), "blobs"))) })
}

var offer = protocol.Offer{Cards: []string{"T4"}, CPU: true, Datasets: []string{"mnist"}}

// worker adds one to the fleet that has called.
func (d *desk) worker() jobs.Worker {
	d.tb.Helper()
	d.names++
	token, err := d.AddWorker(context.Background(), fmt.Sprintf("w%d", d.names))
	must(d.tb, err)
	w, err := d.Worker(context.Background(), token)
	must(d.tb, err)
	a, err := d.Lease(context.Background(), w, offer)
	must(d.tb, err)
	if a != nil {
		d.tb.Fatal("there is a job already")
	}
	return w
}

func submission() jobs.Submission {
	return jobs.Submission{Org: org, Dataset: "mnist", GPU: "T4", Mode: jobs.GPU, Backend: jobs.Fleet, Config: training.Config{Epochs: 2, BatchSize: 8, LR: 0.1, Optimizer: "sgd"},
		Fingerprint: fingerprint, Model: []byte(model), Reserved: 1000, Source: jobs.Source{Repo: "a/b", PR: 7}}
}

func (d *desk) submit() jobs.Job {
	d.tb.Helper()
	d.pass(time.Millisecond) // so that one is older
	j, err := d.Submit(context.Background(), submission())
	must(d.tb, err)
	return j
}

func (d *desk) lease(w jobs.Worker) *protocol.Assignment {
	d.tb.Helper()
	a, err := d.Lease(context.Background(), w, offer)
	must(d.tb, err)
	return a
}

func epoch(n int64) training.Epoch {
	return training.Epoch{Epoch: n, TrainLoss: 1 / float64(n), ValLoss: 1, ValAcc: 0.9}
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// finish runs a job to its end as a worker does.
func (d *desk) finish(w jobs.Worker, a *protocol.Assignment) {
	d.tb.Helper()
	ctx := context.Background()
	for n := range int64(2) {
		must(d.tb, d.PutCheckpoint(ctx, w, a.Job, a.Lease.ID, n+1, sum(fmt.Sprint(n)), strings.NewReader(fmt.Sprint(n))))
		must(d.tb, d.Push(ctx, w, a.Job, a.Lease.ID, []training.Epoch{epoch(n + 1)}))
	}
	_, err := d.PutModel(ctx, w, a.Job, a.Lease.ID, sum("weights"), strings.NewReader("weights"))
	must(d.tb, err)
	status, err := d.Finish(ctx, w, a.Job, a.Lease.ID, protocol.End{Status: "completed", ModelTrained: true, ModelFormat: "onnx", ModelSHA256: sum("weights")})
	must(d.tb, err)
	if status != jobs.Completed {
		d.tb.Fatalf("ended as %s", status)
	}
}

func (d *desk) rows() []ledger.Row {
	d.tb.Helper()
	rows, err := ledger.Ledger{Store: d.db.Outcomes()}.List(context.Background(), org, fingerprint)
	must(d.tb, err)
	return rows
}

func TestARunFromSubmissionToWeights(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ctx := t.Context()
		if _, err := d.Submit(ctx, submission()); !errors.Is(err, jobs.ErrNowhere) {
			t.Errorf("without a worker: %v", err)
		}
		w := d.worker()
		j := d.submit()
		if j.Status != jobs.Queued || j.Runtime != jobs.DefaultLimits.Runtime {
			t.Errorf("%+v", j)
		}
		d.pass(time.Second)
		a := d.lease(w)
		if a == nil || a.Job != j.ID || a.Mode != "gpu" || a.GPU != "T4" || a.Task.Class == "" || a.Task.Params != 7850 || len(a.Task.Weights) != 2 || a.Task.RuntimeSec != 3600 || a.Checkpoint != nil {
			t.Fatalf("%+v", a)
		}
		d.pass(10 * time.Second)
		d.finish(w, a)
		got, err := d.Get(ctx, org, j.ID)
		must(t, err)
		if got.Ledger != ledger.Written || len(got.Epochs) != 2 || got.Used != 10*time.Second || got.Cost != jobs.Price(jobs.GPU, "T4", 10*time.Second) || !got.Weights.Trained {
			t.Errorf("%+v", got)
		}
		again, err := d.Get(ctx, org, j.ID)
		if err != nil || again.Ledger != ledger.Already {
			t.Errorf("%s, %v", again.Ledger, err)
		}
		rows := d.rows()
		if len(rows) != 1 || rows[0].Metric != "valAcc" || rows[0].Value != 0.9 || *rows[0].Epochs != 2 || rows[0].Source != "train:mnist@gpu a/b#7" || *rows[0].WallSec != 10 {
			t.Errorf("%+v", rows)
		}
		if link, err := d.Link(ctx, got); err != nil || link == "" {
			t.Errorf("%q, %v", link, err)
		}
		last, err := d.LastRun(ctx, org, fingerprint)
		if err != nil || last == nil || last.ID != j.ID || len(last.Epochs) != 2 {
			t.Errorf("%+v, %v", last, err)
		}
		if none, err := d.LastRun(ctx, "other", fingerprint); none != nil || err != nil {
			t.Errorf("%+v, %v", none, err)
		}
		for _, foreign := range []func() error{func() error { _, err := d.Get(ctx, "other", j.ID); return err }, func() error { _, err := d.Cancel(ctx, "other", j.ID); return err }} {
			if err := foreign(); !errors.Is(err, jobs.ErrNotFound) {
				t.Errorf("another organisation: %v", err)
			}
		}
		// The worker did not hear the answer.
		if s, err := d.Finish(ctx, w, a.Job, a.Lease.ID, protocol.End{Status: "completed"}); err != nil || s != jobs.Completed {
			t.Errorf("finished again: %s, %v", s, err)
		}
	})
}

func TestTenWhoReadACompletedJobAtOnceWriteOneRow(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		w := d.worker()
		j := d.submit()
		d.finish(w, d.lease(w))
		const pollers = 10
		said := make(chan string)
		for range pollers {
			go func() {
				got, err := d.Get(t.Context(), org, j.ID)
				said <- fmt.Sprint(got.Ledger, err)
			}()
		}
		var all []string
		for range pollers {
			all = append(all, <-said)
		}
		slices.Sort(all)
		if all[0] != "already<nil>" || all[pollers-2] != "already<nil>" || all[pollers-1] != "written<nil>" || len(d.rows()) != 1 {
			t.Errorf("%q, %d rows", all, len(d.rows()))
		}
	})
}

// severed loses the acknowledgement of a write that was done, or the write itself.
type severed struct {
	jobs.Store
	before, after error
}

func (s severed) Write(ctx context.Context, f func(jobs.Tx) error) error {
	if s.before != nil {
		return s.before
	}
	return errors.Join(s.Store.Write(ctx, f), s.after)
}

func TestAStoreThatFailsAroundTheRowLeavesOneRow(t *testing.T) {
	d := sqlite(t)
	w := d.worker()
	j := d.submit()
	d.finish(w, d.lease(w))
	whole := d.Store
	gone := errors.New("the connection is gone")
	for _, s := range []severed{{whole, gone, nil}, {whole, nil, gone}} {
		d.Store = s
		if got, err := d.Get(t.Context(), org, j.ID); err != nil || got.Ledger != jobs.Unavailable {
			t.Errorf("%q, %v", got.Ledger, err)
		}
	}
	d.Store = whole
	if got, err := d.Get(t.Context(), org, j.ID); err != nil || got.Ledger != ledger.Already || len(d.rows()) != 1 {
		t.Errorf("%q, %v, %d rows", got.Ledger, err, len(d.rows()))
	}
}

func TestSimulatedRunsAndThoseWithoutFiguresLeaveNoRow(t *testing.T) {
	d := sqlite(t)
	w := d.worker()
	for _, c := range []struct {
		simulate bool
		want     string
	}{{true, jobs.SkippedSimulated}, {false, jobs.SkippedNoMetrics}} {
		j := d.submit()
		o := offer
		o.Simulate = c.simulate
		a, err := d.Lease(t.Context(), w, o)
		must(t, err)
		if c.simulate {
			must(t, d.Push(t.Context(), w, j.ID, a.Lease.ID, []training.Epoch{epoch(1), epoch(2)}))
		}
		_, err = d.Finish(t.Context(), w, j.ID, a.Lease.ID, protocol.End{Status: "completed", ModelReason: "no"})
		must(t, err)
		for range 2 {
			if got, err := d.Get(t.Context(), org, j.ID); err != nil || got.Ledger != c.want || got.Weights.Trained {
				t.Errorf("%q, %v, want %q", got.Ledger, err, c.want)
			}
		}
	}
	if len(d.rows()) != 0 {
		t.Errorf("%+v", d.rows())
	}
	d.AllowSimulated = false
	o := offer
	o.Simulate = true
	if _, err := d.Lease(t.Context(), w, o); !errors.Is(err, jobs.ErrSimulated) {
		t.Errorf("not allowed: %v", err)
	}
}

func TestLimitsHoldUntilTheyReset(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		ctx := t.Context()
		w := d.worker()
		refused := func(sub jobs.Submission, want jobs.LimitError) {
			t.Helper()
			var got *jobs.LimitError
			if _, err := d.Submit(ctx, sub); !errors.As(err, &got) || *got != want {
				t.Errorf("%v, %+v, want %+v", err, got, want)
			}
		}
		midnight := noon.Add(12 * time.Hour)
		big := submission()
		big.GPU = "H100"
		refused(big, jobs.LimitError{Code: jobs.CodeBigGPU, Used: 1})
		first, second := d.submit(), d.submit()
		refused(submission(), jobs.LimitError{Code: jobs.CodeInFlight, Limit: 2, Used: 2})
		_, err := d.Cancel(ctx, org, first.ID)
		must(t, err)
		d.submit()
		must(t, d.SetLimits(ctx, org, jobs.Limits{InFlight: 100, JobsPerDay: 3, DollarsPerDay: 25_000_000, Runtime: time.Minute}))
		refused(submission(), jobs.LimitError{Code: jobs.CodeJobs, Limit: 3, Used: 3, ResetsAt: midnight})
		must(t, d.SetLimits(ctx, org, jobs.Limits{InFlight: 100, JobsPerDay: 100, DollarsPerDay: 2500, Runtime: time.Minute}))
		refused(submission(), jobs.LimitError{Code: jobs.CodeDollars, Limit: 2500, Used: 2000, ResetsAt: midnight}) // a cancelled one costs nothing
		free := submission()
		free.GPU, free.Mode, free.Reserved = "", jobs.CPU, 0
		_, err = d.Submit(ctx, free)
		must(t, err)
		if a := d.lease(w); a.Job != second.ID {
			t.Errorf("%s is leased, %s is older", a.Job, second.ID)
		}
		d.pass(12 * time.Hour)
		d.lease(w) // so that it counts as being there
		j := d.submit()
		if j.Runtime != time.Minute {
			t.Errorf("runtime %v", j.Runtime)
		}
		if err := d.SetLimits(ctx, "nobody", jobs.DefaultLimits); !errors.Is(err, jobs.ErrNotFound) {
			t.Errorf("%v", err)
		}
		if err := d.SetLimits(ctx, org, jobs.Limits{Runtime: time.Hour, InFlight: -1}); err == nil {
			t.Error("fewer than none")
		}
	})
}

func TestManyWorkersNeverShareAJob(t *testing.T) {
	both(t, func(t *testing.T, d *desk) {
		const workers, many = 12, 24
		must(t, d.SetLimits(t.Context(), org, jobs.Limits{InFlight: many, JobsPerDay: many, DollarsPerDay: 1 << 40, Runtime: time.Hour}))
		var fleet []jobs.Worker
		for range workers {
			fleet = append(fleet, d.worker())
		}
		for range many {
			d.submit()
		}
		// Two services over one store are two replicas.
		other := &jobs.Service{Store: d.Store, Blobs: d.Blobs, Clock: d.clock.Now}
		got := make(chan string, many)
		var group sync.WaitGroup
		for i, w := range fleet {
			group.Go(func() {
				s := []*jobs.Service{d.Service, other}[i%2]
				for {
					a, err := s.Lease(t.Context(), w, offer)
					if err != nil {
						t.Error(err)
					}
					if a == nil {
						return
					}
					got <- a.Job
				}
			})
		}
		group.Wait()
		close(got)
		seen := map[string]bool{}
		for id := range got {
			if seen[id] {
				t.Errorf("%s is leased twice", id)
			}
			seen[id] = true
		}
		if len(seen) != many {
			t.Errorf("%d of %d are leased", len(seen), many)
		}
	})
}

func TestAWorkerThatIsLateHasLostItsJobAndAnotherGoesOn(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	late, next := d.worker(), d.worker()
	j := d.submit()
	a := d.lease(late)
	must(t, d.PutCheckpoint(ctx, late, j.ID, a.Lease.ID, 1, sum("one"), strings.NewReader("one")))
	must(t, d.Push(ctx, late, j.ID, a.Lease.ID, []training.Epoch{epoch(1)}))
	d.pass(50 * time.Second)
	orders, err := d.Beat(ctx, late, j.ID, a.Lease.ID)
	if err != nil || orders.Seconds != 60 || orders.Cancel {
		t.Errorf("%+v, %v", orders, err)
	}
	if again, err := d.Expire(ctx, j.ID, a.Lease.ID); err != nil || again != time.Minute {
		t.Errorf("looked at again in %v, %v", again, err)
	}
	d.pass(time.Minute)
	if again, err := d.Expire(ctx, j.ID, a.Lease.ID); err != nil || again != 0 {
		t.Errorf("%v, %v", again, err)
	}
	b := d.lease(next)
	if b == nil || b.Job != j.ID || b.Lease.ID == a.Lease.ID || b.Checkpoint == nil || b.Checkpoint.Epoch != 1 || b.Task.RuntimeSec != 3600-110 {
		t.Fatalf("%+v", b)
	}
	r, o, err := d.GetCheckpoint(ctx, next, j.ID, b.Lease.ID)
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, errors.Join(err, r.Close()))
	if string(text) != "one" || o.SHA256 != sum("one") {
		t.Errorf("%q, %+v", text, o)
	}
	lost := map[string]error{}
	_, lost["beat"] = d.Beat(ctx, late, j.ID, a.Lease.ID)
	lost["push"] = d.Push(ctx, late, j.ID, a.Lease.ID, []training.Epoch{epoch(2)})
	lost["checkpoint"] = d.PutCheckpoint(ctx, late, j.ID, a.Lease.ID, 2, sum("x"), strings.NewReader("x"))
	_, lost["model"] = d.PutModel(ctx, late, j.ID, a.Lease.ID, sum("x"), strings.NewReader("x"))
	_, lost["finish"] = d.Finish(ctx, late, j.ID, a.Lease.ID, protocol.End{Status: "completed"})
	_, lost["somebody else's lease"] = d.Beat(ctx, late, j.ID, b.Lease.ID)
	_, lost["no job"] = d.Beat(ctx, late, "nothing", b.Lease.ID)
	for what, err := range lost {
		if !errors.Is(err, jobs.ErrLeaseLost) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, d.Push(ctx, next, j.ID, b.Lease.ID, []training.Epoch{epoch(1), epoch(2)}))
	for _, c := range []struct{ sha, says string }{{sum("half"), "SHA-256"}, {"x", "hexadecimal"}} {
		if _, err := d.PutModel(ctx, next, j.ID, b.Lease.ID, c.sha, strings.NewReader("ha")); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("half an upload: %v", err)
		}
	}
	if _, err := d.Finish(ctx, next, j.ID, b.Lease.ID, protocol.End{Status: "completed", ModelTrained: true, ModelSHA256: sum("half")}); err == nil {
		t.Error("weights that are not here are trained")
	}
	d.pass(2 * time.Minute)
	_, err = d.Expire(ctx, j.ID, b.Lease.ID)
	must(t, err)
	c := d.lease(late)
	if _, err := d.Beat(ctx, late, j.ID, a.Lease.ID); !errors.Is(err, jobs.ErrLeaseLost) {
		t.Errorf("its own first lease, of a job that it has again: %v", err)
	}
	d.pass(2 * time.Minute)
	_, err = d.Expire(ctx, j.ID, c.Lease.ID)
	must(t, err)
	if got, err := d.Get(ctx, org, j.ID); err != nil || got.Status != jobs.Failed || !strings.Contains(got.Reason, "lost 3 times") {
		t.Errorf("behind the third: %+v, %v", got, err)
	}
}

func TestAWorkerGivesAJobBack(t *testing.T) {
	d := sqlite(t)
	w := d.worker()
	j := d.submit()
	for n := range jobs.MaxAttempts {
		a := d.lease(w)
		if a == nil || a.Job != j.ID {
			t.Fatalf("attempt %d: %+v", n+1, a)
		}
		must(t, d.Release(t.Context(), w, j.ID, a.Lease.ID))
		if err := d.Release(t.Context(), w, j.ID, a.Lease.ID); !errors.Is(err, jobs.ErrLeaseLost) {
			t.Errorf("given back twice: %v", err)
		}
	}
	if got, err := d.Get(t.Context(), org, j.ID); err != nil || got.Status != jobs.Failed || !strings.Contains(got.Reason, "gave it back") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestARunBeyondItsCeilingAndAJobThatNobodyTakesEnd(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	w := d.worker()
	j, waits := d.submit(), d.submit()
	a := d.lease(w)
	d.pass(30 * time.Minute)
	if again, err := d.Ceiling(ctx, j.ID, a.Lease.ID); err != nil || again != 31*time.Minute {
		t.Errorf("looked at again in %v, %v", again, err)
	}
	d.pass(31 * time.Minute)
	if again, err := d.Ceiling(ctx, j.ID, a.Lease.ID); err != nil || again != 0 {
		t.Errorf("%v, %v", again, err)
	}
	got, err := d.Get(ctx, org, j.ID)
	if err != nil || got.Status != jobs.Failed || !strings.Contains(got.Reason, "1h0m0s") || got.Cost != jobs.Price(jobs.GPU, "T4", time.Hour) {
		t.Errorf("%+v, %v", got, err)
	}
	if again, err := d.Dispatch(ctx, waits.ID, 1); err != nil || again != 24*time.Hour-61*time.Minute {
		t.Errorf("looked at again in %v, %v", again, err)
	}
	d.pass(24 * time.Hour)
	if _, err := d.Dispatch(ctx, waits.ID, 1); err != nil {
		t.Error(err)
	}
	if got, err := d.Get(ctx, org, waits.ID); err != nil || got.Status != jobs.Failed || got.Cost != 0 || !strings.Contains(got.Reason, "24h") {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestWhatIsNotNeededAnyMoreIsRemoved(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	w := d.worker()
	j := d.submit()
	a := d.lease(w)
	must(t, d.PutCheckpoint(ctx, w, j.ID, a.Lease.ID, 1, sum("one"), strings.NewReader("one")))
	_, err := d.PutModel(ctx, w, j.ID, a.Lease.ID, sum("lost"), strings.NewReader("lost"))
	must(t, err)
	d.pass(time.Minute)
	_, err = d.Expire(ctx, j.ID, a.Lease.ID)
	must(t, err)
	d.finish(w, d.lease(w))
	objects := func() (n int) {
		for _, err := range d.Blobs.List(ctx, "") {
			must(t, err)
			n++
		}
		return n
	}
	if again, err := d.Retain(ctx, j.ID); err != nil || again != 24*time.Hour || objects() != 1 {
		t.Errorf("again in %v, %v, %d objects", again, err, objects())
	}
	got, err := d.Get(ctx, org, j.ID)
	must(t, err)
	if r, err := d.Blobs.Get(ctx, got.Weights.Key); err != nil {
		t.Errorf("the weights are gone: %v", err)
	} else {
		_ = r.Close()
	}
	d.pass(30 * 24 * time.Hour)
	if again, err := d.Retain(ctx, j.ID); err != nil || again != 0 || objects() != 0 {
		t.Errorf("again in %v, %v, %d objects", again, err, objects())
	}
	got, err = d.Get(ctx, org, j.ID)
	must(t, err)
	if link, err := d.Link(ctx, got); link != "" || err != nil || !got.Weights.Trained {
		t.Errorf("%q, %v", link, err)
	}
}

func TestAWorkersTokenIsItsOwnAndCanBeRevoked(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	token, err := d.AddWorker(ctx, "gpu-1")
	must(t, err)
	if _, err := d.AddWorker(ctx, "gpu-1"); err == nil {
		t.Error("two of one name")
	}
	if _, err := d.AddWorker(ctx, "a name\n"); err == nil {
		t.Error("a name of two lines")
	}
	w, err := d.Worker(ctx, token)
	if err != nil || w.Name != "gpu-1" || !strings.HasPrefix(token, jobs.WorkerPrefix) {
		t.Errorf("%+v, %v", w, err)
	}
	must(t, d.RevokeWorker(ctx, "gpu-1"))
	if err := d.RevokeWorker(ctx, "gpu-2"); !errors.Is(err, jobs.ErrNotFound) {
		t.Errorf("%v", err)
	}
	for _, wrong := range []string{token, "", "mvw_", jobs.WorkerPrefix + strings.Repeat("a", 43), "mv_" + strings.Repeat("a", 43)} {
		if _, err := d.Worker(ctx, wrong); !errors.Is(err, jobs.ErrUnauthorised) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	again, err := d.AddWorker(ctx, "gpu-1")
	must(t, err)
	if _, err := d.Worker(ctx, again); err != nil || again == token {
		t.Errorf("made anew: %v", err)
	}
	first, err := d.Hire(ctx, "local", jobs.Local)
	must(t, err)
	second, err := d.Hire(ctx, "local", jobs.Local)
	must(t, err)
	if _, err := d.Worker(ctx, first); !errors.Is(err, jobs.ErrUnauthorised) {
		t.Errorf("the token before still works: %v", err)
	}
	if w, err := d.Worker(ctx, second); err != nil || w.Backend != jobs.Local {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestACardIsThereWhileItsWorkerCallsEvenIfItIsBusy(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	w := d.worker()
	has := func(want bool) {
		t.Helper()
		places, err := d.Available(ctx)
		must(t, err)
		if got := len(places) == 1 && places[0].Backend == jobs.Fleet && places[0].Has("T4", "mnist"); got != want {
			t.Errorf("%+v, want %v", places, want)
		}
		if len(places) == 1 && (places[0].Has("H100", "mnist") || places[0].Has("T4", "cifar10")) {
			t.Errorf("%+v", places)
		}
	}
	has(true)
	j := d.submit()
	a := d.lease(w)
	none := offer
	none.Cards = nil
	d.pass(time.Minute)
	_, err := d.Lease(ctx, w, none)
	must(t, err)
	has(true) // the card is lent to us
	for range 5 {
		d.pass(50 * time.Second)
		w, err := d.Workers(ctx) // as a surface does, which finds the worker anew on every call
		must(t, err)
		_, err = d.Beat(ctx, w[0], j.ID, a.Lease.ID)
		must(t, err)
	}
	has(true)
	d.pass(3 * time.Minute)
	has(false)
}

// cluster is a backend whose machine is the test.
type cluster struct {
	started []jobs.Ticket
	stopped []string
	gone    string
}

func (c *cluster) Name() string { return "slurm" }
func (c *cluster) Offers(context.Context) (jobs.Offers, error) {
	return jobs.Offers{Cards: []string{"T4"}}, nil
}
func (c *cluster) Start(_ context.Context, t jobs.Ticket) (string, error) {
	c.started = append(c.started, t)
	return fmt.Sprint("ref", t.Attempt), nil
}
func (c *cluster) Stop(_ context.Context, ref string) error {
	c.stopped = append(c.stopped, ref)
	return nil
}
func (c *cluster) Gone(context.Context, string) (string, error) { return c.gone, nil }

func TestAClusterIsGivenAJobWatchedAndStopped(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	c := &cluster{}
	d.Backends = []jobs.Backend{c}
	fleet := d.worker()
	sub := submission()
	sub.Backend = "slurm"
	j, err := d.Submit(ctx, sub)
	must(t, err)
	dispatch := func(attempt int) {
		t.Helper()
		_, err := d.Dispatch(ctx, j.ID, attempt)
		must(t, err)
	}
	dispatch(1)
	dispatch(1)
	if len(c.started) != 1 || c.started[0].Job != j.ID || c.started[0].Attempt != 1 || c.started[0].GPU != "T4" || c.started[0].Runtime != time.Hour {
		t.Fatalf("%+v", c.started)
	}
	if d.lease(fleet) != nil {
		t.Error("a worker of the fleet takes what the cluster was given")
	}
	c.gone = "the node failed"
	dispatch(1)
	c.gone = ""
	dispatch(1) // an old one does nothing
	dispatch(2)
	if len(c.started) != 2 || c.started[1].Attempt != 2 {
		t.Fatalf("%+v", c.started)
	}
	w, err := d.Worker(ctx, c.started[1].Token)
	must(t, err)
	other := d.submit()
	a, err := d.Lease(ctx, w, offer)
	must(t, err)
	if a == nil || a.Job != j.ID || !strings.HasPrefix(c.started[1].Token, jobs.JobPrefix) {
		t.Fatalf("%+v", a)
	}
	if again, err := d.Lease(ctx, w, offer); err != nil || again != nil {
		t.Errorf("its token leases %s too: %+v, %v", other.ID, again, err)
	}
	_, err = d.Cancel(ctx, org, j.ID)
	must(t, err)
	if orders, err := d.Beat(ctx, w, j.ID, a.Lease.ID); err != nil || !orders.Cancel {
		t.Errorf("%+v, %v", orders, err)
	}
	_, err = d.Finish(ctx, w, j.ID, a.Lease.ID, protocol.End{Status: "cancelled"})
	must(t, err)
	_, err = d.Do(ctx, jobs.Work{Kind: jobs.Stopping, Job: j.ID, Ref: "ref2"})
	must(t, err)
	if !slices.Equal(c.stopped, []string{"ref2"}) {
		t.Errorf("stopped %q", c.stopped)
	}
	_, err = d.Retain(ctx, j.ID)
	must(t, err)
	if _, err := d.Worker(ctx, c.started[1].Token); !errors.Is(err, jobs.ErrUnauthorised) {
		t.Errorf("the token works behind the end of its job: %v", err)
	}
}

// TestARestoredBackupGoesOn moves a running and a queued job into a new database, which has no queue.
func TestARestoredBackupGoesOn(t *testing.T) {
	d := sqlite(t)
	ctx := t.Context()
	w := d.worker()
	running, waits := d.submit(), d.submit()
	a := d.lease(w)
	var archive bytes.Buffer
	_, err := d.db.Backup(ctx, &archive, noon)
	must(t, err)
	to, err := store.Open(ctx, pgtest.New(t))
	must(t, err)
	defer func() { _ = to.Close() }()
	_, err = to.Restore(ctx, &archive)
	must(t, err)
	clock := accounttest.Running()
	s := &jobs.Service{Store: to.Jobs(), Blobs: d.Blobs, Clock: clock.Now, LeaseFor: time.Second}
	must(t, s.Begin(ctx))
	must(t, s.Begin(ctx)) // asked for twice, it is done once
	stopping, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- to.Work(stopping, s, slog.New(slog.DiscardHandler)) }()
	deadline := time.Now().Add(30 * time.Second)
	for {
		one, err := s.Get(ctx, org, running.ID)
		must(t, err)
		two, err := s.Get(ctx, org, waits.ID)
		must(t, err)
		// The lease ended long ago by this clock, and nobody came for the other within a day.
		if one.Status == jobs.Queued && one.Attempts == 1 && two.Status == jobs.Failed || one.Status == jobs.Failed && two.Status == jobs.Failed {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s under %s, %s", one.Status, a.Lease.ID, two.Status)
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	must(t, <-ended)
}
