// Package jobs runs training jobs: one state machine, the limits of an organisation, leases of workers and what becomes of a run.
//
// It knows no SQL and no HTTP. A Store keeps jobs and gives transactions, a Backend brings a job to a machine, and a surface hands
// on what callers and workers sent. Time is the service's own: what a worker's clock says decides nothing.
package jobs

import (
	"time"

	"github.com/modelverifier/verifier/internal/training"
)

// Status is where a job stands.
type Status string

// The states of the specification.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "error"
	Cancelled Status = "cancelled"
)

// Ended says whether a job will not change any more.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// Mode is what a run is computed on.
type Mode string

// Modes. A simulated run computes nothing, and says so everywhere.
const (
	GPU       Mode = "gpu"
	CPU       Mode = "cpu"
	Simulated Mode = "simulated"
)

// MaxAttempts is how many leases a job is given before a lost one ends it.
const MaxAttempts = 3

// Job is one training run of an organisation. Times are in UTC; a zero time has not come.
type Job struct {
	ID, Org     string
	Status      Status
	Mode        Mode
	Backend     string
	Dataset     string
	GPU         string // a name of package hardware; empty in mode cpu
	Config      training.Config
	Fingerprint string
	Source      Source

	CreatedAt, StartedAt, CompletedAt time.Time

	Attempts  int
	Lease     Lease         // the present one; of a job that has ended the last
	Cancel    bool          // somebody asked for its end
	Runtime   time.Duration // ceiling of all attempts together
	Used      time.Duration // of earlier leases; once the job has ended, of all
	Reserved  int64         // micro-dollars
	Cost      int64         // micro-dollars, once it has ended
	Reason    string        // why it ended in error, in a sentence for its owner
	Ledger    string        // what became of its outcome; empty before the first poll that reads completed
	Reference string        // of a cluster's own job, such as Slurm's id

	Checkpoint Object // of the last epoch that is whole
	Weights    Weights
	Epochs     []training.Epoch // in order; loaded by Get and not by List
}

// Source is where the caller has the model from.
type Source struct {
	Repo string `json:"repo,omitempty"`
	PR   int64  `json:"pr,omitempty"`
}

// Lease is a worker's right to run a job, until the service's clock says otherwise. The zero value is none.
type Lease struct {
	ID     string
	Worker string
	Since  time.Time
	Until  time.Time
}

// Object is something that package blob keeps.
type Object struct {
	Key    string
	SHA256 string
	Bytes  int64
	Epoch  int64 // that a checkpoint was made behind
}

// Weights is what a run left.
type Weights struct {
	Object
	Trained bool
	Reason  string // why they are not trained
	Format  string // onnx
}

// Wall is how long workers have had the job, by the service's clock.
func (j *Job) Wall(now time.Time) time.Duration {
	if j.Status == Running {
		return j.Used + max(0, now.Sub(j.Lease.Since))
	}
	return j.Used
}

// Dollars is what the job costs in micro-dollars: what it came to once it has ended, what is reserved for it before.
func (j *Job) Dollars() int64 {
	if j.Status.Ended() {
		return j.Cost
	}
	return j.Reserved
}
