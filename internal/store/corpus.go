package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/corpus"
)

var (
	_ = register("corpus_line", "day integer", "digest bytes", "fingerprint text", "edges integer", "types text", "fired text", "calls integer")
	_ = register("corpus_group", "kind text", "name text", "severity text", "amount integer", "structures integer")
	_ = register("corpus_member", "kind text", "name text", "severity text", "fingerprint text")
)

// rows is the store of package corpus.
type rows struct{ s *Store }

// Corpus returns the store of anonymous rows.
func (s *Store) Corpus() corpus.Store { return rows{s} }

// together is how many rows one statement adds: each statement is a journey to the database and back.
const together = 50

// The statements, for one row and for many. There are no others, so that databases can remember them.
var (
	addLines = manyRows("INSERT INTO corpus_line (day, digest, fingerprint, edges, types, fired, calls) VALUES", "(?, ?, ?, ?, ?, ?, ?)",
		"ON CONFLICT (day, digest) DO UPDATE SET calls = corpus_line.calls + excluded.calls")
	addMembers = manyRows("INSERT INTO corpus_member (kind, name, severity, fingerprint) VALUES", "(?, ?, ?, ?)", "ON CONFLICT DO NOTHING")
)

func manyRows(insert, row, conflict string) map[int]string {
	return map[int]string{1: insert + " " + row + " " + conflict, together: insert + " " + strings.Repeat(row+", ", together-1) + row + " " + conflict}
}

// add runs a statement over all items, many at a time as long as there are many, and returns how many rows it changed. It stops
// where that are enough.
func add[T any](a at, statement map[int]string, items []T, enough int64, args func(T) []any) (changed int64, err error) {
	for len(items) > 0 && changed < enough {
		n := 1
		if len(items) >= together && enough-changed >= together {
			n = together
		}
		var values []any
		for _, item := range items[:n] {
			values = append(values, args(item)...)
		}
		c, err := a.exec(statement[n], values...)
		if err != nil {
			return changed, err
		}
		changed, items = changed+c, items[n:]
	}
	return changed, nil
}

// Append needs no more than that its statements see what was committed: each of them adds to what is there, and all batches
// lock in the same order.
func (r rows) Append(ctx context.Context, b *corpus.Batch) error {
	if err := r.s.room(ctx); err != nil {
		return err
	}
	return r.s.retry(ctx, sql.LevelReadCommitted, func(a at) error {
		_, err := add(a, addLines, b.Lines, math.MaxInt64, func(l corpus.Line) []any {
			return []any{l.Day, l.Digest, l.Fingerprint, l.Edges, l.Types, l.Fired, l.Calls}
		})
		if err != nil {
			return err
		}
		for i := range b.Groups {
			if err := appendGroup(a, &b.Groups[i]); err != nil {
				return fmt.Errorf("%s %s: %w", b.Groups[i].Kind, b.Groups[i].Name, err)
			}
		}
		return nil
	})
}

// appendGroup counts, and notes new structures until the group has as many as it needs. The first statement locks the group.
func appendGroup(a at, g *corpus.Group) error {
	var had int64
	err := a.one(`INSERT INTO corpus_group (kind, name, severity, amount, structures) VALUES (?, ?, ?, ?, 0)
		ON CONFLICT (kind, name, severity) DO UPDATE SET amount = corpus_group.amount + excluded.amount RETURNING structures`,
		[]any{g.Kind, g.Name, g.Severity, g.Count}, &had)
	if err != nil {
		return err
	}
	fresh, err := add(a, addMembers, g.Fingerprints, g.Counts()-had, func(f string) []any { return []any{g.Kind, g.Name, g.Severity, f} })
	if err != nil || fresh == 0 {
		return err
	}
	_, err = a.exec("UPDATE corpus_group SET structures = ? WHERE kind = ? AND name = ? AND severity = ?", had+fresh, g.Kind, g.Name, g.Severity)
	return err
}

// pruneTogether is how many lines one transaction removes: others wait no longer than for those.
const pruneTogether = 1000

func (r rows) Prune(ctx context.Context, before int64) (removed int64, err error) {
	for {
		var n int64
		err := r.s.freeing(ctx, func() error {
			return r.s.retry(ctx, sql.LevelReadCommitted, func(a at) (err error) {
				n, err = prune(a, before)
				return err
			})
		})
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}

// prune removes some lines of the first day. Which day was the first is noted before the first line goes.
func prune(a at, before int64) (int64, error) {
	var first sql.NullInt64
	if err := a.one("SELECT MIN(day) FROM corpus_line", nil, &first); err != nil || !first.Valid || first.Int64 >= before {
		return 0, err
	}
	if _, err := a.exec("INSERT INTO corpus_group (kind, name, severity, amount, structures) VALUES (?, '', '', ?, 0) ON CONFLICT DO NOTHING", corpus.GroupSince, first.Int64); err != nil {
		return 0, err
	}
	return a.exec("DELETE FROM corpus_line WHERE day = ? AND digest IN (SELECT digest FROM corpus_line WHERE day = ? ORDER BY digest LIMIT ?)", first.Int64, first.Int64, pruneTogether)
}

func (r rows) Groups(ctx context.Context) (groups []corpus.Group, since int64, err error) {
	err = r.s.snapshot(ctx, func(a at) error {
		groups = nil
		noted := int64(math.MaxInt64)
		err := a.each(func(scan func(...any) error) error {
			var g corpus.Group
			err := scan(&g.Kind, &g.Name, &g.Severity, &g.Count, &g.Structures)
			if g.Kind == corpus.GroupSince {
				noted = g.Count
				return err
			}
			groups = append(groups, g)
			return err
		}, "SELECT kind, name, severity, amount, structures FROM corpus_group ORDER BY kind, name, severity")
		if err != nil || len(groups) == 0 {
			return err
		}
		var first sql.NullInt64 // there is none where all lines are too old
		err = a.one("SELECT MIN(day) FROM corpus_line", nil, &first)
		since = noted
		if first.Valid {
			since = min(since, first.Int64)
		}
		return err
	})
	return groups, since, err
}
