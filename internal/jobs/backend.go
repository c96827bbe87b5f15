package jobs

import (
	"context"
	"time"
)

// Backend is where runs are computed: workers that ask for jobs by themselves, or a cluster that starts one for a job. Scheduling
// on a cluster is the cluster's.
type Backend interface {
	// Name is how answers and rows call it: local, workers, slurm, kubernetes.
	Name() string
	// Offers says what can be had now.
	Offers(ctx context.Context) (Offers, error)
	// Start brings a job to a machine, and returns what the cluster calls it. Where workers ask by themselves there is nothing to do.
	// It may be called again for the same job and attempt, with another token, and must then not start a second one. A RefusedError
	// says that the cluster will not take the job however often it is asked.
	Start(ctx context.Context, t Ticket) (reference string, err error)
	// Stop ends what Start began; it is no error that it has ended already.
	Stop(ctx context.Context, reference string) error
	// Gone says why the machine will not come back for a job, or nothing where it may: a cluster knows it earlier than a lease.
	Gone(ctx context.Context, reference string) (reason string, err error)
}

// Offers is what a backend can compute on now.
type Offers struct {
	Cards     []string // names of package hardware, without repeats
	CPU       bool     // runs without a card
	Simulated bool     // runs that compute nothing; only where the operator allowed them
	Datasets  []string // whose files are there; nil: all
}

// Ticket is what a cluster needs to start a worker for one job.
type Ticket struct {
	Job     string
	Attempt int
	Token   string // of a worker that may lease this job alone
	Server  string // address of the service
	GPU     string // empty: none
	Dataset string
	Runtime time.Duration
}

// RefusedError is a cluster's no to a job: there is no such card, partition or account, or it may not run for so long.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the cluster refuses the job: " + e.Reason }
