// Package accounttest is what tests of accounts share: a password and a hasher that is cheap, a clock that they move, a store, a log
// that may be read while it is written, an organisation with its owner, and an OpenID Connect provider.
//
// It must not know the surfaces that people reach their accounts through. Only tests import this package.
package accounttest

import (
	"context"
	"errors"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
	"github.com/modelverifier/verifier/internal/store/sqlitetest"
)

// Password is everybody's.
const Password = "correct horse battery staple"

// Cheap is a cost at which tests can hash often.
var Cheap = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Hasher hashes at that cost.
func Hasher(t testing.TB) *account.Hasher {
	t.Helper()
	return Must[*account.Hasher](t)(account.NewHasher(Cheap, 4))
}

// SQLite returns the address of a database with empty tables, which goes with the test.
func SQLite(t testing.TB) string {
	t.Helper()
	return sqlitetest.Prepared(t, migrate)
}

// Postgres returns that of one in the PostgreSQL of the package's tests.
func Postgres(t testing.TB) string {
	t.Helper()
	return pgtest.Prepared(t, migrate)
}

func migrate(address string) error {
	s, err := store.Open(context.Background(), address)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
}

// Open opens a store, brings its tables up to date, and closes it with the test. A test may close it before.
func Open(t testing.TB, address string) *store.Store {
	t.Helper()
	s := Must[*store.Store](t)(store.Open(t.Context(), address))
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Found makes an organisation, and returns its id, its owner and a session of theirs.
func Found(t testing.TB, s *account.Service, organisation, email string) (org string, owner account.Person, session string) {
	t.Helper()
	ctx := t.Context()
	link := Must[string](t)(s.AdminLink(ctx))
	session = Must[string](t)(s.Start(ctx, link, organisation, "Owner of "+organisation, email, Password))
	v := Must[account.Visitor](t)(s.Visitor(ctx, session))
	for _, p := range v.Places {
		if p.Name == organisation {
			return p.Org, v.Person, session
		}
	}
	t.Fatal("no organisation")
	return "", v.Person, ""
}

// Must takes what a call returns that has to work.
func Must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
