package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// lookEvery is how often a cluster is asked about a job that it has not begun to run.
const lookEvery = 10 * time.Second

// Do does what was asked for, and returns how long to wait before it is done once more; zero: it is done. It may be called again,
// and by several at once, for the same work.
func (s *Service) Do(ctx context.Context, w Work) (again time.Duration, err error) {
	switch w.Kind {
	case Dispatching:
		return s.Dispatch(ctx, w.Job, w.Attempt)
	case Expiring:
		return s.Expire(ctx, w.Job, w.Lease)
	case Ending:
		return s.Ceiling(ctx, w.Job, w.Lease)
	case Stopping:
		return 0, s.stop(ctx, w.Job, w.Ref)
	case Retaining:
		return s.Retain(ctx, w.Job)
	}
	return 0, fmt.Errorf("jobs: there is no work of kind %q", w.Kind)
}

// Begin notes that this process serves from now on, and asks again for what every job needs that has not ended: behind a restored
// backup, which has no queue, nothing else would.
func (s *Service) Begin(ctx context.Context) error {
	s.began = s.now()
	const page = 50 // of a transaction, which others wait for
	for after := ""; ; {
		n := 0
		err := s.Store.Write(ctx, func(tx Tx) error {
			all, err := tx.Unended(after, page)
			if err != nil {
				return err
			}
			n = len(all)
			for _, j := range all {
				work := []Work{s.dispatching(j, s.now())}
				if j.Status == Running {
					work = s.watching(j)
				}
				for _, w := range work {
					if err := tx.Later(w); err != nil {
						return err
					}
				}
				after = j.ID
			}
			return nil
		})
		if err != nil || n < page {
			return err
		}
	}
}

func (s *Service) find(ctx context.Context, id string) (j Job, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error { j, err = tx.Job(id); return err })
	return j, err
}

// Dispatch brings a queued job to a machine, and stays with it until it is leased: a cluster may lose it, and nobody may ever
// come for it.
func (s *Service) Dispatch(ctx context.Context, id string, attempt int) (again time.Duration, err error) {
	j, err := s.find(ctx, id)
	if errors.Is(err, ErrNotFound) || err == nil && (j.Status != Queued || j.Attempts+1 != attempt) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	most := otherwise(s.QueueFor, DefaultQueue)
	left := j.CreatedAt.Add(most).Sub(s.now())
	if left <= 0 {
		return 0, s.giveUp(ctx, id, fmt.Sprintf("No worker took the job within %v.", most))
	}
	b := s.backend(j.Backend)
	switch {
	case b == nil:
		return min(left, time.Minute), nil // this process was started without it; another, or the next, may have it
	case j.Backend == Local || j.Backend == Fleet:
		return left, nil
	case j.Reference == "":
		err = s.start(ctx, b, j)
		if no := new(RefusedError); errors.As(err, &no) {
			return 0, s.giveUp(ctx, id, fmt.Sprintf("The cluster refused the job: %s.", no.Reason))
		}
	default:
		var why string
		if why, err = b.Gone(ctx, j.Reference); err == nil && why != "" {
			return 0, s.apply(ctx, id, Vanished{j.Reference, why})
		}
	}
	return min(left, lookEvery), err
}

// start gives a job to a cluster. Where this process dies in between, it is given once more: Start knows it by job and attempt.
func (s *Service) start(ctx context.Context, b Backend, j Job) error {
	token := JobPrefix + secret.New()
	err := s.Store.Write(ctx, func(tx Tx) error {
		return tx.PutWorker(Worker{ID: secret.ID(), Name: j.Backend, Hash: secret.Of(token), Backend: j.Backend, Job: j.ID, CreatedAt: s.now()})
	})
	if err != nil {
		return err
	}
	ref, err := b.Start(ctx, Ticket{Job: j.ID, Attempt: j.Attempts + 1, Token: token, Server: s.Server, GPU: j.GPU, Dataset: j.Dataset, Runtime: j.Runtime - j.Used})
	if err != nil {
		return fmt.Errorf("jobs: %s: %w", b.Name(), err)
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		now, err := tx.Job(j.ID)
		if err == nil {
			_, err = s.change(tx, now, Begun{ref})
		}
		return err
	})
	if errors.Is(err, ErrTransition) { // it was cancelled meanwhile
		return b.Stop(ctx, ref)
	}
	return err
}

// stop ends what a cluster still runs of a job.
func (s *Service) stop(ctx context.Context, id, ref string) error {
	j, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	if b := s.backend(j.Backend); b != nil {
		return b.Stop(ctx, ref)
	}
	return nil
}

// Expire takes a lease that has ended from its worker. While heartbeats renew it, it is looked at again at its new end. Behind a
// pause of the service workers have the time of one lease to come back.
func (s *Service) Expire(ctx context.Context, id, lease string) (again time.Duration, err error) {
	err = s.Store.Write(ctx, func(tx Tx) error {
		again = 0
		j, err := tx.Job(id)
		if err == nil {
			err = j.held(lease)
		}
		if err != nil {
			return err
		}
		ends, now := j.Lease.Until, s.now()
		if back := s.began.Add(s.leaseFor()); back.After(ends) {
			ends = back
		}
		if now.Before(ends) {
			again = ends.Sub(now)
			return nil
		}
		_, err = s.change(tx, j, Lost{lease, "its worker was not heard of any more"})
		return err
	})
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrLeaseLost) {
		return 0, nil
	}
	return again, err
}

// Ceiling ends a run that its worker should have ended.
func (s *Service) Ceiling(ctx context.Context, id, lease string) (again time.Duration, err error) {
	j, err := s.find(ctx, id)
	if errors.Is(err, ErrNotFound) || err == nil && j.held(lease) != nil {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if left := s.ceiling(j).Sub(s.now()); left > 0 {
		return left, nil
	}
	return 0, s.apply(ctx, id, Overran{lease})
}

// retainEvery is how often it is looked whether weights may go: the operator may have changed how long they are kept.
const retainEvery = 24 * time.Hour

// Retain removes what a job that has ended does not need any more: checkpoints, what lost leases left, its tokens, and in the end
// its weights.
func (s *Service) Retain(ctx context.Context, id string) (again time.Duration, err error) {
	j, err := s.find(ctx, id)
	if errors.Is(err, ErrNotFound) || err == nil && !j.Status.Ended() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	left := j.CompletedAt.Add(otherwise(s.WeightsFor, DefaultWeights)).Sub(s.now())
	keeps := j.Weights.Key != "" && left > 0
	if !keeps && (j.Weights.Key != "" || j.Checkpoint.Key != "") {
		// The note comes first: nobody is given a link to what is being removed.
		if err := s.apply(ctx, id, Removed{}); err != nil {
			return 0, err
		}
		j.Weights.Key = ""
	}
	for _, prefix := range []string{checkpoints(id), weights(j.Org, id)} {
		if err := s.sweep(ctx, prefix, j.Weights.Key); err != nil {
			return 0, err
		}
	}
	if err := s.Store.Write(ctx, func(tx Tx) error { return tx.DeleteJobWorkers(id) }); err != nil || !keeps {
		return 0, err
	}
	return min(left, retainEvery), nil
}

// sweep removes every object below a prefix but one.
func (s *Service) sweep(ctx context.Context, prefix, but string) error {
	var keys []string
	for key, err := range s.Blobs.List(ctx, prefix) {
		if err != nil {
			return err
		}
		if key != but {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if err := s.Blobs.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
