package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
	"github.com/modelverifier/verifier/internal/training/protocol"
	"github.com/modelverifier/verifier/internal/training/run"
)

// The modes and ends of the protocol.
const (
	modeGPU       = "gpu"
	modeSimulated = "simulated"
	completed     = "completed"
	failed        = "error"
	cancelled     = "cancelled"
)

// Why a run is stopped from outside.
var (
	errCancelled = errors.New("the job was cancelled")
	errLeaving   = errors.New("the worker is leaving")
)

const (
	maxCrashes  = 2 // of the trainer, before a run is given up
	maxUploads  = 8 // attempts to upload one file
	leavingTime = 10 * time.Second
)

// lease is one job while this worker holds it.
type lease struct {
	*worker
	protocol.Assignment
	log    *slog.Logger
	began  time.Time
	held   context.Context // ends when the lease is lost
	folder string
}

// do runs a job to its end, and says it.
func (w *worker) do(ctx context.Context, s slot, a *protocol.Assignment) {
	held, lose := context.WithCancelCause(context.WithoutCancel(ctx))
	running, stop := context.WithCancelCause(held)
	defer lose(nil)
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(errLeaving) })()
	l := &lease{worker: w, Assignment: *a, log: w.Log.With("job", a.Job), began: time.Now(), held: held}
	go l.keep(lose, stop)
	l.log.Info("leased", "mode", a.Mode, "gpu", a.GPU, "dataset", a.Task.Dataset, "epochs", a.Task.Config.Epochs)

	folder, err := os.MkdirTemp(w.Work, "verifier-run-") // mode 0700
	if err == nil {
		defer func() {
			if err := os.RemoveAll(folder); err != nil {
				l.log.Error("the folder of the run is still there", "folder", folder, "fault", err.Error())
			}
		}()
		l.folder = folder
		var out run.Outcome
		out, err = l.train(running, s)
		l.tell(out)
		err = l.end(out, err)
	} else {
		err = l.release(err)
	}
	if err != nil {
		l.log.Warn("the end could not be told", "fault", err.Error())
	}
}

// keep renews the lease at a third of its time. It ends the run where the lease is lost, or where that may be so, and where the service
// says cancel.
func (l *lease) keep(lose, stop context.CancelCauseFunc) {
	until := l.began.Add(seconds(l.Lease.Seconds))
	for failures, wait := 0, seconds(l.Lease.Seconds)/3; sleep(l.held, wait); {
		asked := time.Now()
		calling, done := context.WithDeadline(l.held, until)
		o, err := l.api.beat(calling, l.Job, l.Lease.ID)
		done()
		var again *later
		switch {
		case err == nil:
			failures, until, wait = 0, asked.Add(seconds(o.Seconds)), seconds(o.Seconds)/3
			if o.Cancel {
				stop(errCancelled)
			}
			continue
		case errors.As(err, &again) && time.Now().Before(until):
			failures++
			wait = min(pause(failures), time.Until(until)+time.Millisecond)
			l.log.Warn("no heartbeat", "fault", err.Error(), "leaseEndsIn", time.Until(until).String())
			continue
		}
		if l.held.Err() == nil {
			l.log.Error("the lease is lost", "fault", err.Error())
			lose(errLost)
		}
		return
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// train brings the checkpoint of an earlier attempt, and trains on. A trainer that the system killed is started again.
func (l *lease) train(ctx context.Context, s slot) (out run.Outcome, err error) {
	o := run.Options{Python: l.Python, Data: l.Data, Device: "cpu", Threads: l.threads, Folder: l.folder, Isolation: l.machine.Isolation, Simulate: l.Mode == modeSimulated, Pause: l.Pause}
	if o.Simulate != l.Simulate {
		return out, fmt.Errorf("the service says mode %s to a worker whose --simulate is %t", l.Mode, l.Simulate)
	}
	if s.card != "" {
		o.Device, o.Cards = "cuda:0", s.visible
	}
	resume, err := l.fetch(ctx)
	if err != nil {
		return out, err
	}
	for crashes, t := 0, l.Task; ; crashes++ {
		if out, err = run.Run(ctx, t, o, resume, run.Events{Epoch: l.epoch(ctx)}); err == nil {
			return out, nil
		}
		died := (*run.Crashed)(nil)
		if !errors.As(err, &died) || crashes == maxCrashes || ctx.Err() != nil {
			return out, err
		}
		l.log.Warn("the trainer died and is started again", "fault", died.Error())
		if t.RuntimeSec > 0 {
			t.RuntimeSec = max(1, l.Task.RuntimeSec-time.Since(l.began).Seconds())
		}
		if died.Checkpoint != "" {
			resume = filepath.Join(l.folder, "resume.pt")
			if err := os.Rename(died.Checkpoint, resume); err != nil {
				return out, err
			}
		}
	}
}

// fetch brings the checkpoint to go on from, if there is one. One that does not come whole is left: the run begins anew, and the rows
// that it repeats are there already.
func (l *lease) fetch(ctx context.Context) (string, error) {
	if l.Checkpoint == nil {
		return "", nil
	}
	path := filepath.Join(l.folder, "resume.pt")
	err := persist(ctx, maxUploads, func() error { return l.api.download(ctx, l.Job, l.Lease.ID, *l.Checkpoint, path) })
	switch {
	case err == nil:
		return path, nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, errLost):
		return "", err
	}
	l.log.Error("the checkpoint is not used", "fault", err.Error())
	return "", nil
}

// epoch stores a checkpoint and then pushes its row. A checkpoint that the service will not keep costs only time, if the worker dies.
func (l *lease) epoch(ctx context.Context) func(training.Epoch, string) error {
	return func(e training.Epoch, checkpoint string) error {
		if checkpoint != "" {
			path := fmt.Sprintf("%s?lease=%s&epoch=%d", jobPath(l.Job, "checkpoint"), url.QueryEscape(l.Lease.ID), e.Epoch)
			err := persist(ctx, maxUploads, func() error { _, _, err := l.api.upload(ctx, path, checkpoint); return err })
			switch {
			case errors.Is(err, errLost), ctx.Err() != nil:
				return ended(ctx, err)
			case err != nil:
				l.log.Error("the checkpoint is not stored", "epoch", e.Epoch, "fault", err.Error())
			}
		}
		err := persist(ctx, 0, func() error { return l.api.push(ctx, l.Job, l.Lease.ID, e) })
		if err == nil {
			l.log.Info("epoch", "epoch", e.Epoch, "trainLoss", e.TrainLoss, "valLoss", e.ValLoss, "valAcc", e.ValAcc)
		}
		return ended(ctx, err)
	}
}

// ended is why a context has ended, or else an error.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// tell logs what the run said of itself.
func (l *lease) tell(out run.Outcome) {
	for _, n := range out.Notes {
		l.log.Info(n)
	}
	if n := len(out.Rates); n > 0 {
		l.log.Info("trained", "samplesPerSec", out.Rates[n-1], "wallSec", out.WallSec)
	}
}

// end says how a run ended. A lost lease is nobody's to end any more.
func (l *lease) end(out run.Outcome, err error) error {
	end := protocol.End{Lease: l.Lease.ID, Status: completed, ModelTrained: out.Trained, ModelReason: out.Reason}
	failure, crash := (*run.Failed)(nil), (*run.Crashed)(nil)
	switch {
	case l.held.Err() != nil, errors.Is(err, errLost):
		l.log.Warn("dropped: the lease is lost")
		return nil
	case err == nil:
		l.weights(out, &end)
	case errors.Is(err, errCancelled):
		end.Status = cancelled
	case errors.As(err, &failure), errors.As(err, &crash):
		end.Status, end.Error = failed, err.Error()
	case l.Job == l.worker.Job && isData(err): // nobody else would be asked
		end.Status, end.Error = failed, "The machine of this run does not have the dataset: "+err.Error()
	default:
		return l.release(err)
	}
	end.WallSec = time.Since(l.began).Seconds()
	l.log.Info("ended", "status", end.Status, "modelTrained", end.ModelTrained, "reason", end.ModelReason+end.Error)
	return persist(l.held, 0, func() error { return l.api.finish(l.held, l.Job, end) })
}

// weights uploads the file that was read back.
func (l *lease) weights(out run.Outcome, end *protocol.End) {
	if !out.Trained {
		return
	}
	path := jobPath(l.Job, "model") + "?lease=" + url.QueryEscape(l.Lease.ID)
	err := persist(l.held, maxUploads, func() (err error) {
		end.ModelSHA256, end.ModelBytes, err = l.api.upload(l.held, path, out.ONNX)
		return err
	})
	if err != nil {
		end.ModelTrained, end.ModelReason = false, "the weights could not be uploaded: "+err.Error()
		end.ModelSHA256, end.ModelBytes = "", 0
		return
	}
	end.ModelFormat = "onnx"
}

// release hands the job back, for another worker or a later time.
func (l *lease) release(why error) error {
	l.log.Warn("handed back", "why", why.Error())
	if isData(why) {
		l.findData(l.held)
	}
	ctx, cancel := context.WithTimeout(l.held, leavingTime)
	defer cancel()
	return persist(ctx, 0, func() error { return l.api.release(ctx, l.Job, l.Lease.ID) })
}

func isData(err error) bool {
	return errors.As(err, new(*data.Missing)) || errors.As(err, new(*data.Altered))
}
