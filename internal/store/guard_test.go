package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/corpus"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// everyCall is each way into the database, by name, with whether it changes something.
func everyCall(s *Store) map[string]func(ctx context.Context) error {
	none := func(account.Tx) error { return nil }
	return map[string]func(ctx context.Context) error{
		"Ping":           s.Ping,
		"Accounts.Read":  func(ctx context.Context) error { return s.Accounts().Read(ctx, none) },
		"Accounts.Write": func(ctx context.Context) error { return s.Accounts().Write(ctx, none) },
		"Accounts.Key":   func(ctx context.Context) error { _, err := s.Accounts().Key(ctx, secret.Of("x")); return err },
		"Accounts.Touch": func(ctx context.Context) error { return s.Accounts().Touch(ctx, "o", "k", day) },
		"Windows.Take": func(ctx context.Context) error {
			_, err := s.Windows().Take(ctx, "b", 1, 2, time.Minute, day)
			return err
		},
		"Windows.Secret": func(ctx context.Context) error { _, err := s.Windows().Secret(ctx); return err },
		"Windows.Forget": func(ctx context.Context) error { return s.Windows().Forget(ctx, day) },
		"Plans.Put":      func(ctx context.Context) error { return s.Plans().Put(ctx, share.Plan{ID: secret.ID()}, 0) },
		"Plans.Get":      func(ctx context.Context) error { _, err := s.Plans().Get(ctx, "x"); return err },
		"Plans.Expire":   func(ctx context.Context) error { return s.Plans().Expire(ctx, day, day) },
		"Plans.Remove":   func(ctx context.Context) error { return s.Plans().RemoveByOrg(ctx, "o", "x") },
		"Outcomes.List":  func(ctx context.Context) error { _, err := s.Outcomes().List(ctx, "o", "f", 1); return err },
		"Outcomes.Write": func(ctx context.Context) error {
			_, err := s.Outcomes().Write(ctx, "o", "f", secret.Of("x"), ledger.Row{})
			return err
		},
		"Corpus.Append": func(ctx context.Context) error {
			return s.Corpus().Append(ctx, &corpus.Batch{Lines: []corpus.Line{{Day: 1, Digest: []byte("d"), Calls: 1}}})
		},
		"Corpus.Prune":  func(ctx context.Context) error { _, err := s.Corpus().Prune(ctx, 1); return err },
		"Corpus.Groups": func(ctx context.Context) error { _, _, err := s.Corpus().Groups(ctx); return err },
	}
}

// TestAFrozenDatabaseIsGivenUpInTime stops PostgreSQL where it stands. No call has a deadline of its own.
func TestAFrozenDatabaseIsGivenUpInTime(t *testing.T) {
	server := pgtest.Start(t)
	s := open(t, server.Database(t))
	calls := everyCall(s)
	for round := range 2 {
		server.Freeze(t)
		type end struct {
			name string
			err  error
			took time.Duration
		}
		ends := make(chan end)
		for name, call := range calls {
			go func() {
				began := time.Now()
				err := call(context.Background())
				ends <- end{name, err, time.Since(began)}
			}()
		}
		patience := time.After(callMost + 25*time.Second)
		for range calls {
			select {
			case e := <-ends:
				if !errors.Is(e.err, ErrUnavailable) {
					t.Errorf("round %d: %s: %v", round, e.name, e.err)
				}
				if e.took > callMost+10*time.Second {
					t.Errorf("round %d: %s took %v", round, e.name, e.took)
				}
			case <-patience:
				server.Thaw(t)
				t.Fatalf("round %d: calls are still waiting", round)
			}
		}
		// Now it is known, and nobody waits but the one who tries.
		waited := 0
		for range 50 {
			began := time.Now()
			if _, err := s.Accounts().Key(context.Background(), secret.Of("x")); !errors.Is(err, ErrUnavailable) {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 500*time.Millisecond {
				waited++
			}
		}
		if waited > 3 {
			t.Errorf("round %d: %d of 50 calls waited for a database that is known not to answer", round, waited)
		}
		server.Thaw(t)
		began := time.Now()
		for deadline := began.Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			if err := calls["Accounts.Write"](context.Background()); err == nil {
				break
			} else if time.Now().After(deadline) {
				t.Fatalf("round %d: not used again: %v", round, err)
			}
		}
		t.Logf("round %d: used again after %v", round, time.Since(began))
	}
}

// TestTheServerGivesUpWhatNobodyWaitsFor reads the settings of a connection, and those of one for backups.
func TestTheServerGivesUpWhatNobodyWaitsFor(t *testing.T) {
	address := pgtest.New(t)
	s := open(t, address)
	show := func(db *sql.DB, name string) (value string) {
		if err := db.QueryRow("SHOW " + name).Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	for name, want := range map[string]string{"statement_timeout": "10s", "idle_in_transaction_session_timeout": "1min"} {
		if got := show(s.write, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
		if got := show(s.patient, name); got != "0" {
			t.Errorf("%s of backups is %s", name, got)
		}
	}
	if got := show(open(t, address+"&statement_timeout=3000").write, "statement_timeout"); got != "3s" {
		t.Errorf("the operator's own is %s", got)
	}
}

// TestALockedRowIsGivenUpInTime has somebody else hold what a call needs.
func TestALockedRowIsGivenUpInTime(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		ok(t, everyCall(s)["Windows.Take"](t.Context()))
		held := s.write
		if s.kind == sqlite { // another process
			var path string
			if err := s.read.QueryRow("SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path); err != nil {
				t.Fatal(err)
			}
			held = open(t, "sqlite:"+path).write
		}
		tx, err := held.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("UPDATE rate_window SET used = used"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := everyCall(s)["Windows.Take"](context.Background()); !errors.Is(err, ErrUnavailable) {
			t.Errorf("a locked row: %v", err)
		}
		if took := time.Since(began); took > callMost+10*time.Second {
			t.Errorf("it took %v", took)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		ok(t, everyCall(s)["Windows.Take"](t.Context()))
	})
}

// TestASingleStatementWaitsForALockThatIsShort repeats what SQLite calls busy, which leaves nothing behind.
func TestASingleStatementWaitsForALockThatIsShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	s, other := open(t, "sqlite:"+path), open(t, "sqlite:"+path)
	if _, err := s.write.Exec("PRAGMA busy_timeout = 0"); err != nil { // so that it is busy at once
		t.Fatal(err)
	}
	tx, err := other.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	released := make(chan error)
	go func() { time.Sleep(30 * time.Millisecond); released <- tx.Rollback() }()
	ok(t, everyCall(s)["Windows.Take"](t.Context()))
	ok(t, <-released)
}

// TestAConnectionThatWasClosedIsReplacedWithoutAnError ends all connections between two calls, as a restart does.
func TestAConnectionThatWasClosedIsReplacedWithoutAnError(t *testing.T) {
	s := open(t, pgtest.New(t))
	for round := range 4 {
		for name, call := range everyCall(s) {
			if name == "Outcomes.Write" || name == "Plans.Put" || name == "Windows.Take" || name == "Corpus.Append" {
				continue // what was sent and not answered must not be sent again
			}
			if _, err := s.patient.Exec(`SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
				t.Fatal(err)
			}
			err := call(t.Context())
			if reads := name != "Accounts.Write" && name != "Accounts.Touch" && name != "Windows.Forget" && name != "Plans.Remove" && name != "Plans.Expire"; err != nil && !missed(err) &&
				(reads || !errors.Is(err, ErrUnavailable)) {
				t.Fatalf("round %d: %s: %v", round, name, err)
			}
		}
	}
}

func missed(err error) bool {
	return errors.Is(err, account.ErrNotFound) || errors.Is(err, share.ErrNotFound)
}

// TestWhatDriversSayIsUnderstood has the errors that were once faults of our own.
func TestWhatDriversSayIsUnderstood(t *testing.T) {
	for _, err := range []error{pgconn.ErrConnClosed, fmt.Errorf("x: %w", pgconn.ErrConnClosed), sql.ErrTxDone, sql.ErrConnDone,
		&pgconn.PgError{Code: "57P01"}, &pgconn.PgError{Code: "57014"}, &pgconn.PgError{Code: "25P03"}} {
		if got := classify(err); !errors.Is(got, ErrUnavailable) || !errors.Is(got, err) {
			t.Errorf("%v is %v", err, got)
		}
	}
}
