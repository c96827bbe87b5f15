package store

import (
	"context"

	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
)

var _ = register("outcome", "org text", "fingerprint text", "digest bytes", "at integer", "metric text", "value real", "epochs integer?",
	"wall_sec real?", "cost_usd real?", "source text")

// outcomes is the store of package ledger.
type outcomes struct{ s *Store }

// Outcomes returns the store of measured outcomes.
func (s *Store) Outcomes() ledger.Store { return outcomes{s} }

func (o outcomes) Write(ctx context.Context, org, fingerprint string, digest secret.Hash, row ledger.Row) (bool, error) {
	if err := o.s.room(ctx); err != nil {
		return false, err
	}
	return writeOutcome(o.s.writing(ctx), org, fingerprint, digest, row)
}

// writeOutcome adds a row, unless one with its digest is there.
func writeOutcome(a at, org, fingerprint string, digest secret.Hash, row ledger.Row) (bool, error) {
	n, err := a.exec(`INSERT INTO outcome (org, fingerprint, digest, at, metric, value, epochs, wall_sec, cost_usd, source)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (org, fingerprint, digest) DO NOTHING`,
		org, fingerprint, digest[:], seconds(row.At), row.Metric, row.Value, row.Epochs, row.WallSec, row.EstCostUSD, row.Source)
	return n == 1, err
}

// List orders rows of one second by their digest: the same way each time.
func (o outcomes) List(ctx context.Context, org, fingerprint string, most int) ([]ledger.Row, error) {
	rows := []ledger.Row{}
	err := o.s.reading(ctx).each(func(scan func(...any) error) error {
		var r ledger.Row
		var at int64
		err := scan(&at, &r.Metric, &r.Value, &r.Epochs, &r.WallSec, &r.EstCostUSD, &r.Source)
		r.At = moment(at)
		rows = append(rows, r)
		return err
	}, `SELECT at, metric, value, epochs, wall_sec, cost_usd, source FROM outcome WHERE org = ? AND fingerprint = ?
		ORDER BY at DESC, digest LIMIT ?`, org, fingerprint, most)
	return rows, err
}
