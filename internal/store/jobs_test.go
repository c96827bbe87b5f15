package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/training"
)

// fullJob has a value in every field that a row keeps.
func fullJob(org, id string) jobs.Job {
	at := func(n int64) time.Time { return day.Add(time.Duration(n)*time.Second + time.Microsecond).UTC() }
	return jobs.Job{ID: id, Org: org, Status: jobs.Running, Mode: jobs.GPU, Backend: jobs.Fleet, Dataset: "mnist", GPU: "T4",
		Config: training.Config{Epochs: 3, BatchSize: 64, LR: 1.0 / 3, Optimizer: "adam"}, Fingerprint: "0000000a", Source: jobs.Source{Repo: "a/b \" \u2028", PR: 7},
		CreatedAt: at(1), StartedAt: at(2), CompletedAt: at(3), Attempts: 2, Lease: jobs.Lease{ID: "l", Worker: "w", Since: at(4), Until: at(5)}, Cancel: true,
		Runtime: time.Hour, Used: 1500 * time.Microsecond, Reserved: 1 << 53, Cost: 1<<53 + 1, Reason: "r", Ledger: "written", Reference: "42",
		Checkpoint: jobs.Object{Key: "c", SHA256: "d", Bytes: 5, Epoch: 2},
		Weights:    jobs.Weights{Object: jobs.Object{Key: "k", SHA256: "s", Bytes: 6}, Trained: true, Reason: "u", Format: "onnx"}}
}

func writing(t *testing.T, s *Store, f func(tx jobs.Tx)) {
	t.Helper()
	ok(t, s.Jobs().Write(t.Context(), func(tx jobs.Tx) error { f(tx); return nil }))
}

var (
	_ = exercise("a job comes back as it was, to its organisation only", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a", "b"))
		want := fullJob("a", "j1")
		for i := range reflect.TypeOf(want).NumField() {
			if f := reflect.ValueOf(want).Field(i); f.IsZero() && reflect.TypeOf(want).Field(i).Name != "Epochs" {
				t.Errorf("%s is not set, so that nothing is said about it", reflect.TypeOf(want).Field(i).Name)
			}
		}
		writing(t, s, func(tx jobs.Tx) { ok(t, tx.PutJob(want)) })
		changed := want
		changed.Status, changed.Attempts, changed.Lease = jobs.Completed, 3, jobs.Lease{}
		changed.Org = "b" // which nothing can do
		writing(t, s, func(tx jobs.Tx) {
			got, err := tx.JobOf("a", "j1")
			ok(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
			if _, err := tx.JobOf("b", "j1"); !errors.Is(err, jobs.ErrNotFound) {
				t.Errorf("another organisation finds it: %v", err)
			}
			ok(t, tx.PutJob(changed))
			changed.Org = "a"
			got, err = tx.Job("j1")
			ok(t, err)
			if !reflect.DeepEqual(got, changed) {
				t.Errorf("got %+v\nwant %+v", got, changed)
			}
			last, err := tx.LastRun("a", "0000000a")
			ok(t, err)
			if last.ID != "j1" {
				t.Errorf("the last run is %q", last.ID)
			}
			for _, none := range []func() error{func() error { _, err := tx.LastRun("b", "0000000a"); return err }, func() error { _, err := tx.Job("j2"); return err },
				func() error { _, err := tx.Model("j1"); return err }, func() error { _, err := tx.Limits("a"); return err },
				func() error { return tx.PutLimits("nobody", jobs.DefaultLimits) }, func() error { _, err := tx.WorkerByName("x"); return err },
				func() error { _, err := tx.Worker(secret.Of("x")); return err }} {
				if err := none(); !errors.Is(err, jobs.ErrNotFound) {
					t.Errorf("what is not there: %v", err)
				}
			}
		})
	})
	_ = exercise("epochs, models, limits and workers come back as they were", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a"))
		epochs := []training.Epoch{{Epoch: 1, TrainLoss: 1.0 / 3, ValLoss: 2, ValAcc: 0.1}, {Epoch: 2, TrainLoss: 1e-300, ValLoss: 1e300, ValAcc: 1}}
		limits := jobs.Limits{BigGPU: true, InFlight: 1, JobsPerDay: 2, DollarsPerDay: 1 << 53, Runtime: 90 * time.Minute, AgentMessages: 4}
		worker := jobs.Worker{ID: "w1", Name: "gpu-1", Hash: secret.Of("w1"), Backend: jobs.Fleet, CreatedAt: day, Seen: day.Add(time.Second),
			Offer: jobs.Shown{Machine: "m", Version: "1", Torch: "2", Cards: []string{"T4"}, CPU: true, Datasets: []string{"mnist"}}}
		forOne := jobs.Worker{ID: "w2", Name: "gpu-1", Hash: secret.Of("w2"), Backend: "slurm", Job: "j1", CreatedAt: day}
		writing(t, s, func(tx jobs.Tx) {
			ok(t, tx.PutJob(fullJob("a", "j1")))
			ok(t, tx.PutModel("j1", []byte{0, 1, 255}))
			ok(t, tx.PutEpochs("j1", epochs))
			again := slices.Clone(epochs)
			again[0].ValAcc = 0.9
			ok(t, tx.PutEpochs("j1", again))
			ok(t, tx.PutLimits("a", jobs.DefaultLimits))
			ok(t, tx.PutLimits("a", limits))
			ok(t, tx.PutWorker(worker))
			ok(t, tx.PutWorker(forOne))
		})
		writing(t, s, func(tx jobs.Tx) {
			gets(t, epochs, nil)(tx.Epochs("j1"))
			gets(t, []byte{0, 1, 255}, nil)(tx.Model("j1"))
			gets(t, limits, nil)(tx.Limits("a"))
			gets(t, worker, nil)(tx.WorkerByName("gpu-1"))
			gets(t, worker, nil)(tx.Worker(secret.Of("w1")))
			gets(t, forOne, nil)(tx.Worker(secret.Of("w2")))
			gets(t, []jobs.Worker{worker}, nil)(tx.Workers())
			gets(t, []string{"T4"}, nil)(tx.CardsOf("w"))
			ok(t, tx.DeleteModel("j1"))
			ok(t, tx.DeleteJobWorkers("j1"))
			if tx.DeleteJobWorkers("") == nil {
				t.Error("the whole fleet is removed")
			}
			gets(t, []byte(nil), jobs.ErrNotFound)(tx.Model("j1"))
			gets(t, jobs.Worker{}, jobs.ErrNotFound)(tx.Worker(secret.Of("w2")))
			gets(t, []jobs.Worker{worker}, nil)(tx.Workers())
		})
	})
	_ = exercise("agent messages are counted by the day, whoever counts at the same time", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a", "b"))
		limits := jobs.DefaultLimits
		limits.AgentMessages = 10
		writing(t, s, func(tx jobs.Tx) { ok(t, tx.PutLimits("a", limits)) })
		now := day
		agents := jobs.Agents{Store: s.Jobs(), Clock: func() time.Time { return now }}
		midnight := day.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
		for _, at := range []time.Time{day, midnight, day} { // the last is a clock that was set back
			now = at
			var group sync.WaitGroup
			var lock sync.Mutex
			taken := 0
			for range 14 {
				group.Go(func() {
					err := agents.Take(t.Context(), "a")
					lock.Lock()
					defer lock.Unlock()
					e := (*jobs.LimitError)(nil)
					switch {
					case err == nil:
						taken++
					case !errors.As(err, &e) || e.Code != jobs.CodeAgent || e.Limit != 10 || e.Used != 10 || !e.ResetsAt.Equal(at.UTC().Truncate(24*time.Hour).Add(24*time.Hour)):
						t.Errorf("%+v", err)
					}
				})
			}
			group.Wait()
			if taken != 10 {
				t.Errorf("%v: %d were taken", at, taken)
			}
			ok(t, agents.Take(t.Context(), "b")) // which has the default, and a count of its own
		}
	})
	_ = exercise("the oldest job that a worker can run comes first, and jobs are paged", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a", "b"))
		put := func(id, gpu, backend string, mode jobs.Mode, attempts int, after time.Duration) {
			writing(t, s, func(tx jobs.Tx) {
				ok(t, tx.PutJob(jobs.Job{ID: id, Org: "a", Status: jobs.Queued, Mode: mode, Backend: backend, Dataset: "mnist", GPU: gpu, Attempts: attempts, CreatedAt: day.Add(after), Reserved: 3}))
			})
		}
		put("j5", "T4", jobs.Fleet, jobs.GPU, 0, 5*time.Second)
		put("j4", "T4", jobs.Local, jobs.GPU, 1, 4*time.Second)
		put("j3", "T4", jobs.Fleet, jobs.Simulated, 1, 3*time.Second)
		put("j2", "T4", "slurm", jobs.GPU, 0, 2*time.Second)
		put("j1", "", jobs.Fleet, jobs.CPU, 0, 1*time.Second)
		writing(t, s, func(tx jobs.Tx) {
			for _, c := range []struct {
				gpu, dataset string
				simulated    bool
				want         string
			}{{"T4", "mnist", false, "j4"}, {"T4", "mnist", true, "j3"}, {"", "mnist", false, "j1"}, {"", "mnist", true, "j1"}, {"T4", "cifar10", false, ""}, {"L4", "mnist", true, ""}} {
				j, err := tx.Next(c.gpu, c.dataset, c.simulated)
				if j.ID != c.want || (err == nil) != (c.want != "") {
					t.Errorf("%+v: %q, %v", c, j.ID, err)
				}
			}
			ids := func(all []jobs.Job, err error) string {
				ok(t, err)
				var s string
				for _, j := range all {
					s += j.ID
				}
				return s
			}
			for got, want := range map[string]string{ids(tx.Jobs("a", "", 2)): "j5j4", ids(tx.Jobs("a", "j4", 9)): "j3j2j1", ids(tx.Jobs("b", "", 9)): "", ids(tx.Unended("j2", 2)): "j3j4"} {
				if got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			use, err := tx.Use("a", day.Add(3*time.Second))
			ok(t, err)
			if use != (jobs.Use{InFlight: 5, Today: 3, Dollars: 9}) {
				t.Errorf("%+v", use)
			}
		})
	})
	_ = exercise("an outcome that a job writes is written once", func(t *testing.T, s *Store) {
		ok(t, organisations(t.Context(), s, "a"))
		o := outcome("0000000a", day, 0.5)
		for _, c := range []struct {
			run  string
			want bool
		}{{"j1", true}, {"j1", false}, {"j2", true}} {
			o.Run = c.run
			writing(t, s, func(tx jobs.Tx) {
				if written, err := tx.Outcome("a", o); err != nil || written != c.want {
					t.Errorf("%s: %v, %v", c.run, written, err)
				}
			})
		}
		if rows, err := (ledger.Ledger{Store: s.Outcomes()}).List(t.Context(), "a", "0000000a"); err != nil || len(rows) != 2 {
			t.Errorf("%v, %v", rows, err)
		}
	})
	_ = exercise("what is asked for in a transaction is done once it is there, again when it says so, and once however often it is asked for", func(t *testing.T, s *Store) {
		done := &recorder{}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Work(ctx, done, slog.New(slog.DiscardHandler)) }()
		kinds := []jobs.Kind{jobs.Dispatching, jobs.Expiring, jobs.Ending, jobs.Stopping, jobs.Retaining}
		failed := errors.New("no")
		if err := s.Jobs().Write(t.Context(), func(tx jobs.Tx) error {
			return errors.Join(tx.Later(jobs.Work{Kind: jobs.Dispatching, Job: "undone", Attempt: 1}), failed)
		}); !errors.Is(err, failed) {
			t.Error(err)
		}
		began := time.Now()
		writing(t, s, func(tx jobs.Tx) {
			for _, k := range kinds {
				for range 3 {
					ok(t, tx.Later(jobs.Work{Kind: k, Job: "j", Attempt: 1, Lease: "l", Ref: "r"}))
				}
			}
			ok(t, tx.Later(jobs.Work{Kind: jobs.Dispatching, Job: "j", Attempt: 2}))
			ok(t, tx.Later(jobs.Work{Kind: jobs.Dispatching, Job: "later", Attempt: 1, At: time.Now().Add(time.Hour)}))
		})
		for len(done.all()) < len(kinds)+2 && time.Since(began) < 20*time.Second {
			time.Sleep(10 * time.Millisecond)
		}
		t.Logf("%v", time.Since(began))
		stop()
		ok(t, <-ended)
		want := []string{"dispatch j 1 l r", "dispatch j 1 l r", "dispatch j 2  ", "lease_expiry j 1 l r", "retention j 1 l r", "runtime_ceiling j 1 l r", "stop j 1 l r"}
		if got := done.all(); !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})

	_ = fills(func(t *testing.T, s *Store) {
		writing(t, s, func(tx jobs.Tx) {
			ok(t, tx.PutJob(fullJob("o1", "j1")))
			ok(t, tx.PutModel("j1", []byte{0, 1, 255}))
			ok(t, tx.PutEpochs("j1", []training.Epoch{{Epoch: 1, TrainLoss: 1.0 / 3}}))
			ok(t, tx.PutLimits("o1", jobs.DefaultLimits))
			ok(t, tx.PutMessages("o1", day, 3))
			ok(t, tx.PutWorker(jobs.Worker{ID: "w1", Name: "gpu-1", Hash: secret.Of("w1"), Backend: jobs.Fleet, CreatedAt: day}))
		})
	})
	_ = survives("job", func(ctx context.Context, s *Store, n int) error {
		if err := organisations(ctx, s, "jobs"); err != nil {
			return err
		}
		return s.Jobs().Write(ctx, func(tx jobs.Tx) error {
			id := "job" + strconv.Itoa(n)
			return errors.Join(tx.PutJob(fullJob("jobs", id)), tx.PutModel(id, []byte(id)), tx.PutEpochs(id, []training.Epoch{{Epoch: 1}}),
				tx.Later(jobs.Work{Kind: jobs.Dispatching, Job: id, Attempt: 1}))
		})
	}, func(ctx context.Context, s *Store, n int) error {
		id := "job" + strconv.Itoa(n)
		if err := s.Jobs().Read(ctx, func(tx jobs.Tx) error {
			_, a := tx.JobOf("jobs", id)
			_, b := tx.Model(id)
			epochs, c := tx.Epochs(id)
			if c == nil && len(epochs) != 1 {
				c = fmt.Errorf("%d epochs", len(epochs))
			}
			return errors.Join(a, b, c)
		}); err != nil {
			return err
		}
		var queued int64
		err := s.reading(ctx).one("SELECT COUNT(*) FROM river_job WHERE CAST(args AS TEXT) LIKE ?", []any{`%"` + id + `"%`}, &queued)
		if err == nil && queued != 1 {
			err = fmt.Errorf("%d pieces of work", queued)
		}
		return err
	})
)

// recorder notes what it is asked to do; the first dispatch is to be done again.
type recorder struct {
	mu   sync.Mutex
	done []string
}

func (r *recorder) Do(_ context.Context, w jobs.Work) (time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	said := fmt.Sprintf("%s %s %d %s %s", w.Kind, w.Job, w.Attempt, w.Lease, w.Ref)
	first := w.Kind == jobs.Dispatching && w.Attempt == 1 && !slices.Contains(r.done, said)
	r.done = append(r.done, said)
	if first {
		return 50 * time.Millisecond, nil
	}
	return 0, nil
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.done))
}
