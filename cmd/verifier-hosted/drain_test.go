package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

const drainModel = `{"components":[{"id":"x","type":"input","params":{"shape":[1,28,28]}},{"id":"f","type":"flatten"},
	{"id":"l","type":"linear","params":{"inFeatures":784,"outFeatures":10}},{"id":"y","type":"output"}],
	"connections":[{"from":"x","to":"f"},{"from":"f","to":"l"},{"from":"l","to":"y"}]}`

// fill queues jobs in a database that no service has, for a worker that simulates and has called.
func (o *ordeal) fill(many int) {
	t := o.t
	s := accounttest.Open(t, o.address)
	defer s.Close()
	j := &jobs.Service{Store: s.Jobs(), Clock: time.Now, AllowSimulated: true}
	w := must[jobs.Worker](t)(j.Worker(t.Context(), o.settings[0].Token))
	must[*protocol.Assignment](t)(j.Lease(t.Context(), w, protocol.Offer{Simulate: true, Datasets: training.DatasetNames()}))
	began := time.Now()
	j.Clock = func() time.Time { return began } // a queue takes longer to fill than a worker counts as there
	for range many {
		must[jobs.Job](t)(j.Submit(t.Context(), jobs.Submission{Org: o.org, Dataset: "mnist", Mode: jobs.CPU, Backend: jobs.Fleet, Config: training.Config{Epochs: 1, BatchSize: 8, LR: 1, Optimizer: "sgd"},
			Fingerprint: "0a1b2c3d", Model: []byte(drainModel)}))
	}
	t.Logf("%d jobs were queued in %v", many, time.Since(began).Round(time.Second))
}

// checks calls check for as long as it is told, some at once and paced, and returns how long each took.
func (o *ordeal) checks(until <-chan struct{}) []time.Duration {
	var mu sync.Mutex
	var all []time.Duration
	var group sync.WaitGroup
	patient := &http.Client{Timeout: time.Minute} // how long it takes is reported, and nobody kills the service
	for range 4 {
		group.Go(func() {
			for {
				select {
				case <-until:
					return
				case <-time.After(50 * time.Millisecond):
				}
				began := time.Now()
				status, answer := o.callAs(patient, "POST", "/api/v1/check", `{"model":`+drainModel+`}`)
				mu.Lock()
				all = append(all, time.Since(began))
				mu.Unlock()
				if status != 200 {
					o.t.Errorf("check: %d %s", status, answer)
					return
				}
			}
		})
	}
	group.Wait()
	slices.Sort(all)
	return all
}

func at(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	return all[min(len(all)-1, len(all)*percent/100)].Round(10 * time.Microsecond)
}

// TestManyQueuedJobsDrainBesideCallers lets 50 workers that simulate run what is queued while others call check. VERIFIER_BENCH_JOBS says
// how many jobs there are: make bench-jobs has 10,000.
func TestManyQueuedJobsDrainBesideCallers(t *testing.T) {
	many, workers := 40, 10
	if n := os.Getenv("VERIFIER_BENCH_JOBS"); n != "" {
		workers = 50
		if _, err := fmt.Sscan(n, &many); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			o := prepare(t, kind == "postgres", workers)
			o.args = append(o.args, "--worker-lease", "30s", "--log-level", "warn")
			o.fill(many)
			o.serve()
			quiet := make(chan struct{})
			time.AfterFunc(min(10*time.Second, time.Duration(many)*50*time.Millisecond), func() { close(quiet) })
			before := o.checks(quiet)
			all := labourer{Server: o.settings[0].Server, Log: o.settings[0].Log}
			for _, s := range o.settings {
				all.Tokens = append(all.Tokens, s.Token)
			}
			o.settings[0] = all
			o.hire(0)
			began, drained := time.Now(), make(chan struct{})
			go o.drained(many, drained)
			meanwhile := o.checks(drained)
			took := time.Since(began)
			o.fire(0)
			_ = o.service.end(t, syscall.SIGTERM)
			t.Logf("%d jobs and %d workers: drained in %v, %.0f jobs a second", many, workers, took.Round(100*time.Millisecond), float64(many)/took.Seconds())
			t.Logf("check before:    p50 %v, p99 %v of %d calls", at(before, 50), at(before, 99), len(before))
			t.Logf("check meanwhile: p50 %v, p99 %v of %d calls", at(meanwhile, 50), at(meanwhile, 99), len(meanwhile))
			o.once(many)
		})
	}
}

// drained closes a channel when no job is left.
func (o *ordeal) drained(many int, done chan<- struct{}) {
	defer close(done)
	s := accounttest.Open(o.t, o.address)
	j := &jobs.Service{Store: s.Jobs(), Clock: time.Now}
	for end := time.Now().Add(20 * time.Minute); time.Now().Before(end); time.Sleep(250 * time.Millisecond) {
		if _, use, err := j.Limits(o.t.Context(), o.org); err == nil && use.InFlight == 0 && use.Today == int64(many) {
			return
		}
	}
	o.t.Error("jobs are left behind twenty minutes")
}

// once sees that every job was leased once, and completed.
func (o *ordeal) once(many int) {
	s := accounttest.Open(o.t, o.address)
	all := must[[]jobs.Job](o.t)((&jobs.Service{Store: s.Jobs(), Clock: time.Now}).List(o.t.Context(), o.org, "", 2*many))
	leases := map[string]bool{}
	for _, j := range all {
		if j.Status != jobs.Completed || j.Mode != jobs.Simulated || j.Attempts != 1 || leases[j.Lease.ID] {
			o.t.Errorf("%s is %s in mode %s behind %d attempts, under %s", j.ID, j.Status, j.Mode, j.Attempts, j.Lease.ID)
		}
		leases[j.Lease.ID] = true
	}
	if len(all) != many {
		o.t.Errorf("%d jobs of %d", len(all), many)
	}
}
