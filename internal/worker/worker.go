// Package worker leases training jobs from a service and runs them, one a card: it heartbeats, brings checkpoints, epochs and weights to
// the service, and obeys when it is told to stop. Its clock decides nothing but when to call.
//
// It knows no database, no account and no other service. Package run trains; this one is what trainers must not have: the token and the
// network.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/training/data"
	"github.com/modelverifier/verifier/internal/training/protocol"
	"github.com/modelverifier/verifier/internal/training/run"
)

// Options are what an operator says.
type Options struct {
	Server   string
	Token    string
	Name     string // of the machine; empty asks the system
	Version  string
	Data     string        // folder of datasets
	Work     string        // folder for the private folders of runs; empty is the system's temporary one
	Python   string        // empty is python3 of the search path
	Cards    []string      // what the cards count as; empty asks the driver
	CPU      bool          // takes jobs that need no card
	Simulate bool          // computes nothing
	Job      string        // the only one that it came for
	Pause    time.Duration // between the epochs of a simulated run
	Client   *http.Client
	Log      *slog.Logger
}

// jobPatience is how long a worker that came for one job waits for it.
const jobPatience = 2 * time.Minute

// idlePause is between two questions for a job where the service does not say.
const idlePause = 5 * time.Second

// ErrNoJob is that a worker that came for one job did not get it.
var ErrNoJob = errors.New("the service did not give the job to this worker")

type worker struct {
	Options
	api      *api
	machine  run.Machine
	threads  int
	mu       sync.Mutex
	free     []slot
	datasets []string
	stamp    string        // of the folder when datasets were looked for
	freed    chan struct{} // told when a slot is free again
	jobs     sync.WaitGroup
}

// Run leases and trains until the context ends; then it stops what runs and hands the leases back. With Job it ends with that job.
func Run(ctx context.Context, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a, err := newAPI(o.Server, o.Token, o.Client)
	if err != nil {
		return err
	}
	if o.Name == "" {
		o.Name, _ = os.Hostname()
	}
	w := &worker{Options: o, api: a, freed: make(chan struct{}, 1)}
	if err := w.look(ctx); ctx.Err() != nil {
		return nil // it was told to stop before it had looked
	} else if err != nil {
		return err
	}
	defer w.jobs.Wait()
	if o.Job != "" {
		return w.one(ctx)
	}
	return w.serve(ctx)
}

// look finds what this machine has.
func (w *worker) look(ctx context.Context) (err error) {
	if w.Simulate {
		w.free = []slot{{}}
		w.datasets = simulated()
		w.Log.Warn("simulating: nothing will be computed")
		return nil
	}
	if w.machine, err = run.Probe(ctx, w.Python); err != nil {
		return err
	}
	slots, notes, err := slotsOf(w.machine.Cards, w.Cards)
	if err != nil {
		return err
	}
	for _, n := range notes {
		w.Log.Warn(n)
	}
	w.threads = max(1, runtime.NumCPU()/max(1, len(slots)))
	if w.CPU || w.Job != "" {
		slots = append(slots, slot{})
	}
	if len(slots) == 0 {
		return errors.New("PyTorch sees no card here that has a price: --cpu trains on the processor, --cards says what a card counts as")
	}
	w.free = slots
	w.findData(ctx)
	if none := fmt.Sprintf("%s holds no dataset: verifier-worker data --dataset mnist --to %s brings one", w.Data, w.Data); len(w.datasets) == 0 && w.Job != "" {
		return errors.New(none)
	} else if len(w.datasets) == 0 {
		w.Log.Warn(none)
	}
	w.Log.Info("ready", "torch", w.machine.Torch, "cards", w.offer().Cards, "cpu", w.CPU, "datasets", w.datasets)
	return nil
}

// findData notes which datasets are whole.
func (w *worker) findData(ctx context.Context) {
	stamp := data.Stamp(w.Data) // before the files are read: what comes meanwhile is seen the next time
	names, faults := data.Present(ctx, w.Data)
	for _, f := range faults {
		w.Log.Error("a dataset is not used", "fault", f.Error())
	}
	w.mu.Lock()
	w.datasets, w.stamp = names, stamp
	w.mu.Unlock()
}

// seeNewData looks for datasets again where the folder has changed: a worker need not be started again for them.
func (w *worker) seeNewData(ctx context.Context) {
	w.mu.Lock()
	stamp := w.stamp
	w.mu.Unlock()
	if !w.Simulate && data.Stamp(w.Data) != stamp {
		w.findData(ctx)
		w.Log.Info("the datasets have changed", "datasets", w.offer().Datasets)
	}
}

// offer is what the worker can do now.
func (w *worker) offer() protocol.Offer {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := protocol.Offer{Name: w.Name, Version: w.Version, Torch: w.machine.Torch, Cards: []string{}, Simulate: w.Simulate, Datasets: slices.Clone(w.datasets), Job: w.Job}
	for _, s := range w.free {
		switch {
		case s.card == "":
			o.CPU = !w.Simulate
		case !slices.Contains(o.Cards, s.card):
			o.Cards = append(o.Cards, s.card)
		}
	}
	return o
}

// take removes a free slot that an assignment can run on.
func (w *worker) take(a *protocol.Assignment) (slot, bool) {
	want := a.GPU
	if a.Mode != modeGPU {
		want = ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.free, func(s slot) bool { return s.card == want })
	if i < 0 {
		return slot{}, false
	}
	s := w.free[i]
	w.free = slices.Delete(w.free, i, i+1)
	return s, true
}

func (w *worker) give(s slot) {
	w.mu.Lock()
	w.free = append(w.free, s)
	w.mu.Unlock()
	select {
	case w.freed <- struct{}{}:
	default:
	}
}

// serve asks for jobs as long as there is a free slot.
func (w *worker) serve(ctx context.Context) error {
	for failures := 0; ctx.Err() == nil; {
		o := w.offer()
		if len(o.Cards) == 0 && !o.CPU && !w.simulatesFree() {
			select {
			case <-ctx.Done():
			case <-w.freed:
			}
			continue
		}
		w.seeNewData(ctx)
		wait, err := w.ask(ctx, w.offer())
		switch {
		case errors.Is(err, ErrToken), final(err):
			return err
		case err != nil && ctx.Err() == nil:
			failures++
			wait = max(wait, pause(failures))
			w.Log.Warn("the service does not answer", "fault", err.Error(), "again", wait.String())
		default:
			failures = 0
		}
		w.idle(ctx, wait)
	}
	return nil
}

// final says whether the service refused a call that it will refuse again. One that is to be made again, as while its database is
// away, has a refusal inside.
func final(err error) bool {
	return errors.As(err, new(*refused)) && !errors.As(err, new(*later))
}

func (w *worker) simulatesFree() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Simulate && len(w.free) > 0
}

// idle waits until it is time to ask again, or a slot is free again.
func (w *worker) idle(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-w.freed:
	}
}

// ask leases a job and starts it. It says how long to wait where there was none.
func (w *worker) ask(ctx context.Context, o protocol.Offer) (time.Duration, error) {
	a, wait, err := w.api.lease(ctx, o)
	if l := (*later)(nil); errors.As(err, &l) {
		wait = l.wait
	}
	if err != nil || a == nil {
		return max(wait, idlePause/5), err
	}
	s, ok := w.take(a)
	if !ok {
		w.Log.Error("the service gave a job for what is not free here", "job", a.Job, "mode", a.Mode, "gpu", a.GPU)
		return idlePause, w.api.release(ctx, a.Job, a.Lease.ID)
	}
	w.jobs.Go(func() {
		defer w.give(s)
		w.do(ctx, s, a)
	})
	return 0, nil
}

// one waits for the job that the worker came for, and runs it.
func (w *worker) one(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, jobPatience)
	defer cancel()
	for n := 1; ; n++ {
		a, wait, err := w.api.lease(waiting, w.offer())
		if l := (*later)(nil); err != nil && !errors.As(err, &l) {
			return err
		}
		if a != nil {
			s, ok := w.take(a)
			if !ok {
				return errors.Join(fmt.Errorf("job %s wants %s, which is not here", a.Job, strings.TrimSpace(a.Mode+" "+a.GPU)), w.api.release(ctx, a.Job, a.Lease.ID))
			}
			w.do(ctx, s, a)
			return nil
		}
		if !sleep(waiting, max(wait, pause(min(n, 3)))) {
			return errors.Join(ErrNoJob, err, ctx.Err())
		}
	}
}
