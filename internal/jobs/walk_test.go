package jobs_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/jobs"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// legal are the transitions of docs/jobs.md.
var legal = map[jobs.Status][]jobs.Status{
	jobs.Queued:  {jobs.Queued, jobs.Running, jobs.Cancelled, jobs.Failed},
	jobs.Running: {jobs.Running, jobs.Queued, jobs.Completed, jobs.Failed, jobs.Cancelled},
}

// walk is a service to which things happen in any order, and what was seen of it.
type walk struct {
	*desk
	address, folder string
	workers         []jobs.Worker
	simulating      []bool
	ids             []string
	jobs            map[string]jobs.Job // as they were last seen, with epochs
	leases          map[string][]held   // of a job, all that were given
	said            map[string]int      // how often the outcome of a job was written
}

type held struct {
	worker int
	lease  string
}

// open begins, or goes on behind a restart of the service.
func (w *walk) open(tb testing.TB) {
	clock := w.desk
	w.desk = newDesk(tb, w.address, w.folder)
	if clock != nil {
		w.desk.clock, w.Clock = clock.clock, clock.clock.Now
		must(tb, clock.db.Close())
		must(tb, w.Begin(context.Background()))
	}
	w.QueueFor, w.WeightsFor = 3*time.Hour, 2*time.Hour
}

// state reads a job with its epochs from the store.
func (w *walk) state(t *rapid.T, id string) (j jobs.Job) {
	err := w.Store.Read(context.Background(), func(tx jobs.Tx) (err error) {
		if j, err = tx.Job(id); err == nil {
			j.Epochs, err = tx.Epochs(id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// call lets every worker be there, as one is that asks for a job now and then.
func (w *walk) call(t *rapid.T) {
	expected(t, w.Store.Write(context.Background(), func(tx jobs.Tx) error {
		all, err := tx.Workers()
		for _, one := range all {
			one.Seen = w.clock.Now()
			err = errors.Join(err, tx.PutWorker(one))
		}
		return err
	}))
}

// expected lets through what may be refused in a walk; anything else is a fault.
func expected(t *rapid.T, err error) {
	var limit *jobs.LimitError
	var input *graph.Error
	if err != nil && !errors.Is(err, jobs.ErrLeaseLost) && !errors.Is(err, jobs.ErrNowhere) && !errors.Is(err, jobs.ErrNotFound) && !errors.As(err, &limit) && !errors.As(err, &input) {
		t.Fatalf("%T: %v", err, err)
	}
}

// one draws a job that there is, and a lease of it, maybe an old one.
func (w *walk) one(t *rapid.T) (string, held) {
	if len(w.ids) == 0 {
		t.Skip("no job")
	}
	// Mostly what is under way, so that runs get somewhere.
	mostly := rapid.IntRange(0, 3).Draw(t, "mostly") > 0
	from := w.ids
	if going := slices.DeleteFunc(slices.Clone(from), func(id string) bool { return w.jobs[id].Status != jobs.Running }); mostly && len(going) > 0 {
		from = going
	}
	id := rapid.SampledFrom(from).Draw(t, "job")
	if len(w.leases[id]) == 0 {
		return id, held{}
	}
	if mostly {
		return id, w.leases[id][len(w.leases[id])-1]
	}
	return id, rapid.SampledFrom(w.leases[id]).Draw(t, "lease")
}

// acts are what can happen.
func (w *walk) acts() map[string]func(*rapid.T) {
	ctx := context.Background()
	return map[string]func(*rapid.T){
		"submit": func(t *rapid.T) {
			w.pass(time.Millisecond)
			w.call(t)
			s := submission()
			s.Reserved = int64(rapid.IntRange(0, 400_000).Draw(t, "reserved"))
			if rapid.IntRange(0, 3).Draw(t, "cpu") == 0 {
				s.GPU, s.Mode, s.Reserved = "", jobs.CPU, 0
			}
			j, err := w.Submit(ctx, s)
			expected(t, err)
			if err == nil {
				w.ids, w.jobs[j.ID] = append(w.ids, j.ID), j
			}
		},
		"lease": func(t *rapid.T) {
			n := rapid.IntRange(0, len(w.workers)-1).Draw(t, "worker")
			o := offer
			o.Simulate = w.simulating[n]
			a, err := w.Lease(ctx, w.workers[n], o)
			expected(t, err)
			if a == nil {
				return
			}
			before := w.jobs[a.Job]
			if before.Status != jobs.Queued {
				t.Fatalf("a job is leased that is %s", before.Status)
			}
			for id, all := range w.leases {
				if slices.ContainsFunc(all, func(h held) bool { return h.lease == a.Lease.ID }) {
					t.Fatalf("the lease was one of %s", id)
				}
			}
			if (a.Checkpoint != nil) != (before.Checkpoint.Key != "") {
				t.Fatalf("checkpoint %+v of %+v", a.Checkpoint, before.Checkpoint)
			}
			w.leases[a.Job] = append(w.leases[a.Job], held{n, a.Lease.ID})
		},
		"beat": func(t *rapid.T) {
			id, h := w.one(t)
			was := w.jobs[id]
			_, err := w.Beat(ctx, w.workers[h.worker], id, h.lease)
			expected(t, err)
			if holds := was.Status == jobs.Running && was.Lease.ID == h.lease; (err == nil) != holds {
				t.Fatalf("a heartbeat of %s is answered with %v, the job is %s under %s", h.lease, err, was.Status, was.Lease.ID)
			}
		},
		"push": func(t *rapid.T) {
			id, h := w.one(t)
			from := rapid.Int64Range(0, 3).Draw(t, "from")
			expected(t, w.Push(ctx, w.workers[h.worker], id, h.lease, []training.Epoch{epoch(from), epoch(from + 1)}))
		},
		"push next": func(t *rapid.T) {
			id, h := w.one(t)
			expected(t, w.Push(ctx, w.workers[h.worker], id, h.lease, []training.Epoch{epoch(int64(len(w.jobs[id].Epochs)) + 1)}))
		},
		"checkpoint": func(t *rapid.T) {
			id, h := w.one(t)
			n := rapid.Int64Range(0, 3).Draw(t, "epoch")
			expected(t, w.PutCheckpoint(ctx, w.workers[h.worker], id, h.lease, n, sum(fmt.Sprint(n)), strings.NewReader(fmt.Sprint(n))))
		},
		"upload": func(t *rapid.T) {
			id, h := w.one(t)
			_, err := w.PutModel(ctx, w.workers[h.worker], id, h.lease, sum("weights"), strings.NewReader("weights"))
			expected(t, err)
		},
		"finish": func(t *rapid.T) {
			id, h := w.one(t)
			end := protocol.End{Status: rapid.SampledFrom([]string{"completed", "completed", "completed", "error", "cancelled", "?"}).Draw(t, "status"), ModelSHA256: sum("weights")}
			end.ModelTrained = rapid.Bool().Draw(t, "trained")
			_, err := w.Finish(ctx, w.workers[h.worker], id, h.lease, end)
			expected(t, err)
		},
		"cancel": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "rarely") > 0 {
				t.Skip("rarely")
			}
			id, _ := w.one(t)
			_, err := w.Cancel(ctx, org, id)
			expected(t, err)
		},
		"read": func(t *rapid.T) {
			id, _ := w.one(t)
			j, err := w.Get(ctx, org, id)
			expected(t, err)
			if j.Ledger == "written" {
				w.said[id]++
			}
		},
		"later": func(t *rapid.T) {
			id, h := w.one(t)
			kind := rapid.SampledFrom([]jobs.Kind{jobs.Dispatching, jobs.Expiring, jobs.Expiring, jobs.Ending, jobs.Stopping, jobs.Retaining}).Draw(t, "kind")
			_, err := w.Do(ctx, jobs.Work{Kind: kind, Job: id, Lease: h.lease, Attempt: rapid.IntRange(1, 3).Draw(t, "attempt")})
			expected(t, err)
		},
		"lose": func(t *rapid.T) {
			id, h := w.one(t)
			w.pass(61 * time.Second)
			_, err := w.Expire(ctx, id, h.lease)
			expected(t, err)
		},
		"time": func(t *rapid.T) {
			w.pass(time.Duration(rapid.SampledFrom([]int{1, 1, 10, 10, 30, 61, 61, 600, 3700, 4000}).Draw(t, "seconds")) * time.Second)
		},
	}
}

// look compares every job with what it was.
func (w *walk) look(t *rapid.T) {
	var dollars, flying, today, written int64
	now := w.clock.Now()
	for _, id := range w.ids {
		was, is := w.jobs[id], w.state(t, id)
		if was.Status.Ended() {
			changed := is
			changed.Ledger, changed.Weights.Key, changed.Checkpoint = was.Ledger, was.Weights.Key, was.Checkpoint
			if !reflect.DeepEqual(was, changed) || was.Ledger != "" && was.Ledger != is.Ledger || is.Weights.Key != "" && is.Weights.Key != was.Weights.Key {
				t.Fatalf("a job that has ended changed from\n%+v to\n%+v", was, is)
			}
		} else if !slices.Contains(legal[was.Status], is.Status) {
			t.Fatalf("from %s to %s", was.Status, is.Status)
		}
		if len(is.Epochs) < len(was.Epochs) || !slices.Equal(is.Epochs[:len(was.Epochs)], was.Epochs) || is.Attempts < was.Attempts || is.Attempts > jobs.MaxAttempts {
			t.Fatalf("epochs %v behind %v, attempt %d behind %d", is.Epochs, was.Epochs, is.Attempts, was.Attempts)
		}
		for i, e := range is.Epochs {
			if e.Epoch != int64(i+1) {
				t.Fatalf("epochs %v", is.Epochs)
			}
		}
		if all := w.leases[id]; is.Status == jobs.Running && (len(all) == 0 || all[len(all)-1].lease != is.Lease.ID || w.workers[all[len(all)-1].worker].ID != is.Lease.Worker) {
			t.Fatalf("runs under %+v, the last lease is of %+v", is.Lease, all)
		}
		if is.Mode != jobs.GPU && is.Cost != 0 || is.Cost > jobs.Price(jobs.GPU, "T4", is.Runtime) || was.Cost != 0 && was.Cost != is.Cost {
			t.Fatalf("mode %s costs %d", is.Mode, is.Cost)
		}
		if is.Weights.Trained && (is.Mode == jobs.Simulated || is.Status != jobs.Completed) {
			t.Fatalf("trained: %+v", is)
		}
		if !is.Status.Ended() {
			flying++
		}
		if is.CreatedAt.Truncate(24 * time.Hour).Equal(now.Truncate(24 * time.Hour)) {
			today++
			dollars += is.Dollars()
		}
		if is.Ledger == "written" {
			written++
		}
		if is.Ledger == "written" && (w.said[id] != 1 || is.Mode == jobs.Simulated || len(is.Epochs) == 0 || is.Status != jobs.Completed) || is.Ledger != "written" && w.said[id] > 0 {
			t.Fatalf("the outcome was written %d times: %+v", w.said[id], is)
		}
		w.jobs[id] = is
	}
	if _, use, err := w.Limits(context.Background(), org); err != nil || use != (jobs.Use{InFlight: flying, Today: today, Dollars: dollars}) {
		t.Fatalf("%+v, %v, want %d in flight, %d today, %d micro-dollars", use, err, flying, today, dollars)
	}
	if n := int64(len(w.rows())); n != min(written, 20) {
		t.Fatalf("%d rows in the ledger, %d were written", n, written)
	}
}

// TestWhateverHappensToJobs walks random orders of events over the real service on SQLite: no transition that is not allowed, no
// epoch twice or missing, no lease held by two, at most one row in the ledger, and money that is reserved until a job ends.
func TestWhateverHappensToJobs(t *testing.T) {
	for name, value := range map[string]string{"rapid.steps": "400", "rapid.checks": "25"} { // a job takes some ten steps to its end
		_, said := os.LookupEnv(strings.ToUpper(strings.ReplaceAll(name, ".", "_")))
		if f := flag.Lookup(name); !said && f.Value.String() == f.DefValue {
			must(t, flag.Set(name, value))
			defer func() { must(t, flag.Set(name, f.DefValue)) }()
		}
	}
	ended := map[jobs.Status]int{}
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		w := &walk{address: "sqlite:" + filepath.Join(dir, "data.db"), folder: filepath.Join(dir, "blobs"), jobs: map[string]jobs.Job{}, leases: map[string][]held{}, said: map[string]int{}}
		w.open(t)
		defer func() { _ = w.db.Close() }()
		must(t, w.SetLimits(context.Background(), org, jobs.Limits{InFlight: 6, JobsPerDay: 30, DollarsPerDay: 3_000_000, Runtime: time.Hour}))
		for i := range 3 {
			w.workers, w.simulating = append(w.workers, w.worker()), append(w.simulating, i == 2)
		}
		acts := w.acts()
		acts["restart"] = func(rt *rapid.T) {
			if rapid.IntRange(0, 5).Draw(rt, "rarely") > 0 {
				rt.Skip("rarely")
			}
			w.open(t)
		}
		acts[""] = w.look
		rt.Repeat(acts)
		for _, id := range w.ids {
			ended[w.jobs[id].Status]++
		}
	})
	t.Logf("jobs were left %v", ended)
	for _, s := range []jobs.Status{jobs.Queued, jobs.Running, jobs.Completed, jobs.Failed, jobs.Cancelled} {
		if ended[s] == 0 && !testing.Short() {
			t.Errorf("no walk ended with a job that is %s", s)
		}
	}
}
