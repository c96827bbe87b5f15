package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/training"
)

// Service is what callers, workers and the operator do with jobs. Its fields are set once; its methods may be called at the same
// time, by any number of processes over one store.
type Service struct {
	Store    Store
	Blobs    Blobs
	Clock    func() time.Time
	Log      *slog.Logger
	Backends []Backend // beside the fleet, which is always there
	Server   string    // address under which workers reach the service

	AllowSimulated bool          // give jobs to workers that compute nothing
	LeaseFor       time.Duration // how long a lease lasts without a heartbeat
	WeightsFor     time.Duration // how long weights are kept behind the end of a job
	QueueFor       time.Duration // how long a job may wait for a worker

	choosing sync.Mutex // one choice at a time in this process: two would only lose against each other
	began    time.Time  // when this process began to serve; see Begin
}

// Defaults of the durations.
const (
	DefaultLease   = time.Minute
	DefaultWeights = 30 * 24 * time.Hour
	DefaultQueue   = 24 * time.Hour
	linkLasts      = 10 * time.Minute
)

// HeartbeatsPerLease is how often a worker renews a lease while it lasts.
const HeartbeatsPerLease = 4

// now is the time as it is kept.
func (s *Service) now() time.Time { return s.Clock().UTC().Truncate(time.Microsecond) }

func (s *Service) warn(message string, args ...any) {
	if s.Log != nil {
		s.Log.Warn(message, args...)
	}
}

func otherwise(d, value time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return value
}

func (s *Service) leaseFor() time.Duration { return otherwise(s.LeaseFor, DefaultLease) }

// ErrNowhere is returned where no worker and no cluster can take a job.
var ErrNowhere = errors.New("no worker and no cluster can run this job now")

// Submission is a job that was planned and may be run. The caller has clamped its configuration and found nothing that blocks it.
type Submission struct {
	Org         string
	Dataset     string
	GPU         string // a name of package hardware; empty: none
	Config      training.Config
	Fingerprint string
	Model       []byte // the graph as JSON
	Source      Source
	Mode        Mode
	Backend     string // where it is to run; empty: nowhere
	Reserved    int64  // micro-dollars
}

// Submit makes a job, and what brings it to a worker, in one transaction. LimitError: the organisation may not have it now;
// ErrNowhere: nobody could run it.
func (s *Service) Submit(ctx context.Context, sub Submission) (Job, error) {
	there, err := s.there(ctx, sub)
	if err != nil {
		return Job{}, err
	}
	j := Job{ID: secret.ID(), Org: sub.Org, Status: Queued, Mode: sub.Mode, Backend: sub.Backend, Dataset: sub.Dataset, GPU: sub.GPU, Config: sub.Config,
		Fingerprint: sub.Fingerprint, Source: sub.Source, Reserved: sub.Reserved}
	err = s.Store.Write(ctx, func(tx Tx) error {
		j.CreatedAt = s.now()
		limits, err := limitsOf(tx, sub.Org)
		if err != nil {
			return err
		}
		today, _ := day(j.CreatedAt)
		use, err := tx.Use(sub.Org, today)
		if err != nil {
			return err
		}
		if err := limits.allow(use, sub.GPU, sub.Reserved, j.CreatedAt); err != nil {
			return err
		}
		if !there {
			return ErrNowhere
		}
		j.Runtime = limits.Runtime
		if err := tx.PutJob(j); err != nil {
			return err
		}
		if err := tx.PutModel(j.ID, sub.Model); err != nil {
			return err
		}
		return tx.Later(s.dispatching(j, j.CreatedAt))
	})
	if err != nil {
		return Job{}, err
	}
	return j, nil
}

// there says whether the backend of a submission can run it.
func (s *Service) there(ctx context.Context, sub Submission) (bool, error) {
	places, err := s.Available(ctx)
	for _, p := range places {
		if p.Backend == sub.Backend && p.Has(sub.GPU, sub.Dataset) {
			return true, nil
		}
	}
	return false, err
}

// limitsOf are the limits of an organisation: its own row, or the defaults.
func limitsOf(tx Tx, org string) (Limits, error) {
	l, err := tx.Limits(org)
	if errors.Is(err, ErrNotFound) {
		return DefaultLimits, nil
	}
	return l, err
}

// Limits are those of an organisation, and what it uses of them.
func (s *Service) Limits(ctx context.Context, org string) (l Limits, use Use, err error) {
	today, _ := day(s.now())
	err = s.Store.Read(ctx, func(tx Tx) error {
		if l, err = limitsOf(tx, org); err == nil {
			use, err = tx.Use(org, today)
		}
		return err
	})
	return l, use, err
}

// SetLimits replaces the limits of an organisation. ErrNotFound: there is no such organisation.
func (s *Service) SetLimits(ctx context.Context, org string, l Limits) error {
	if l.InFlight < 0 || l.JobsPerDay < 0 || l.DollarsPerDay < 0 || l.AgentMessages < 0 || l.Runtime < runtimeLeast || l.Runtime > runtimeMost {
		return fmt.Errorf("a limit is not below 0, and a runtime from %v to %v", runtimeLeast, runtimeMost)
	}
	return s.Store.Write(ctx, func(tx Tx) error { return tx.PutLimits(org, l) })
}

// List returns an organisation's jobs without their epochs, newest first, those behind the id of the last one seen.
func (s *Service) List(ctx context.Context, org, after string, most int) (all []Job, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		all, err = tx.Jobs(org, after, most)
		return err
	})
	for i := range all {
		all[i].Ledger = repeated(all[i].Ledger)
	}
	return all, err
}

// LastRun is the newest completed run of a structure that was computed, with its epochs, or nil.
func (s *Service) LastRun(ctx context.Context, org, fingerprint string) (*Job, error) {
	var j Job
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		if j, err = tx.LastRun(org, fingerprint); err == nil {
			j.Epochs, err = tx.Epochs(j.ID)
		}
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return &j, err
}

// Cancel asks for the end of a job. One that waits ends at once, one that runs when its worker has stopped.
func (s *Service) Cancel(ctx context.Context, org, id string) (j Job, err error) {
	err = s.Store.Write(ctx, func(tx Tx) error {
		if j, err = tx.JobOf(org, id); err != nil || j.Status.Ended() {
			return err
		}
		if j, err = s.change(tx, j, CancelAsked{}); err == nil {
			j.Epochs, err = tx.Epochs(j.ID)
		}
		return err
	})
	return j, err
}

// Link is a signed address of the weights that works for ten minutes, or nothing where there are none.
func (s *Service) Link(ctx context.Context, j Job) (string, error) {
	if j.Weights.Key == "" || !j.Weights.Trained {
		return "", nil
	}
	return s.Blobs.Link(ctx, j.Weights.Key, linkLasts)
}

// change applies an event to a job in a transaction, and asks for what follows from it.
func (s *Service) change(tx Tx, j Job, e Event) (Job, error) {
	now := s.now()
	next, err := Apply(j, e, now)
	if err != nil {
		return j, err
	}
	if err := tx.PutJob(next); err != nil {
		return j, err
	}
	return next, s.follow(tx, j, next, now)
}

// windDown is how long a worker may take to end by itself behind its last report. A cluster that had to stop it would call a job that is
// completed cancelled.
const windDown = 10 * time.Second

// follow asks for what must happen because a job has changed.
func (s *Service) follow(tx Tx, was, is Job, now time.Time) error {
	var work []Work
	if was.Reference != "" && (is.Status.Ended() || is.Reference != was.Reference) {
		stop := Work{Kind: Stopping, Job: is.ID, Ref: was.Reference}
		if is.Status == Completed {
			stop.At = now.Add(windDown)
		}
		work = append(work, stop)
	}
	switch {
	case is.Status.Ended() && !was.Status.Ended():
		if err := tx.DeleteModel(is.ID); err != nil {
			return err
		}
		// An upload under a lease that was lost may still be under way.
		work = append(work, Work{Kind: Retaining, Job: is.ID, At: now.Add(2 * s.leaseFor())})
	case is.Status == Queued && is.Attempts > was.Attempts || is.Status == Queued && was.Status == Running:
		work = append(work, s.dispatching(is, now))
	case is.Status == Running && was.Status == Queued:
		work = append(work, s.watching(is)...)
	}
	for _, w := range work {
		if err := tx.Later(w); err != nil {
			return fmt.Errorf("jobs: %s: %w", w.Kind, err)
		}
	}
	return nil
}

// dispatching is what a queued job needs. Workers that ask by themselves need nobody to bring it: it is looked at when it has
// waited for too long.
func (s *Service) dispatching(j Job, now time.Time) Work {
	w := Work{Kind: Dispatching, Job: j.ID, Attempt: j.Attempts + 1, At: now}
	if j.Backend == Local || j.Backend == Fleet {
		w.At = j.CreatedAt.Add(otherwise(s.QueueFor, DefaultQueue))
	}
	return w
}

// watching is what a running job needs: somebody who looks at the end of its lease, and at the end of its time.
func (s *Service) watching(j Job) []Work {
	return []Work{{Kind: Expiring, Job: j.ID, Lease: j.Lease.ID, At: j.Lease.Until},
		{Kind: Ending, Job: j.ID, Lease: j.Lease.ID, At: s.ceiling(j)}}
}

// ceiling is when a run is ended by force: a lease behind the time at which its worker should have ended it.
func (s *Service) ceiling(j Job) time.Time {
	return j.Lease.Since.Add(max(0, j.Runtime-j.Used) + s.leaseFor())
}
