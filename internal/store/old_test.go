package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
)

// TestAnOlderProgramRefusesANewerSchema has a version that this program does not know.
func TestAnOlderProgramRefusesANewerSchema(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		is, _, err := s.Schema(t.Context())
		ok(t, err)
		if _, err := s.writing(t.Context()).exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, ?)", is+1, true); err != nil {
			t.Fatal(err)
		}
		var newer *SchemaError
		if err := s.Migrate(t.Context()); !errors.As(err, &newer) || newer.Is != is+1 || newer.Knows != is {
			t.Errorf("a newer schema: %v", err)
		}
	})
}

// TestProcessesThatBeginOnOneFolderMigrateItOnce opens a new file many times at once, as replicas on one disk do.
func TestProcessesThatBeginOnOneFolderMigrateItOnce(t *testing.T) {
	for range 5 {
		address := "sqlite:" + filepath.Join(t.TempDir(), "data.db")
		const many = 6
		done := make(chan error)
		for range many {
			go func() {
				s, err := Open(context.Background(), address)
				if err == nil {
					err = errors.Join(s.Migrate(context.Background()), s.Close())
				}
				done <- err
			}()
		}
		for range many {
			ok(t, <-done)
		}
		s := open(t, address)
		if is, needs, err := s.Schema(t.Context()); err != nil || is != needs {
			t.Errorf("schema %d of %d, %v", is, needs, err)
		}
		sound(t, s)
	}
}

var (
	_ = exercise("a clock that is set back keeps nobody out", func(t *testing.T, s *Store) {
		take := func(now time.Time) int64 {
			w, err := s.Windows().Take(t.Context(), "b", 1, 1, time.Minute, now)
			ok(t, err)
			return w.Granted
		}
		later := day.Add(24 * time.Hour)
		if take(later) != 1 || take(later) != 0 {
			t.Fatal("the limit does not hold")
		}
		if take(later.Add(-30*time.Second)) != 0 {
			t.Error("a replica whose clock is behind gets more than the limit")
		}
		if take(day) != 1 || take(day) != 0 {
			t.Error("who comes after the clock was set back waits for a day")
		}
	})
	_ = exercise("what no text can be is not found", func(t *testing.T, s *Store) {
		for _, id := range []string{"\x00", "a\x00b", "\xff", "\xc3\x28"} {
			do(t, s, func(tx account.Tx) {
				gets(t, account.Membership{}, account.ErrNotFound)(tx.Membership("o1", id))
				gets(t, account.Membership{}, account.ErrNotFound)(tx.Membership(id, "p1"))
				gets(t, account.Person{}, account.ErrNotFound)(tx.Person(id))
				gets(t, account.Key{}, account.ErrNotFound)(tx.KeyByID("o1", id))
				gets(t, []account.Event(nil), nil)(tx.Events("o1", id, 10))
				if err := tx.DeleteInvitation("o1", id); !errors.Is(err, account.ErrNotFound) {
					t.Errorf("an invitation %q: %v", id, err)
				}
				if err := tx.PutOrganisation(account.Organisation{ID: id}); err == nil {
					t.Errorf("an organisation %q is kept", id)
				}
			})
		}
	})
)
