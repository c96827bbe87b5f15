package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/store/pgtest"
	"github.com/modelverifier/verifier/internal/store/sqlitetest"
)

// TestMain runs the tests, or is the process that the crash tests kill.
func TestMain(m *testing.M) {
	if os.Getenv(crashChild) != "" {
		child(os.Getenv("STORE_ADDRESS"))
	}
	if os.Getenv(corpusChild) != "" {
		corpusWriter(os.Getenv(corpusChild))
	}
	pgtest.Main(m)
}

// both runs a test on an empty store of either kind, with the present schema.
func both(t *testing.T, f func(t *testing.T, s *Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, open(t, sqlitetest.Prepared(t, migrated))) })
	t.Run("postgres", func(t *testing.T) { f(t, open(t, pgtest.Prepared(t, migrated))) })
}

// migrated makes the tables of a database.
func migrated(address string) error {
	s, err := Open(context.Background(), address)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// open opens a store and migrates it; the test closes it.
func open(tb testing.TB, address string) *Store {
	tb.Helper()
	s, err := Open(context.Background(), address)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		is, needs, err := s.Schema(t.Context())
		if err != nil || is != needs || is < 1 {
			t.Fatalf("schema %d of %d, %v", is, needs, err)
		}
	})
}

func TestReplicasThatStartTogetherMigrateOnce(t *testing.T) {
	address := pgtest.New(t)
	done := make(chan error)
	for range 4 {
		go func() {
			s, err := Open(context.Background(), address)
			if err == nil {
				err = errors.Join(s.Migrate(context.Background()), s.Close())
			}
			done <- err
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestParametersAreNumberedOutsideQuotesOnly(t *testing.T) {
	got := numbered(`SELECT '?', "a?b" FROM t WHERE a = ? AND b IN (?, ?) AND c = 'it''s ?'`)
	want := `SELECT '?', "a?b" FROM t WHERE a = $1 AND b IN ($2, $3) AND c = 'it''s ?'`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnAddressThatIsNoDatabaseIsRefused(t *testing.T) {
	for address, says := range map[string]string{
		"":                                     "sqlite: or postgres:",
		"mysql://x":                            `got "mysql"`,
		"sqlite:":                              "needs the path",
		"sqlite::memory:":                      "needs the path",
		"sqlite:/nowhere/at/all/data.db":       "no such file",
		"postgres://u:hunter2@h:notaport/db":   "cannot parse",
		"postgres:///x?host=/nowhere&user=abc": "not available",
	} {
		_, err := Open(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", address, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error holds the password: %v", err)
		}
	}
}

func TestTheFileIsItsOwnersOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder?with %41 odd", "data.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = open(t, "sqlite:"+path)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has rights %v", info.Name(), info.Mode())
		}
	}
}

func TestSQLiteFlushesBeforeItAcknowledges(t *testing.T) {
	s := open(t, "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		if err := s.write.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s, %v", pragma, got, want, err)
		}
	}
	if _, err := s.reading(t.Context()).exec("DELETE FROM person"); err == nil {
		t.Error("a reader may write")
	}
}

func TestATransactionIsKeptWholeOrNotAtAll(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		stop := errors.New("stop")
		add := func(a at) error {
			_, err := a.exec("INSERT INTO organisation (id, name, created_at) VALUES (?, ?, ?)", "a", "A", 1)
			return err
		}
		err := s.transact(t.Context(), func(a at) error { return errors.Join(add(a), stop) })
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		var name string
		if err := s.reading(t.Context()).one("SELECT name FROM organisation", nil, &name); !errors.Is(err, sql.ErrNoRows) {
			t.Fatalf("found %q, %v", name, err)
		}
		if err := s.transact(t.Context(), add); err != nil {
			t.Fatal(err)
		}
		if err := s.reading(t.Context()).one("SELECT name FROM organisation", nil, &name); err != nil || name != "A" {
			t.Fatalf("found %q, %v", name, err)
		}
		if err := s.transact(t.Context(), add); !errors.Is(err, errUnique) {
			t.Errorf("a second row with the same key: %v", err)
		}
	})
}

// TestTransactionsBehaveAsIfAlone lets many add one to a number that each has read; none may be lost.
func TestTransactionsBehaveAsIfAlone(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		if _, err := s.writing(t.Context()).exec("INSERT INTO organisation (id, name, created_at) VALUES ('a', 'A', 0)"); err != nil {
			t.Fatal(err)
		}
		const workers, each = 4, 10
		done := make(chan error)
		for range workers {
			go func() {
				var err error
				for range each {
					err = errors.Join(err, s.transact(t.Context(), func(a at) error {
						var n int64
						if err := a.one("SELECT created_at FROM organisation WHERE id = ?", []any{"a"}, &n); err != nil {
							return err
						}
						_, err := a.exec("UPDATE organisation SET created_at = ? WHERE id = ?", n+1, "a")
						return err
					}))
				}
				done <- err
			}()
		}
		for range workers {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		var n int64
		if err := s.reading(t.Context()).one("SELECT created_at FROM organisation", nil, &n); err != nil || n != workers*each {
			t.Errorf("counted to %d, want %d, %v", n, workers*each, err)
		}
	})
}
