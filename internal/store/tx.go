package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"
)

// rebound holds statements in PostgreSQL's spelling. Statements are constants of this package, so there are few.
var rebound sync.Map

// rebind writes parameters as PostgreSQL wants them: $1, $2 and so on for each ? outside quotes.
func (k kind) rebind(query string) string {
	if k != postgres {
		return query
	}
	if q, ok := rebound.Load(query); ok {
		return q.(string)
	}
	q := numbered(query)
	rebound.Store(query, q)
	return q
}

func numbered(query string) string {
	var b strings.Builder
	n, quote := 0, rune(0)
	for _, r := range query {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == '?':
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// runner runs statements: a pool, a connection or a transaction.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// at is where statements run, with the context they run under.
type at struct {
	ctx  context.Context // a transaction lives as long as the call that began it
	kind kind
	run  runner
}

// reading runs single statements that change nothing.
func (s *Store) reading(ctx context.Context) at { return at{ctx, s.kind, s.read} }

// writing runs single statements, each a transaction of its own.
func (s *Store) writing(ctx context.Context) at { return at{ctx, s.kind, s.write} }

// exec runs a statement and returns how many rows it changed.
func (a at) exec(query string, args ...any) (int64, error) {
	r, err := a.run.ExecContext(a.ctx, a.kind.rebind(query), args...)
	if err != nil {
		return 0, classify(err)
	}
	n, err := r.RowsAffected()
	return n, classify(err)
}

// each calls f for each row of a query.
func (a at) each(f func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := a.run.QueryContext(a.ctx, a.kind.rebind(query), args...)
	if err != nil {
		return classify(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return classify(err)
		}
	}
	return classify(rows.Err())
}

// one reads the only row of a query, or says sql.ErrNoRows.
func (a at) one(query string, args []any, into ...any) error {
	found := false
	err := a.each(func(scan func(...any) error) error { found = true; return scan(into...) }, query, args...)
	if err == nil && !found {
		return sql.ErrNoRows
	}
	return err
}

// Attempts at a transaction that lost against another one, and the longest first pause between them.
const (
	attempts   = 10
	firstPause = 4 * time.Millisecond
)

// transact runs f in a transaction that behaves as if it were alone, again if it lost against another.
func (s *Store) transact(ctx context.Context, f func(at) error) error {
	return s.retry(ctx, sql.LevelSerializable, f)
}

// retry runs f in a transaction of a level, again if it lost against another.
func (s *Store) retry(ctx context.Context, level sql.IsolationLevel, f func(at) error) error {
	for i := range attempts {
		err := s.once(ctx, s.write, &sql.TxOptions{Isolation: s.isolation(level)}, f)
		if !errors.Is(err, errConflict) {
			return err
		}
		// A random pause lets those who met once not meet again.
		select {
		case <-time.After(rand.N(firstPause << min(i, 6))):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return fmt.Errorf("%w: %d attempts lost against other transactions", ErrUnavailable, attempts)
}

// snapshot runs f on one state of the database, beside whoever writes.
func (s *Store) snapshot(ctx context.Context, f func(at) error) error {
	return s.once(ctx, s.read, &sql.TxOptions{Isolation: s.isolation(sql.LevelRepeatableRead), ReadOnly: s.kind == postgres}, f)
}

// isolation is a level for PostgreSQL. SQLite knows one only, which is serialisable.
func (s *Store) isolation(l sql.IsolationLevel) sql.IsolationLevel {
	if s.kind == postgres {
		return l
	}
	return sql.LevelDefault
}

func (s *Store) once(ctx context.Context, db *sql.DB, o *sql.TxOptions, f func(at) error) (err error) {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return classify(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing behind a commit
	if err := f(at{ctx, s.kind, tx}); err != nil {
		return err
	}
	return classify(tx.Commit())
}
