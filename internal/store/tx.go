package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
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
	ctx   context.Context // a transaction lives as long as the call that began it
	kind  kind
	run   runner
	alone *Store // whose call a single statement is; nil inside a transaction
	reads bool
}

// reading runs single statements that change nothing.
func (s *Store) reading(ctx context.Context) at { return at{ctx, s.kind, s.read, s, true} }

// writing runs single statements, each a transaction of its own.
func (s *Store) writing(ctx context.Context) at { return at{ctx, s.kind, s.write, s, false} }

// call runs a statement: as a part of its transaction or, where it stands alone, in time and again where that is safe.
func (a at) call(f func(a at) error) error {
	if a.alone == nil {
		return f(a)
	}
	return a.alone.bounded(a.ctx, callMost, func(ctx context.Context) error {
		a := at{ctx: ctx, kind: a.kind, run: a.run, reads: a.reads}
		return again(ctx, a.reads, func() error { return f(a) })
	})
}

// keepable says whether both databases can keep the texts among some values: PostgreSQL takes no zero byte and nothing but UTF-8.
func keepable(args []any) bool {
	for _, arg := range args {
		if s, ok := arg.(string); ok && (strings.IndexByte(s, 0) >= 0 || !utf8.ValidString(s)) {
			return false
		}
	}
	return true
}

// unkept is how a statement ends that names such a text: what looks for it finds nothing, on either database.
func unkept(query string) error {
	if strings.HasPrefix(query, "INSERT") {
		return errors.New("store: a text holds a zero byte or is not UTF-8")
	}
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (a at) exec(query string, args ...any) (n int64, err error) {
	if !keepable(args) {
		return 0, unkept(query)
	}
	a, end := a.follow(query)
	defer func() { end(err) }()
	err = a.call(func(a at) error {
		r, err := a.run.ExecContext(a.ctx, a.kind.rebind(query), args...)
		if err == nil {
			n, err = r.RowsAffected()
		}
		return classify(err)
	})
	return n, err
}

// each calls f for each row of a query. Behind the first row it is not repeated.
func (a at) each(f func(scan func(...any) error) error, query string, args ...any) (err error) {
	if !keepable(args) {
		return unkept(query)
	}
	begun := false
	a, end := a.follow(query)
	defer func() { end(err) }()
	return a.call(func(a at) error {
		if begun {
			return fmt.Errorf("%w: the connection was lost between two rows", ErrUnavailable)
		}
		rows, err := a.run.QueryContext(a.ctx, a.kind.rebind(query), args...)
		if err != nil {
			return classify(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			begun = true
			if err := f(rows.Scan); err != nil {
				return classify(err)
			}
		}
		return classify(rows.Err())
	})
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

// transact runs f in a transaction that behaves as if it were alone, again if it lost against another.
func (s *Store) transact(ctx context.Context, f func(at) error) error {
	return s.retry(ctx, sql.LevelSerializable, f)
}

// retry runs f in a transaction of a level, again if it lost against another.
func (s *Store) retry(ctx context.Context, level sql.IsolationLevel, f func(at) error) (err error) {
	ctx, end := follow(ctx, s.kind, "transaction", "")
	defer func() { end(err) }()
	return s.bounded(ctx, callMost, func(ctx context.Context) error {
		return again(ctx, false, func() error { return s.once(ctx, s.write, &sql.TxOptions{Isolation: s.isolation(level)}, f) })
	})
}

// snapshot runs f on one state of the database, beside whoever writes.
func (s *Store) snapshot(ctx context.Context, f func(at) error) (err error) {
	ctx, end := follow(ctx, s.kind, "snapshot", "")
	defer func() { end(err) }()
	return s.bounded(ctx, callMost, func(ctx context.Context) error {
		return again(ctx, false, func() error { return s.state(ctx, s.read, f) })
	})
}

// state is a snapshot that may take as long as it takes.
func (s *Store) state(ctx context.Context, db *sql.DB, f func(at) error) error {
	return s.once(ctx, db, &sql.TxOptions{Isolation: s.isolation(sql.LevelRepeatableRead), ReadOnly: s.kind == postgres}, f)
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
	if err := f(at{ctx: ctx, kind: s.kind, run: tx}); err != nil {
		return err
	}
	return classify(tx.Commit())
}
