// Package store keeps what the hosted edition must not lose, in SQLite or in PostgreSQL, under one schema.
//
// It implements the Store interfaces of the domain packages and decides nothing: rules are theirs. Both databases take the
// same SQL, with ? for parameters; there is no other way for a value to get into a statement. A database that is away gives
// ErrUnavailable and is used again when it is back; nothing has to be restarted.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// kind is the database behind a store.
type kind string

const (
	sqlite   kind = "sqlite"
	postgres kind = "postgres"
)

// Store is an open database. Its methods may be called at the same time.
type Store struct {
	kind kind
	// read and write are the same pool on PostgreSQL. SQLite has one writer at a time: its pool of one connection is the
	// queue, so that writers wait in order instead of polling a lock, and readers are never behind them.
	read, write *sql.DB
	patient     *sql.DB // of PostgreSQL, whose server ends nothing there; nil with SQLite
	breaker     breaker
	calls       calls
	reserve     reserve
	address     string // of PostgreSQL

	queue     sync.Once
	insert    *river.Client[*sql.Tx] // adds to the queue
	insertErr error
}

const (
	readers        = 4    // connections that read SQLite
	busyMillis     = 5000 // that SQLite waits for a lock
	connections    = 16   // connections of one replica to PostgreSQL
	connectTimeout = 5 * time.Second
)

// Open opens sqlite:PATH or postgres://…, without changing the schema. A file is made where there is none.
func Open(ctx context.Context, address string) (*Store, error) {
	var s *Store
	var err error
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "sqlite":
		s, err = openSQLite(rest)
	case "postgres", "postgresql":
		s, err = openPostgres(address)
	default:
		return nil, fmt.Errorf("store: an address begins with sqlite: or postgres:, got %q", scheme)
	}
	if err != nil {
		return nil, err
	}
	if err := s.Ping(ctx); err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("store: open: %w", err)
	}
	return s, nil
}

// openSQLite gives every connection a write-ahead log that is flushed to the disk before a write is acknowledged.
func openSQLite(path string) (*Store, error) {
	if path == "" || strings.HasPrefix(path, ":") {
		return nil, errors.New("store: sqlite: needs the path of a file")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	// Only its owner may read the file: it holds digests of passwords. SQLite gives its log the same rights.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: %w", classify(err))
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	// What is removed is overwritten: a shared plan is gone when its owner removes it.
	pragmas := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)", busyMillis)
	dsn := func(more string) string {
		return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: pragmas + more}).String()
	}
	s := &Store{kind: sqlite, reserve: reserve{file: path + "-reserve", bytes: reserveSQLite}}
	if s.write, err = sql.Open("sqlite", dsn("&_txlock=immediate")); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if s.read, err = sql.Open("sqlite", dsn("&_pragma=query_only(1)")); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s.write.SetMaxOpenConns(1)
	s.read.SetMaxOpenConns(readers)
	s.read.SetMaxIdleConns(readers)
	return s, nil
}

func openPostgres(address string) (*Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err) // pgx leaves the password out of it
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectTimeout {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "verifier"
	}
	db := sql.OpenDB(connector(config, stdlib.OptionAfterConnect(limits(config))))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	patient := sql.OpenDB(connector(config))
	patient.SetMaxIdleConns(-1) // it is used now and then
	return &Store{kind: postgres, read: db, write: db, patient: patient, reserve: reserve{bytes: reservePostgres}, address: address}, nil
}

// Close lets go of the database.
func (s *Store) Close() error {
	if s.kind == postgres {
		return errors.Join(s.write.Close(), s.patient.Close())
	}
	// The readers first: the last connection that closes merges the log into the file, and it must be allowed to write.
	return errors.Join(s.read.Close(), s.write.Close())
}

// Ping says whether the database answers. It asks also while other calls are refused, and ends that where it does.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callMost)
	defer cancel()
	err := again(ctx, true, func() error {
		var one int
		return classify(s.read.QueryRowContext(ctx, "SELECT 1").Scan(&one))
	})
	s.left(err)
	return err
}

// Kind names the database: sqlite or postgres.
func (s *Store) Kind() string { return string(s.kind) }
