package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelverifier/verifier/internal/jobs"
	"github.com/modelverifier/verifier/internal/secret"
)

var (
	_ = register("job_limits", "org text", "big_gpu integer", "in_flight integer", "jobs_per_day integer", "dollars_per_day integer", "runtime integer",
		"agent_messages integer")
	_ = register("worker", "id text", "name text", "hash bytes", "backend text", "job text", "created_at integer", "revoked_at integer", "seen_at integer",
		"offer text")
)

func (t jobTx) Limits(org string) (jobs.Limits, error) {
	var l jobs.Limits
	var big, runtime int64
	err := t.one("SELECT big_gpu, in_flight, jobs_per_day, dollars_per_day, runtime, agent_messages FROM job_limits WHERE org = ?", []any{org},
		&big, &l.InFlight, &l.JobsPerDay, &l.DollarsPerDay, &runtime, &l.AgentMessages)
	l.BigGPU, l.Runtime = big != 0, time.Duration(runtime)*time.Microsecond
	return l, absent(err)
}

func (t jobTx) PutLimits(org string, l jobs.Limits) error {
	var there int64
	if err := t.one("SELECT COUNT(*) FROM organisation WHERE id = ?", []any{org}, &there); err != nil {
		return err
	}
	if there == 0 {
		return jobs.ErrNotFound
	}
	_, err := t.exec(`INSERT INTO job_limits (org, big_gpu, in_flight, jobs_per_day, dollars_per_day, runtime, agent_messages) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (org) DO UPDATE SET big_gpu = excluded.big_gpu, in_flight = excluded.in_flight, jobs_per_day = excluded.jobs_per_day,
			dollars_per_day = excluded.dollars_per_day, runtime = excluded.runtime, agent_messages = excluded.agent_messages`,
		org, truth(l.BigGPU), l.InFlight, l.JobsPerDay, l.DollarsPerDay, l.Runtime.Microseconds(), l.AgentMessages)
	return err
}

func (t jobTx) workers(where string, args ...any) ([]jobs.Worker, error) {
	var all []jobs.Worker
	err := t.each(func(scan func(...any) error) error {
		var w jobs.Worker
		var hash []byte
		var created, revoked, seen int64
		var offer string
		err := scan(&w.ID, &w.Name, &hash, &w.Backend, &w.Job, &created, &revoked, &seen, &offer)
		if err == nil {
			w.Hash, err = digest(hash)
		}
		if err == nil {
			err = json.Unmarshal([]byte(offer), &w.Offer)
		}
		w.CreatedAt, w.RevokedAt, w.Seen = instant(created), instant(revoked), instant(seen)
		all = append(all, w)
		return err
	}, "SELECT id, name, hash, backend, job, created_at, revoked_at, seen_at, offer FROM worker "+where, args...)
	return all, err
}

func (t jobTx) worker(where string, args ...any) (jobs.Worker, error) {
	all, err := t.workers(where, args...)
	if err != nil {
		return jobs.Worker{}, err
	}
	if len(all) == 0 {
		return jobs.Worker{}, jobs.ErrNotFound
	}
	return all[0], nil
}

func (t jobTx) Worker(hash secret.Hash) (jobs.Worker, error) {
	return t.worker("WHERE hash = ?", hash[:])
}

func (t jobTx) WorkerByName(name string) (jobs.Worker, error) {
	return t.worker("WHERE name = ? AND job = ''", name)
}

func (t jobTx) Workers() ([]jobs.Worker, error) { return t.workers("WHERE job = '' ORDER BY name") }

func (t jobTx) PutWorker(w jobs.Worker) error {
	offer, err := json.Marshal(w.Offer)
	if err != nil {
		return err
	}
	_, err = t.exec(`INSERT INTO worker (id, name, hash, backend, job, created_at, revoked_at, seen_at, offer) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, backend = excluded.backend, created_at = excluded.created_at, revoked_at = excluded.revoked_at,
			seen_at = excluded.seen_at, offer = excluded.offer`,
		w.ID, w.Name, w.Hash[:], w.Backend, w.Job, micros(w.CreatedAt), micros(w.RevokedAt), micros(w.Seen), string(offer))
	return err
}

// DeleteJobWorkers removes the tokens of one job.
func (t jobTx) DeleteJobWorkers(job string) error {
	if job == "" {
		return errors.New("store: the workers of no job are those of the fleet")
	}
	_, err := t.exec("DELETE FROM worker WHERE job = ?", job)
	return err
}

// Organisations finds the ids of those that have an id or a name.
func (s *Store) Organisations(ctx context.Context, idOrName string) ([]string, error) {
	var all []string
	err := s.reading(ctx).each(func(scan func(...any) error) error {
		var id string
		err := scan(&id)
		all = append(all, id)
		return err
	}, "SELECT id FROM organisation WHERE id = ? OR name = ? ORDER BY id", idOrName, idOrName)
	return all, err
}
