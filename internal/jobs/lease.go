package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/modelverifier/verifier/internal/exporter/task"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// ErrSimulated is returned to a worker that computes nothing where the operator did not allow it.
var ErrSimulated = errors.New("this service gives no jobs to workers that simulate: its operator can allow it with --allow-simulated")

// choices is how many jobs are tried for one worker: those that another process took, or that turn out not to be runnable.
const choices = 8

// Lease gives a worker the oldest job whose card and dataset it has, or nil where there is none.
func (s *Service) Lease(ctx context.Context, w Worker, o protocol.Offer) (*protocol.Assignment, error) {
	if o.Simulate && !s.AllowSimulated {
		return nil, ErrSimulated
	}
	if err := s.see(ctx, w, &o); err != nil {
		return nil, err
	}
	s.choosing.Lock()
	defer s.choosing.Unlock()
	for range choices {
		j, model, err := s.choose(ctx, w, o)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		t, err := makeTask(j, model)
		if err != nil {
			if err = s.giveUp(ctx, j.ID, fmt.Sprintf("The model cannot be trained: %v.", err)); err != nil {
				return nil, err
			}
			continue
		}
		j, err = s.take(ctx, j, w, o.Simulate)
		if errors.Is(err, ErrTransition) {
			continue // somebody else has it
		}
		if err != nil {
			return nil, err
		}
		return s.assignment(j, t), nil
	}
	return nil, nil
}

// choose finds the oldest job that a worker can run.
func (s *Service) choose(ctx context.Context, w Worker, o protocol.Offer) (j Job, model []byte, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		if w.Job != "" {
			j, err = tx.Job(w.Job)
			if err == nil && (j.Status != Queued || !j.Takes(o.Simulate)) {
				err = ErrNotFound
			}
		} else {
			j, err = oldest(tx, o)
		}
		if err == nil {
			model, err = tx.Model(j.ID)
		}
		return err
	})
	return j, model, err
}

// oldest looks for each card and dataset of an offer: one lookup in an index each, however many jobs wait for others.
func oldest(tx Tx, o protocol.Offer) (Job, error) {
	on := cards(o.Cards)
	if o.Simulate {
		on = hardware.Names()
	}
	if o.CPU || o.Simulate {
		on = append(on, "")
	}
	var found *Job
	for _, gpu := range on {
		for _, dataset := range shown(o, nil).Datasets {
			j, err := tx.Next(gpu, dataset, o.Simulate)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return Job{}, err
			}
			if found == nil || cmp.Or(j.CreatedAt.Compare(found.CreatedAt), cmp.Compare(j.ID, found.ID)) < 0 {
				found = &j
			}
		}
	}
	if found == nil {
		return Job{}, ErrNotFound
	}
	return *found, nil
}

// makeTask makes what the trainer is given of the graph that was kept.
func makeTask(j Job, model []byte) (training.Task, error) {
	g, err := graph.Decode(model, "model", graph.ServiceLimits)
	if err != nil {
		return training.Task{}, err
	}
	t, err := task.Of(g, j.Dataset, j.Config)
	t.RuntimeSec = (j.Runtime - j.Used).Seconds()
	return t, err
}

// take gives the job to the worker, unless it is not as it was when it was chosen.
func (s *Service) take(ctx context.Context, chosen Job, w Worker, simulated bool) (j Job, err error) {
	lease := secret.ID()
	err = s.Store.Write(ctx, func(tx Tx) error {
		if j, err = tx.Job(chosen.ID); err != nil {
			return err
		}
		if j.Attempts != chosen.Attempts {
			return ErrTransition
		}
		j, err = s.change(tx, j, Leased{Lease: lease, Worker: w.ID, Lasts: s.leaseFor(), Simulated: simulated})
		return err
	})
	return j, err
}

func (s *Service) assignment(j Job, t training.Task) *protocol.Assignment {
	a := &protocol.Assignment{Lease: protocol.Lease{ID: j.Lease.ID, Seconds: s.leaseFor().Seconds()}, Job: j.ID, Mode: string(j.Mode), GPU: j.GPU, Task: t}
	if c := j.Checkpoint; c.Key != "" {
		a.Checkpoint = &protocol.Checkpoint{Epoch: c.Epoch, SHA256: c.SHA256, Bytes: c.Bytes}
	}
	return a
}

// giveUp ends a job that waits and cannot be run.
func (s *Service) giveUp(ctx context.Context, id, why string) error {
	return s.apply(ctx, id, GivenUp{why})
}

// apply applies an event to a job. That it cannot happen any more is no fault: somebody was faster.
func (s *Service) apply(ctx context.Context, id string, e Event) error {
	err := s.Store.Write(ctx, func(tx Tx) error {
		j, err := tx.Job(id)
		if err == nil {
			_, err = s.change(tx, j, e)
		}
		return err
	})
	if errors.Is(err, ErrTransition) || errors.Is(err, ErrLeaseLost) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
