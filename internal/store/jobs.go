package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/training"
)

// jobColumns are those of a job, as a backup and every statement names them.
var jobColumns = []string{
	"id text", "org text", "status text", "mode text", "backend text", "dataset text", "gpu text", "epochs integer", "batch_size integer", "lr real", "optimizer text",
	"fingerprint text", "repo text", "pr integer", "created_at integer", "started_at integer", "completed_at integer", "attempts integer", "lease text",
	"lease_worker text", "lease_since integer", "lease_until integer", "cancel integer", "runtime integer", "used integer", "reserved integer", "cost integer",
	"reason text", "ledger text", "reference text", "checkpoint text", "checkpoint_sha text", "checkpoint_bytes integer", "checkpoint_epoch integer",
	"weights text", "weights_sha text", "weights_bytes integer", "trained integer", "untrained text", "format text",
}

var (
	_ = register("job", jobColumns...)
	_ = register("job_model", "job text", "graph bytes")
	_ = register("job_epoch", "job text", "epoch integer", "train_loss real", "val_loss real", "val_acc real")

	jobTable  = table{"job", parseColumns(jobColumns)}
	selectJob = "SELECT " + jobTable.names() + " FROM job "
	putJob    = jobTable.insert() + " ON CONFLICT (id) DO UPDATE SET " + changing(jobTable)
)

// changing sets every column to its new value but three: an id keeps its organisation and when it was made.
func changing(t table) string {
	var all []string
	for _, c := range t.columns {
		switch c.name {
		case "id", "org", "created_at":
		default:
			all = append(all, c.name+" = excluded."+c.name)
		}
	}
	return strings.Join(all, ", ")
}

// jobStore is the store of package jobs.
type jobStore struct{ s *Store }

// Jobs returns the store of training jobs.
func (s *Store) Jobs() jobs.Store { return jobStore{s} }

// Read runs f on one state of the database.
func (j jobStore) Read(ctx context.Context, f func(jobs.Tx) error) error {
	return j.s.snapshot(ctx, func(at at) error { return f(jobTx{at, j.s}) })
}

// Write runs f as if it were alone. Two who add the same row at the same time may both have found it missing: the loser looks again.
func (j jobStore) Write(ctx context.Context, f func(jobs.Tx) error) error {
	if err := j.s.room(ctx); err != nil {
		return err
	}
	run := func() error { return j.s.transact(ctx, func(at at) error { return f(jobTx{at, j.s}) }) }
	err := run()
	if errors.Is(err, errUnique) {
		err = run()
	}
	return err
}

// jobTx runs inside a transaction.
type jobTx struct {
	at
	s *Store
}

// micros is how times of jobs are kept; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// absent gives the domain's word for no row.
func absent(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return jobs.ErrNotFound
	}
	return err
}

// jobValues are those of a job in the order of its columns.
func jobValues(j jobs.Job) []any {
	return []any{j.ID, j.Org, string(j.Status), string(j.Mode), j.Backend, j.Dataset, j.GPU, j.Config.Epochs, j.Config.BatchSize, j.Config.LR, j.Config.Optimizer,
		j.Fingerprint, j.Source.Repo, j.Source.PR, micros(j.CreatedAt), micros(j.StartedAt), micros(j.CompletedAt), int64(j.Attempts), j.Lease.ID,
		j.Lease.Worker, micros(j.Lease.Since), micros(j.Lease.Until), truth(j.Cancel), j.Runtime.Microseconds(), j.Used.Microseconds(), j.Reserved, j.Cost,
		j.Reason, j.Ledger, j.Reference, j.Checkpoint.Key, j.Checkpoint.SHA256, j.Checkpoint.Bytes, j.Checkpoint.Epoch,
		j.Weights.Key, j.Weights.SHA256, j.Weights.Bytes, truth(j.Weights.Trained), j.Weights.Reason, j.Weights.Format}
}

// scanJob reads a row of all columns.
func scanJob(scan func(...any) error) (jobs.Job, error) {
	var j jobs.Job
	var created, started, completed, attempts, since, until, cancel, runtime, used, trained int64
	err := scan(&j.ID, &j.Org, &j.Status, &j.Mode, &j.Backend, &j.Dataset, &j.GPU, &j.Config.Epochs, &j.Config.BatchSize, &j.Config.LR, &j.Config.Optimizer,
		&j.Fingerprint, &j.Source.Repo, &j.Source.PR, &created, &started, &completed, &attempts, &j.Lease.ID,
		&j.Lease.Worker, &since, &until, &cancel, &runtime, &used, &j.Reserved, &j.Cost,
		&j.Reason, &j.Ledger, &j.Reference, &j.Checkpoint.Key, &j.Checkpoint.SHA256, &j.Checkpoint.Bytes, &j.Checkpoint.Epoch,
		&j.Weights.Key, &j.Weights.SHA256, &j.Weights.Bytes, &trained, &j.Weights.Reason, &j.Weights.Format)
	j.CreatedAt, j.StartedAt, j.CompletedAt = instant(created), instant(started), instant(completed)
	j.Attempts, j.Cancel, j.Weights.Trained = int(attempts), cancel != 0, trained != 0
	j.Lease.Since, j.Lease.Until = instant(since), instant(until)
	j.Runtime, j.Used = time.Duration(runtime)*time.Microsecond, time.Duration(used)*time.Microsecond
	return j, err
}

func (t jobTx) jobs(where string, args ...any) ([]jobs.Job, error) {
	var all []jobs.Job
	err := t.each(func(scan func(...any) error) error {
		j, err := scanJob(scan)
		all = append(all, j)
		return err
	}, selectJob+where, args...)
	return all, err
}

func (t jobTx) job(where string, args ...any) (jobs.Job, error) {
	all, err := t.jobs(where, args...)
	if err != nil {
		return jobs.Job{}, err
	}
	if len(all) == 0 {
		return jobs.Job{}, jobs.ErrNotFound
	}
	return all[0], nil
}

func (t jobTx) Job(id string) (jobs.Job, error) { return t.job("WHERE id = ?", id) }

func (t jobTx) JobOf(org, id string) (jobs.Job, error) {
	return t.job("WHERE org = ? AND id = ?", org, id)
}

func (t jobTx) PutJob(j jobs.Job) error {
	_, err := t.exec(putJob, jobValues(j)...)
	return err
}

func (t jobTx) Jobs(org, after string, most int) ([]jobs.Job, error) {
	if after == "" {
		return t.jobs("WHERE org = ? ORDER BY created_at DESC, id DESC LIMIT ?", org, most)
	}
	return t.jobs("WHERE org = ? AND (created_at, id) < (SELECT created_at, id FROM job WHERE org = ? AND id = ?) ORDER BY created_at DESC, id DESC LIMIT ?",
		org, org, after, most)
}

func (t jobTx) LastRun(org, fingerprint string) (jobs.Job, error) {
	return t.job("WHERE org = ? AND fingerprint = ? AND status = ? AND mode <> ? ORDER BY completed_at DESC, id DESC LIMIT 1",
		org, fingerprint, string(jobs.Completed), string(jobs.Simulated))
}

func (t jobTx) Unended(after string, most int) ([]jobs.Job, error) {
	return t.jobs("WHERE (status = ? OR status = ?) AND id > ? ORDER BY id LIMIT ?", string(jobs.Queued), string(jobs.Running), after, most)
}

// Next looks at the head of one queue: the index holds jobs by state, card, dataset and age.
func (t jobTx) Next(gpu, dataset string, simulated bool) (jobs.Job, error) {
	const waiting = "WHERE status = ? AND gpu = ? AND dataset = ? AND (backend = ? OR backend = ?) "
	const first = " ORDER BY created_at, id LIMIT 1"
	args := []any{string(jobs.Queued), gpu, dataset, jobs.Local, jobs.Fleet, string(jobs.Simulated)}
	if simulated {
		return t.job(waiting+"AND (mode = ? OR attempts = 0)"+first, args...)
	}
	return t.job(waiting+"AND mode <> ?"+first, args...)
}

func (t jobTx) CardsOf(worker string) ([]string, error) {
	var all []string
	err := t.each(func(scan func(...any) error) error {
		var gpu string
		err := scan(&gpu)
		all = append(all, gpu)
		return err
	}, "SELECT DISTINCT gpu FROM job WHERE lease_worker = ? AND status = ? AND gpu <> '' ORDER BY gpu", worker, string(jobs.Running))
	return all, err
}

func (t jobTx) Use(org string, since time.Time) (jobs.Use, error) {
	var u jobs.Use
	queued, running := string(jobs.Queued), string(jobs.Running)
	err := t.one("SELECT COUNT(*) FROM job WHERE org = ? AND (status = ? OR status = ?)", []any{org, queued, running}, &u.InFlight)
	if err == nil {
		err = t.one(`SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN status = ? OR status = ? THEN reserved ELSE cost END), 0) AS BIGINT)
			FROM job WHERE org = ? AND created_at >= ?`, []any{queued, running, org, micros(since)}, &u.Today, &u.Dollars)
	}
	return u, err
}

func (t jobTx) Model(job string) (graph []byte, err error) {
	err = t.one("SELECT graph FROM job_model WHERE job = ?", []any{job}, &graph)
	return graph, absent(err)
}

func (t jobTx) PutModel(job string, graph []byte) error {
	_, err := t.exec("INSERT INTO job_model (job, graph) VALUES (?, ?)", job, graph)
	return err
}

func (t jobTx) DeleteModel(job string) error {
	_, err := t.exec("DELETE FROM job_model WHERE job = ?", job)
	return err
}

func (t jobTx) Epochs(job string) ([]training.Epoch, error) {
	var all []training.Epoch
	err := t.each(func(scan func(...any) error) error {
		var e training.Epoch
		err := scan(&e.Epoch, &e.TrainLoss, &e.ValLoss, &e.ValAcc)
		all = append(all, e)
		return err
	}, "SELECT epoch, train_loss, val_loss, val_acc FROM job_epoch WHERE job = ? ORDER BY epoch", job)
	return all, err
}

func (t jobTx) PutEpochs(job string, epochs []training.Epoch) error {
	for _, e := range epochs {
		_, err := t.exec("INSERT INTO job_epoch (job, epoch, train_loss, val_loss, val_acc) VALUES (?, ?, ?, ?, ?) ON CONFLICT (job, epoch) DO NOTHING",
			job, e.Epoch, e.TrainLoss, e.ValLoss, e.ValAcc)
		if err != nil {
			return err
		}
	}
	return nil
}

// Outcome writes a row of the ledger in the transaction that notes it.
func (t jobTx) Outcome(org string, o ledger.Outcome) (bool, error) {
	digest, err := o.Digest()
	if err != nil {
		return false, err
	}
	return writeOutcome(t.at, org, o.Fingerprint, digest, o.Row)
}
