package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/modelverifier/verifier/internal/jobs"
)

// What must happen later is a row of River's own tables, which are in the same database and so in the same transaction as the job.
// They are in no backup: everything in them follows from the jobs, and jobs.Service.Begin asks for it again.

// riverVersions are ours of the schema, and up to which of its own River's tables are made in each. PostgreSQL lets nobody use what
// River's fourth adds to an enum before that is committed. A River with newer tables gets another.
var riverVersions = []struct{ ours, rivers int }{{9, 4}, {10, 6}}

// riverTables makes River's tables as migrations of ours: under the same lock, once, and with versions that we know.
func (s *Store) riverTables() []*goose.Migration {
	var all []*goose.Migration
	for _, v := range riverVersions {
		all = append(all, goose.NewGoMigration(int64(v.ours), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			m, err := rivermigrate.New(s.queueDriver(), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				return err
			}
			existing, err := m.ExistingVersionsTx(ctx, tx)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(existing, func(is rivermigrate.Migration) bool { return is.Version >= v.rivers }) {
				return errMigrated
			}
			_, err = m.MigrateTx(ctx, tx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: v.rivers}) //nolint:staticcheck // River's reason against it is met above
			return err
		}}, nil))
	}
	return all
}

// queueDriver is River's driver for statements of our own transactions.
func (s *Store) queueDriver() riverdriver.Driver[*sql.Tx] {
	if s.kind == postgres {
		return riverdatabasesql.New(s.write)
	}
	return riversqlite.New(s.write)
}

// inserter adds to the queue; it works nothing.
func (s *Store) inserter() (*river.Client[*sql.Tx], error) {
	s.queue.Do(func() {
		s.insert, s.insertErr = river.NewClient(s.queueDriver(), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	})
	return s.insert, s.insertErr
}

// workArgs is a piece of work as River keeps it. All of it tells one from another.
type workArgs struct {
	Job     string `json:"job"`
	Attempt int    `json:"attempt,omitempty"`
	Lease   string `json:"lease,omitempty"`
	Ref     string `json:"ref,omitempty"`
}

// River finds the worker of a piece of work by the type of its arguments.
type (
	dispatchArgs struct{ workArgs }
	expiryArgs   struct{ workArgs }
	ceilingArgs  struct{ workArgs }
	stopArgs     struct{ workArgs }
	retainArgs   struct{ workArgs }
)

func (dispatchArgs) Kind() string { return string(jobs.Dispatching) }
func (expiryArgs) Kind() string   { return string(jobs.Expiring) }
func (ceilingArgs) Kind() string  { return string(jobs.Ending) }
func (stopArgs) Kind() string     { return string(jobs.Stopping) }
func (retainArgs) Kind() string   { return string(jobs.Retaining) }

// argsOf gives a piece of work its type.
func argsOf(w jobs.Work) (river.JobArgs, error) {
	a := workArgs{Job: w.Job, Attempt: w.Attempt, Lease: w.Lease, Ref: w.Ref}
	switch w.Kind {
	case jobs.Dispatching:
		return dispatchArgs{a}, nil
	case jobs.Expiring:
		return expiryArgs{a}, nil
	case jobs.Ending:
		return ceilingArgs{a}, nil
	case jobs.Stopping:
		return stopArgs{a}, nil
	case jobs.Retaining:
		return retainArgs{a}, nil
	}
	return nil, fmt.Errorf("store: there is no work of kind %q", w.Kind)
}

// triesMost is how often a piece of work is tried: it is never given up, because nobody else would do it.
const triesMost = 32_000

// unended are the states of work that will still be done: asked for once more, it is the same.
var unended = []rivertype.JobState{rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}

// Later adds a piece of work in this transaction.
func (t jobTx) Later(w jobs.Work) error {
	args, err := argsOf(w)
	if err != nil {
		return err
	}
	client, err := t.s.inserter()
	if err != nil {
		return fmt.Errorf("store: queue: %w", err)
	}
	tx, ok := t.run.(*sql.Tx)
	if !ok {
		return errors.New("store: queue: work is asked for in a transaction")
	}
	_, err = client.InsertTx(t.ctx, tx, args, &river.InsertOpts{MaxAttempts: triesMost, ScheduledAt: w.At,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unended}})
	return classify(err)
}

// Doer does what was asked for, and says how long to wait before it is done once more.
type Doer interface {
	Do(ctx context.Context, w jobs.Work) (again time.Duration, err error)
}

// doing is a worker of River's for one type of arguments.
type doing[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	do Doer
	of func(T) workArgs
}

func (d doing[T]) Work(ctx context.Context, j *river.Job[T]) error {
	a := d.of(j.Args)
	again, err := d.do.Do(ctx, jobs.Work{Kind: jobs.Kind(j.Kind), Job: a.Job, Attempt: a.Attempt, Lease: a.Lease, Ref: a.Ref})
	if err == nil && again > 0 {
		err = river.JobSnooze(again)
	}
	return err
}

// How work is done. What a killed process was doing is done again by another when doMost has passed twice.
const (
	doMost     = 30 * time.Second
	doAtOnce   = 4
	pollSQLite = 200 * time.Millisecond // SQLite tells nobody that there is work
	pollOther  = time.Second            // PostgreSQL does; this is for what it told nobody
	retryMost  = 30 * time.Second
	queuePool  = 4 // connections to PostgreSQL
)

// retries waits twice as long each time, up to half a minute: what fails is a database or a cluster that is away.
type retries struct{}

func (retries) NextRetry(j *rivertype.JobRow) time.Time {
	wait := min(time.Second<<min(len(j.Errors), 5), retryMost)
	return time.Now().Add(wait)
}

// Work does what was asked for until the context ends, and returns when everything under way has ended.
func (s *Store) Work(ctx context.Context, do Doer, log *slog.Logger) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, doing[dispatchArgs]{do: do, of: func(a dispatchArgs) workArgs { return a.workArgs }})
	river.AddWorker(workers, doing[expiryArgs]{do: do, of: func(a expiryArgs) workArgs { return a.workArgs }})
	river.AddWorker(workers, doing[ceilingArgs]{do: do, of: func(a ceilingArgs) workArgs { return a.workArgs }})
	river.AddWorker(workers, doing[stopArgs]{do: do, of: func(a stopArgs) workArgs { return a.workArgs }})
	river.AddWorker(workers, doing[retainArgs]{do: do, of: func(a retainArgs) workArgs { return a.workArgs }})
	config := &river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: doAtOnce}}, Logger: log,
		FetchPollInterval: pollSQLite, JobTimeout: doMost, RescueStuckJobsAfter: 2 * doMost, RetryPolicy: retries{},
	}
	if s.kind == sqlite {
		return work(ctx, s.queueDriver(), config)
	}
	config.FetchPollInterval = pollOther
	pool, err := s.queuePool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	return work(ctx, riverpgxv5.New(pool), config)
}

// queuePool is River's own: it waits for notices on one connection, which no pool of database/sql can.
func (s *Store) queuePool(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(s.address)
	if err != nil {
		return nil, fmt.Errorf("store: queue: %w", err) // pgx leaves the password out of it
	}
	config.MaxConns = queuePool
	config.ConnConfig.ConnectTimeout = connectTimeout
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "verifier"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("store: queue: %w", classify(err))
	}
	return pool, nil
}

// stopMost is how long what is under way may take when the service stops; it is done again by the next.
const stopMost = 10 * time.Second

func work[T any](ctx context.Context, driver riverdriver.Driver[T], config *river.Config) error {
	client, err := river.NewClient(driver, config)
	if err != nil {
		return fmt.Errorf("store: queue: %w", err)
	}
	// The client's own context does not end with ours: it is told to stop.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("store: queue: %w", classify(err))
	}
	<-ctx.Done()
	soft, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopMost)
	defer cancel()
	if err := client.Stop(soft); err != nil {
		hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopMost)
		defer cancel()
		return client.StopAndCancel(hard)
	}
	return nil
}
