package store

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// stores runs a benchmark on both databases. PostgreSQL here does not wait for the disk; SQLite does.
func stores(b *testing.B, f func(b *testing.B, s *Store)) {
	b.Run("sqlite", func(b *testing.B) { f(b, open(b, "sqlite:"+filepath.Join(b.TempDir(), "data.db"))) })
	b.Run("postgres", func(b *testing.B) { f(b, open(b, pgtest.New(b))) })
}

// BenchmarkKey is a key looked up in the database, as once in a quarter of a second for each key that is used.
func BenchmarkKey(b *testing.B) {
	stores(b, func(b *testing.B, s *Store) {
		h := secret.Of("k")
		err := s.Accounts().Write(b.Context(), func(tx account.Tx) error {
			if err := tx.PutOrganisation(account.Organisation{ID: "o"}); err != nil {
				return err
			}
			return tx.PutKey(account.Key{ID: "k", Org: "o", Hash: h})
		})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Accounts().Key(b.Context(), h); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWrite is one acknowledged transaction of two rows.
func BenchmarkWrite(b *testing.B) {
	stores(b, func(b *testing.B, s *Store) {
		for b.Loop() {
			err := s.Accounts().Write(b.Context(), func(tx account.Tx) error {
				id := secret.ID()
				if err := tx.PutOrganisation(account.Organisation{ID: id}); err != nil {
					return err
				}
				return tx.PutEvent(account.Event{ID: id, At: day, Org: id})
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBackup is a backup of 20,000 rows.
func BenchmarkBackup(b *testing.B) {
	stores(b, func(b *testing.B, s *Store) {
		err := s.Accounts().Write(b.Context(), func(tx account.Tx) error {
			for range 20_000 {
				if err := tx.PutEvent(account.Event{ID: secret.ID(), At: day, Org: "o", Action: "create-key", Target: secret.ID()}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Backup(b.Context(), io.Discard, day); err != nil {
				b.Fatal(err)
			}
		}
	})
}
