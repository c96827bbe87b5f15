package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Facts are what an operator wants to know of a database before anybody relies on it.
type Facts struct {
	Version     string
	Bytes       int64         // that the database takes
	Ahead       time.Duration // how far its clock is ahead of ours; zero with SQLite, which has none
	Standby     bool          // it only reads
	Durable     bool          // what it acknowledges is on its disk
	Connections int64         // that the server takes, of everybody
}

// Uses is how many connections one replica opens at the most.
const Uses = connections + queuePool + 1

// Facts asks a database about itself. It changes nothing.
func (s *Store) Facts(ctx context.Context) (f Facts, err error) {
	ctx, cancel := context.WithTimeout(ctx, callMost)
	defer cancel()
	if s.kind == sqlite {
		return s.factsSQLite(ctx)
	}
	var millis int64
	var fsync, commit string
	began := time.Now()
	err = s.read.QueryRowContext(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, current_setting('server_version'),
		pg_database_size(current_database()), pg_is_in_recovery(), current_setting('fsync'), current_setting('synchronous_commit'),
		current_setting('max_connections')::bigint`).Scan(&millis, &f.Version, &f.Bytes, &f.Standby, &fsync, &commit, &f.Connections)
	if err != nil {
		return f, fmt.Errorf("store: facts: %w", classify(err))
	}
	middle := began.Add(time.Since(began) / 2) // when the server read its clock, as well as can be known
	f.Ahead, f.Durable = time.UnixMilli(millis).Sub(middle), fsync == "on" && commit != "off"
	return f, nil
}

func (s *Store) factsSQLite(ctx context.Context) (f Facts, err error) {
	var pages, size, synchronous int64
	var journal string
	err = errors.Join(
		s.read.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&f.Version),
		s.read.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages),
		s.read.QueryRowContext(ctx, "PRAGMA page_size").Scan(&size),
		s.read.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal),
		s.read.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous))
	if err != nil {
		return f, fmt.Errorf("store: facts: %w", classify(err))
	}
	const full = 2
	f.Bytes, f.Durable = pages*size, journal == "wal" && synchronous >= full
	return f, nil
}
