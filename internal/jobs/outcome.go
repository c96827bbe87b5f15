package jobs

import (
	"context"
	"fmt"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/ledger"
)

// What becomes of an outcome, beside the ledger's own words.
const (
	Unavailable      = "unavailable"
	SkippedSimulated = "skipped:simulated"
	SkippedNoMetrics = "skipped:no_metrics"
)

// Metric is what the ledger calls the value of a run: the validation accuracy behind the last epoch.
const Metric = "valAcc"

// Get returns a job with its epochs. The first call that reads it completed writes its outcome into the ledger, in one
// transaction with the note that it did: however many read it at once, one of them says written.
func (s *Service) Get(ctx context.Context, org, id string) (j Job, err error) {
	read := func(tx Tx) error {
		if j, err = tx.JobOf(org, id); err == nil {
			j.Epochs, err = tx.Epochs(id)
		}
		return err
	}
	if err := s.Store.Read(ctx, read); err != nil {
		return Job{}, err
	}
	if j.Status != Completed || j.Ledger != "" {
		j.Ledger = repeated(j.Ledger)
		return j, nil
	}
	said := ""
	err = s.Store.Write(ctx, func(tx Tx) error {
		if err := read(tx); err != nil {
			return err
		}
		if said = repeated(j.Ledger); said != "" {
			return nil
		}
		if said, err = s.record(tx, j); err != nil {
			return err
		}
		j, err = s.change(tx, j, Recorded{said})
		return err
	})
	if err != nil {
		if ctx.Err() != nil {
			return Job{}, ctx.Err()
		}
		s.warn("an outcome could not be written", "job", id, "error", err)
		said = Unavailable // the next call tries again
	}
	j.Ledger = said
	return j, nil
}

// repeated is what a later call says of an outcome.
func repeated(word string) string {
	if word == ledger.Written {
		return ledger.Already
	}
	return word
}

// record writes the outcome of a run, where it has one, and says what became of it.
func (s *Service) record(tx Tx, j Job) (string, error) {
	switch {
	case j.Mode == Simulated:
		return SkippedSimulated, nil
	case len(j.Epochs) == 0:
		return SkippedNoMetrics, nil
	}
	_, err := tx.Outcome(j.Org, j.outcome()) // one that is there already is this one
	return ledger.Written, err
}

// outcome is the row of a run.
func (j *Job) outcome() ledger.Outcome {
	last := j.Epochs[len(j.Epochs)-1]
	return ledger.Outcome{Fingerprint: j.Fingerprint, Run: j.ID, Row: ledger.Row{At: j.CompletedAt, Metric: Metric, Value: last.ValAcc, Epochs: new(int64(len(j.Epochs))),
		WallSec: new(j.Used.Seconds()), EstCostUSD: new(float64(j.Cost) / dollar), Source: j.source()}}
}

// sourceMost is how much of a repository's name goes into a row.
const sourceMost = 120

// source says that the service ran it, on what, and where the model came from.
func (j *Job) source() string {
	s := fmt.Sprintf("train:%s@%s", j.Dataset, j.Mode)
	if j.Source.Repo != "" {
		s += " " + graph.Cut(ledger.Printable(j.Source.Repo), sourceMost)
		if j.Source.PR > 0 {
			s += fmt.Sprintf("#%d", j.Source.PR)
		}
	}
	return s
}
