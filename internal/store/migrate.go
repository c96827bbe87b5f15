package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
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
	name, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
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
	if _, target, err := p.GetVersions(ctx); err != nil {
		return fmt.Errorf("store: migrate: %w", classify(err))
	} else if err := s.migrateTo(ctx, p, target); err != nil {
		return err
	}
	return nil
}

// migrateTo goes forward to a version.
func (s *Store) migrateTo(ctx context.Context, p *goose.Provider, version int64) error {
	if _, err := p.UpTo(ctx, version); err != nil {
		return fmt.Errorf("store: migrate: %w", classify(err))
	}
	return nil
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
