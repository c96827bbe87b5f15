package jobs

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/protocol"
)

// The largest objects that are kept.
const (
	CheckpointMost = 8 << 30
	WeightsMost    = 2 << 30 // protobuf, and so ONNX, cannot say more in one file
)

// leased finds the job that a worker runs under a lease. To everybody else it is lost, whether there is such a job or not.
func leased(tx Tx, w Worker, job, lease string) (Job, error) {
	j, err := tx.Job(job)
	if errors.Is(err, ErrNotFound) || err == nil && (j.Lease.Worker != w.ID || w.Job != "" && w.Job != job) {
		return Job{}, ErrLeaseLost
	}
	if err == nil {
		err = j.held(lease)
	}
	return j, err
}

// under applies an event to the job that a worker runs under a lease.
func (s *Service) under(ctx context.Context, w Worker, job, lease string, e Event) (j Job, err error) {
	err = s.Store.Write(ctx, func(tx Tx) error {
		if j, err = leased(tx, w, job, lease); err == nil {
			j, err = s.change(tx, j, e)
		}
		return err
	})
	return j, err
}

// Beat renews a lease, and tells the worker whether it should stop. ErrLeaseLost: it must.
func (s *Service) Beat(ctx context.Context, w Worker, job, lease string) (protocol.Orders, error) {
	j, err := s.under(ctx, w, job, lease, Beaten{Lease: lease, Lasts: s.leaseFor()})
	if err != nil {
		return protocol.Orders{}, err
	}
	return protocol.Orders{Seconds: s.leaseFor().Seconds(), Cancel: j.Cancel}, s.see(ctx, w, nil)
}

// Push adds epochs. Those that are there already, of an earlier attempt or of the same call sent twice, are left as they are.
func (s *Service) Push(ctx context.Context, w Worker, job, lease string, epochs []training.Epoch) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		j, err := leased(tx, w, job, lease)
		if err != nil {
			return err
		}
		if j.Epochs, err = tx.Epochs(job); err != nil {
			return err
		}
		known := len(j.Epochs)
		if j, err = Apply(j, Measured{lease, epochs}, s.now()); err != nil {
			return err
		}
		return tx.PutEpochs(job, j.Epochs[known:])
	})
}

// PutCheckpoint keeps what a later attempt can go on from. It is kept when it returns nil.
func (s *Service) PutCheckpoint(ctx context.Context, w Worker, job, lease string, epoch int64, sha string, r io.Reader) error {
	j, err := s.reader(ctx, w, job, lease)
	if err != nil {
		return err
	}
	if _, err := Apply(j, Checkpointed{lease, Object{Epoch: epoch}}, s.now()); err != nil {
		return err
	}
	o, err := s.keep(ctx, fmt.Sprintf("%s%s/%d-%s", checkpoints(job), lease, epoch, sha), sha, CheckpointMost, r)
	if err != nil {
		return err
	}
	o.Epoch = epoch
	if _, err := s.under(ctx, w, job, lease, Checkpointed{lease, o}); err != nil {
		return err // what was uploaded goes with the others when the job has ended
	}
	if old := j.Checkpoint; old.Key != "" && old.Key != o.Key && old.Epoch < epoch {
		if err := s.Blobs.Delete(ctx, old.Key); err != nil {
			s.warn("an old checkpoint could not be removed", "job", job, "error", err)
		}
	}
	return nil
}

// GetCheckpoint reads what an earlier attempt left. ErrNotFound: there is nothing.
func (s *Service) GetCheckpoint(ctx context.Context, w Worker, job, lease string) (io.ReadCloser, Object, error) {
	j, err := s.reader(ctx, w, job, lease)
	if err != nil {
		return nil, Object{}, err
	}
	if j.Checkpoint.Key == "" {
		return nil, Object{}, ErrNotFound
	}
	r, err := s.Blobs.Get(ctx, j.Checkpoint.Key)
	return r, j.Checkpoint, err
}

// PutModel keeps the weights of a run, under a key of its lease: what a worker uploads whose lease is lost replaces nothing.
func (s *Service) PutModel(ctx context.Context, w Worker, job, lease, sha string, r io.Reader) (Object, error) {
	j, err := s.reader(ctx, w, job, lease)
	if err != nil {
		return Object{}, err
	}
	o, err := s.keep(ctx, fmt.Sprintf("%s%s/%s.onnx", weights(j.Org, job), lease, sha), sha, WeightsMost, r)
	if err == nil {
		_, err = s.under(ctx, w, job, lease, Uploaded{lease, o})
	}
	return o, err
}

// checkpoints and weights are where the objects of a job are.
func checkpoints(job string) string  { return "checkpoints/" + job + "/" }
func weights(org, job string) string { return "weights/" + org + "/" + job + "/" }

// reader finds the job of a lease without changing it.
func (s *Service) reader(ctx context.Context, w Worker, job, lease string) (j Job, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error { j, err = leased(tx, w, job, lease); return err })
	return j, err
}

// keep stores an object under its digest, which its key ends in: two uploads under one key are the same bytes.
func (s *Service) keep(ctx context.Context, key, sha string, most int64, r io.Reader) (Object, error) {
	if b, err := hex.DecodeString(sha); err != nil || len(b) != 32 || strings.ToLower(sha) != sha {
		return Object{}, action.Errorf(action.CodeForm, "Digest", "must be sha-256= and 64 lower-case hexadecimal digits")
	}
	n, err := s.Blobs.Put(ctx, key, sha, most, r)
	return Object{Key: key, SHA256: sha, Bytes: n}, err
}

// Finish ends a run. A worker that did not hear the answer may say it again.
func (s *Service) Finish(ctx context.Context, w Worker, job, lease string, end protocol.End) (Status, error) {
	e := Finished{Lease: lease, Status: Status(end.Status), Reason: sentence(end.Error), Trained: end.ModelTrained, Untrained: sentence(end.ModelReason),
		Format: sentence(end.ModelFormat), SHA256: end.ModelSHA256}
	if e.Status == Failed && e.Reason == "" {
		e.Reason = "The worker did not say why."
	}
	var j Job
	err := s.Store.Write(ctx, func(tx Tx) error {
		was, err := tx.Job(job)
		if err == nil && was.Status.Ended() && was.Lease.ID == lease && was.Lease.Worker == w.ID {
			j = was
			return nil
		}
		if was, err = leased(tx, w, job, lease); err != nil {
			return err
		}
		if was.Epochs, err = tx.Epochs(job); err == nil {
			j, err = s.change(tx, was, e)
		}
		return err
	})
	return j.Status, err
}

// Release gives a job back that its worker cannot go on with: it is being stopped, or lacks what the job needs. Another goes on
// from the last checkpoint; it counts as an attempt, so that no job is handed round for ever.
func (s *Service) Release(ctx context.Context, w Worker, job, lease string) error {
	_, err := s.under(ctx, w, job, lease, Lost{lease, "its worker gave it back"})
	return err
}

// reasonMost is how long a worker's sentence may be.
const reasonMost = 500

// sentence is what a worker said, as text that can be shown on one line.
func sentence(s string) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return graph.Cut(strings.TrimSpace(s), reasonMost)
}
