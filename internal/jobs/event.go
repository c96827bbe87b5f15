package jobs

import (
	"errors"
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/training"
)

// Event is something that happened to a job. Its type says what; Apply is the only way in which a job changes.
type Event interface {
	apply(j *Job, now time.Time) error
}

var (
	// ErrLeaseLost is returned to a worker whose lease is not the job's present one: it must stop.
	ErrLeaseLost = errors.New("the lease is lost")
	// ErrTransition is returned for an event that cannot happen to a job as it stands.
	ErrTransition = errors.New("the job is not in a state for it")
)

// Apply returns the job behind an event, or the job as it was and why the event cannot happen. It is a pure function.
func Apply(j Job, e Event, now time.Time) (Job, error) {
	next := j
	if err := e.apply(&next, now); err != nil {
		return j, err
	}
	return next, nil
}

// Leased gives a queued job to a worker.
type Leased struct {
	Lease, Worker string
	Lasts         time.Duration
	Simulated     bool // the worker computes nothing
}

func (e Leased) apply(j *Job, now time.Time) error {
	if j.Status != Queued || j.Attempts >= MaxAttempts || !j.Takes(e.Simulated) {
		return ErrTransition
	}
	j.Status, j.Attempts = Running, j.Attempts+1
	if j.StartedAt.IsZero() {
		j.StartedAt = now
	}
	if e.Simulated {
		j.Mode = Simulated
	}
	j.Lease = Lease{ID: e.Lease, Worker: e.Worker, Since: now, Until: now.Add(e.Lasts)}
	return nil
}

// Takes says whether a worker that simulates, or one that does not, may run a job. The first attempt decides: figures that were
// made up and figures that were measured must not stand in one row.
func (j *Job) Takes(simulated bool) bool {
	return j.Attempts == 0 && j.Mode != Simulated || simulated == (j.Mode == Simulated)
}

// held says whether a lease is the one under which a job runs.
func (j *Job) held(lease string) error {
	if j.Status != Running || lease == "" || j.Lease.ID != lease {
		return ErrLeaseLost
	}
	return nil
}

// Beaten renews a lease. One whose time has passed is renewed too, as long as nobody has taken the job from it.
type Beaten struct {
	Lease string
	Lasts time.Duration
}

func (e Beaten) apply(j *Job, now time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	if until := now.Add(e.Lasts); until.After(j.Lease.Until) {
		j.Lease.Until = until
	}
	return nil
}

// Measured adds epochs. Those that are there already are left as they are; none may be missing in between.
type Measured struct {
	Lease  string
	Epochs []training.Epoch
}

func (e Measured) apply(j *Job, _ time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	for i, row := range e.Epochs {
		path := fmt.Sprintf("epochs[%d]", i)
		last := int64(len(j.Epochs))
		switch {
		case !row.Finite():
			return action.Errorf(action.CodeRange, path, "has a loss that is no finite number, or an accuracy that is not from 0 to 1")
		case row.Epoch < 1 || row.Epoch > j.Config.Epochs:
			return action.Errorf(action.CodeRange, path+".epoch", "is %d but must be from 1 to %d", row.Epoch, j.Config.Epochs)
		case row.Epoch > last+1:
			return action.Errorf(action.CodeRange, path+".epoch", "is %d but %d is the next one", row.Epoch, last+1)
		case row.Epoch == last+1:
			j.Epochs = append(j.Epochs[:last:last], row)
		}
	}
	return nil
}

// Checkpointed says where a later attempt can go on.
type Checkpointed struct {
	Lease  string
	Object Object
}

func (e Checkpointed) apply(j *Job, _ time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	if e.Object.Epoch < 1 || e.Object.Epoch > j.Config.Epochs {
		return action.Errorf(action.CodeRange, "epoch", "is %d but must be from 1 to %d", e.Object.Epoch, j.Config.Epochs)
	}
	if e.Object.Epoch >= j.Checkpoint.Epoch {
		j.Checkpoint = e.Object
	}
	return nil
}

// Uploaded says where the weights are. They count once Finished names them.
type Uploaded struct {
	Lease  string
	Object Object
}

func (e Uploaded) apply(j *Job, _ time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	j.Weights = Weights{Object: e.Object}
	return nil
}

// Finished ends a run as its worker says.
type Finished struct {
	Lease     string
	Status    Status
	Reason    string // of an error
	Trained   bool
	Untrained string // why not
	Format    string
	SHA256    string // of the weights
}

func (e Finished) apply(j *Job, now time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	switch e.Status {
	case Cancelled:
		if !j.Cancel { // the worker is being stopped, and gives the job back
			return Lost{e.Lease, "its worker was stopped"}.apply(j, now)
		}
		j.end(Cancelled, now)
	case Failed:
		j.Reason = e.Reason
		j.end(Failed, now)
	case Completed:
		return e.completed(j, now)
	default:
		return action.Errorf(action.CodeValue, "status", "is %q but must be completed, error or cancelled", string(e.Status))
	}
	return nil
}

// completed ends a run that has come to its last epoch; one without any figures has none to be believed. Weights are kept only where
// they are what the last epoch left, and are here.
func (e Finished) completed(j *Job, now time.Time) error {
	w := Weights{Trained: e.Trained, Reason: e.Untrained}
	switch {
	case int64(len(j.Epochs)) != j.Config.Epochs && (len(j.Epochs) > 0 || e.Trained && j.Mode != Simulated):
		return action.Errorf(action.CodeValue, "status", "is completed but %d of %d epochs were reported", len(j.Epochs), j.Config.Epochs)
	case j.Mode == Simulated:
		w = Weights{Reason: "the run was simulated: nothing was computed"}
	case e.Trained && (j.Weights.Key == "" || e.SHA256 != j.Weights.SHA256):
		return action.Errorf(action.CodeValue, "modelSha256", "is %q but the weights that were uploaded have %q", e.SHA256, j.Weights.SHA256)
	case e.Trained:
		w.Object, w.Format, w.Reason = j.Weights.Object, e.Format, ""
	case w.Reason == "":
		w.Reason = "the worker did not say why"
	}
	j.end(Completed, now)
	j.Weights = w
	return nil
}

// Lost takes a lease away. The job is tried again, unless that was the last attempt or somebody wants its end.
type Lost struct{ Lease, Why string }

func (e Lost) apply(j *Job, now time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	until := now
	if j.Lease.Until.Before(now) {
		until = j.Lease.Until // nobody pays for the time in which the service was away
	}
	switch {
	case j.Cancel:
		j.end(Cancelled, until)
		j.CompletedAt = now
	case j.Attempts >= MaxAttempts:
		j.Reason = fmt.Sprintf("The run was lost %d times: %s.", MaxAttempts, e.Why)
		j.end(Failed, until)
		j.CompletedAt = now
	default:
		j.Used += max(0, until.Sub(j.Lease.Since))
		j.Status, j.Lease, j.Weights, j.Reference = Queued, Lease{}, Weights{}, ""
	}
	return nil
}

// CancelAsked is what the owner wants. A job that has ended stays as it is.
type CancelAsked struct{}

func (CancelAsked) apply(j *Job, now time.Time) error {
	switch j.Status {
	case Queued:
		j.Cancel = true
		j.end(Cancelled, now)
	case Running:
		j.Cancel = true
	}
	return nil
}

// Overran ends a run that took longer than it may; its worker should have done so.
type Overran struct{ Lease string }

func (e Overran) apply(j *Job, now time.Time) error {
	if err := j.held(e.Lease); err != nil {
		return err
	}
	j.Reason = fmt.Sprintf("The run took longer than %v, which is its ceiling.", j.Runtime)
	j.end(Failed, now)
	return nil
}

// Begun notes what a cluster calls the job that it was given.
type Begun struct{ Reference string }

func (e Begun) apply(j *Job, _ time.Time) error {
	if j.Status.Ended() || j.Status == Queued && j.Reference != "" && j.Reference != e.Reference {
		return ErrTransition
	}
	j.Reference = e.Reference
	return nil
}

// Vanished is a cluster's job that ended without asking for its lease. It counts as an attempt.
type Vanished struct{ Reference, Why string }

func (e Vanished) apply(j *Job, now time.Time) error {
	if j.Status != Queued || j.Reference != e.Reference {
		return ErrTransition
	}
	j.Attempts++
	j.Reference = ""
	if j.Attempts >= MaxAttempts {
		j.Reason = fmt.Sprintf("%s did not run it in %d attempts: %s.", j.Backend, MaxAttempts, e.Why)
		j.end(Failed, now)
	}
	return nil
}

// GivenUp ends a job that waits and cannot be run.
type GivenUp struct{ Why string }

func (e GivenUp) apply(j *Job, now time.Time) error {
	if j.Status != Queued {
		return ErrTransition
	}
	j.Reason = e.Why
	j.end(Failed, now)
	return nil
}

// Recorded notes what became of the outcome of a completed run.
type Recorded struct{ Word string }

func (e Recorded) apply(j *Job, _ time.Time) error {
	if j.Status != Completed || j.Ledger != "" {
		return ErrTransition
	}
	j.Ledger = e.Word
	return nil
}

// Removed says that the weights are not kept any more.
type Removed struct{}

func (Removed) apply(j *Job, _ time.Time) error {
	if !j.Status.Ended() {
		return ErrTransition
	}
	j.Weights.Key, j.Checkpoint = "", Object{}
	return nil
}

// end settles what a job cost: the price of its card for the time that workers had it, at most for its ceiling.
func (j *Job) end(s Status, now time.Time) {
	if j.Status == Running {
		j.Used += max(0, now.Sub(j.Lease.Since))
	}
	j.Status, j.CompletedAt, j.Weights = s, now, Weights{Reason: "the run did not complete"}
	j.Cost = Price(j.Mode, j.GPU, min(j.Used, j.Runtime))
}

// Price is what a card costs for so long, in micro-dollars, rounded up. Only mode gpu costs anything.
func Price(m Mode, gpu string, d time.Duration) int64 {
	card := hardware.Lookup(gpu)
	if m != GPU || card == nil || d <= 0 {
		return 0
	}
	// An hour of the dearest card is under 2^24 micro-dollars and a ceiling under 2^50 microseconds, so that this fits.
	return (card.PriceMicroUSDPerHour*d.Milliseconds() + time.Hour.Milliseconds() - 1) / time.Hour.Milliseconds()
}
