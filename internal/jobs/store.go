package jobs

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/training"
)

// Store keeps jobs. All times are microseconds in UTC.
type Store interface {
	// Read runs f on one consistent state. What f changes is refused.
	Read(ctx context.Context, f func(Tx) error) error
	// Write runs f as if nothing else ran at the same time, and keeps everything it did or, if it fails, nothing. It may run
	// f more than once: f must only change what it began itself. When Write returns nil the changes survive a crash.
	Write(ctx context.Context, f func(Tx) error) error
}

// ErrNotFound is returned for what is not there, or is another organisation's.
var ErrNotFound = errors.New("not found")

// Tx is what can be done inside a transaction. Getters return ErrNotFound.
type Tx interface {
	Job(id string) (Job, error)        // for workers and later work; without epochs
	JobOf(org, id string) (Job, error) // for callers; without epochs
	PutJob(j Job) error                // adds or replaces; without epochs

	Model(job string) ([]byte, error) // the graph as JSON
	PutModel(job string, graph []byte) error
	DeleteModel(job string) error

	Epochs(job string) ([]training.Epoch, error)     // in order
	PutEpochs(job string, e []training.Epoch) error  // leaves those that are there
	Jobs(org, after string, most int) ([]Job, error) // newest first, those behind the id if it is not empty
	LastRun(org, fingerprint string) (Job, error)    // the newest that is completed and not simulated
	Unended(after string, most int) ([]Job, error)   // of all organisations, by id, those behind the id
	Use(org string, since time.Time) (Use, error)    // today begins at since
	CardsOf(worker string) ([]string, error)         // of the jobs that it runs
	Next(gpu, dataset string, simulated bool) (Job, error)

	Limits(org string) (Limits, error)
	PutLimits(org string, l Limits) error // ErrNotFound where there is no such organisation

	Messages(org string, day time.Time) (int64, error) // of agents, on the UTC day that begins then
	PutMessages(org string, day time.Time, used int64) error

	Worker(hash secret.Hash) (Worker, error)
	WorkerByName(name string) (Worker, error)
	Workers() ([]Worker, error) // by name, without those of one job
	PutWorker(w Worker) error   // adds or replaces
	DeleteJobWorkers(job string) error

	Outcome(org string, o ledger.Outcome) (written bool, err error)
	Later(w Work) error // in this transaction; what is asked for already is left as it is
}

// Work is something that must happen later, whatever becomes of the process that asked for it.
type Work struct {
	Kind    Kind
	Job     string
	Attempt int       // of Dispatching
	Lease   string    // of Expiring and Ending
	Ref     string    // of Stopping
	At      time.Time // zero: now
}

// Kind names a kind of later work. It is what the queue calls it.
type Kind string

// Kinds.
const (
	Dispatching Kind = "dispatch"
	Expiring    Kind = "lease_expiry"
	Ending      Kind = "runtime_ceiling"
	Stopping    Kind = "stop"
	Retaining   Kind = "retention"
)

// Blobs keeps checkpoints and weights.
type Blobs interface {
	// Put keeps what has a SHA-256 and at most so many bytes. Nothing is left of what has not.
	Put(ctx context.Context, key, sha256hex string, most int64, r io.Reader) (bytes int64, err error)
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Delete is no error where there is nothing.
	Delete(ctx context.Context, key string) error
	List(ctx context.Context, prefix string) iter.Seq2[string, error]
	// Link makes an address under which anybody can read an object for so long.
	Link(ctx context.Context, key string, lasts time.Duration) (string, error)
}
