package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	driverlite "modernc.org/sqlite"
	lite "modernc.org/sqlite/lib"
)

// migrations are applied in the order of their numbers and never undone. A file NNNNN_name.sql is for both databases; where
// they need different words there are two, NNNNN_name.sqlite.sql and NNNNN_name.postgres.sql.
//
//go:embed migrations/*.sql
var migrations embed.FS

// dialect is the folder of migrations as one database sees it.
type dialect struct {
	fs.FS
	kind kind
}

// ReadDir leaves out what is for the other database.
func (d dialect) ReadDir(name string) ([]fs.DirEntry, error) {
	other := map[kind]kind{sqlite: postgres, postgres: sqlite}[d.kind]
	all, err := fs.ReadDir(d.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), "."+string(other)+".sql") }), err
}

func (s *Store) provider() (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	name, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(s.riverTables()...)}
	if s.kind == postgres {
		// Replicas that start together migrate one after the other.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // seconds, attempts
		if err != nil {
			return nil, err
		}
		name, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider(name, s.long(s.write), dialect{folder, s.kind}, options...)
}

// Migrate brings the schema to what this program needs.
func (s *Store) Migrate(ctx context.Context) error {
	p, err := s.provider()
	if err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	return s.migrateTo(ctx, p, newest(p))
}

// newest is the version that this program needs.
func newest(p *goose.Provider) (version int64) {
	for _, source := range p.ListSources() {
		version = max(version, source.Version)
	}
	return version
}

// SchemaError is returned for a database of a newer version of the program, which this one would damage.
type SchemaError struct{ Is, Knows int64 }

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the database has schema %d, this version of the program knows those up to %d: start the newer one", e.Is, e.Knows)
}

// migrateTries is how often processes that begin on one new file may get in each other's way: PostgreSQL has a lock for it.
const migrateTries = 20

// migrateTo goes forward to a version. Of several processes that make the same SQLite file one wins each step, and the others
// look again.
func (s *Store) migrateTo(ctx context.Context, p *goose.Provider, version int64) error {
	for try := 0; ; try++ {
		is, err := p.GetDBVersion(ctx)
		if err == nil && is > newest(p) {
			return fmt.Errorf("store: migrate: %w", &SchemaError{is, newest(p)})
		}
		if err == nil {
			_, err = p.UpTo(ctx, version)
		}
		if err == nil {
			return nil
		}
		if s.kind == postgres || try == migrateTries || ctx.Err() != nil || !inTheWay(err) {
			return fmt.Errorf("store: migrate: %w", classify(err))
		}
		select {
		case <-time.After(time.Duration(try+1) * rand.N(20*time.Millisecond)):
		case <-ctx.Done():
		}
	}
}

// errMigrated is returned where another process has made a step in the meantime.
var errMigrated = errors.New("the tables are there already")

// inTheWay says whether SQLite failed as it does where another process is at the same step: busy, or the table is there already.
func inTheWay(err error) bool {
	if errors.Is(err, errMigrated) {
		return true
	}
	var e *driverlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() & 0xff {
	case lite.SQLITE_BUSY, lite.SQLITE_LOCKED, lite.SQLITE_CONSTRAINT, lite.SQLITE_ERROR, lite.SQLITE_SCHEMA:
		return true
	}
	return false
}

// Schema returns the version of the schema that is there, and the one that this program needs.
func (s *Store) Schema(ctx context.Context) (is, needs int64, err error) {
	p, err := s.provider()
	if err != nil {
		return 0, 0, fmt.Errorf("store: %w", err)
	}
	is, needs, err = p.GetVersions(ctx)
	return is, needs, classify(err)
}
