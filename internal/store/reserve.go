package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// The room that is held back for what must work on a full disk: revoking keys, removing plans and people, signing in to do so.
// Each of them takes a few pages. SQLite needs more, because what is in its log, of up to 8 MB when the disk fills, has to find a
// place in the file before the log can be used again.
const (
	reserveSQLite   = 16 << 20
	reservePostgres = 4 << 20
)

// reserve is that room: a file beside SQLite's, a table of PostgreSQL. Removing something takes room before it gives any.
type reserve struct {
	file     string // of SQLite; empty with PostgreSQL
	bytes    int64
	mu       sync.Mutex
	released bool      // it is in use: whatever only adds is refused, so that nobody takes it by adding
	tried    time.Time // when it was last tried to make it again
}

// reserveAgain is how often it is tried.
const reserveAgain = 5 * time.Second

// Reserve holds the room back. The service calls it when it starts, and it is made again by itself once it was needed and the
// disk has room.
func (s *Store) Reserve(ctx context.Context) error {
	s.reserve.mu.Lock()
	defer s.reserve.mu.Unlock()
	return s.reserveLocked(ctx)
}

func (s *Store) reserveLocked(ctx context.Context) error {
	var err error
	if s.kind == sqlite {
		err = s.reserve.fill()
	} else {
		err = s.bounded(ctx, callMost, func(ctx context.Context) error {
			return s.once(ctx, s.write, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, s.reserve.insert)
		})
	}
	if err != nil {
		return fmt.Errorf("store: reserve: %w", classify(err))
	}
	s.reserve.released = false
	return nil
}

// fill writes the file, unless it is there. What is left of one that could not be written is removed.
func (r *reserve) fill() error {
	if info, err := os.Stat(r.file); err == nil && info.Size() >= r.bytes {
		return nil
	}
	err := os.WriteFile(r.file, make([]byte, r.bytes), 0o600)
	if err != nil {
		err = errors.Join(err, os.Remove(r.file))
	}
	return err
}

// insert writes the table, unless it is there, of bytes that cannot be compressed.
func (r *reserve) insert(a at) error {
	const row = 64 << 10
	var has int64
	if _, err := a.exec("CREATE TABLE IF NOT EXISTS disk_reserve (filler BYTEA NOT NULL)"); err != nil {
		return err
	}
	if err := a.one("SELECT COUNT(*) FROM disk_reserve", nil, &has); err != nil {
		return err
	}
	filler := make([]byte, row)
	for i := has; i < r.bytes/row; i++ {
		_, _ = rand.Read(filler) // never fails
		if _, err := a.exec("INSERT INTO disk_reserve (filler) VALUES (?)", filler); err != nil {
			return err
		}
	}
	return nil
}

// release gives the room to who needs it, and says whether there was any.
func (s *Store) release(ctx context.Context) bool {
	s.reserve.mu.Lock()
	defer s.reserve.mu.Unlock()
	if s.reserve.released {
		return true // another call did so: there is room now, or there is none
	}
	if s.kind == sqlite {
		if os.Remove(s.reserve.file) != nil {
			return false
		}
	} else if _, err := s.writing(ctx).exec("DROP TABLE disk_reserve"); err != nil {
		return false
	}
	s.reserve.released, s.reserve.tried = true, time.Now()
	return true
}

// freeing runs what must work on a full disk: where it is full, with the room that was held back.
func (s *Store) freeing(ctx context.Context, f func() error) error {
	err := f()
	if errors.Is(err, ErrFull) && s.release(ctx) {
		err = f()
	}
	if err == nil && s.needed() {
		s.scrub(ctx) // SQLite's log would else grow by every call until the room is used up
	}
	return err
}

// needed says whether the room is in use.
func (s *Store) needed() bool {
	s.reserve.mu.Lock()
	defer s.reserve.mu.Unlock()
	return s.reserve.released
}

// room refuses what only adds while the room that was held back is in use, and tries now and then to hold it back again.
func (s *Store) room(ctx context.Context) error {
	r := &s.reserve
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.released {
		return nil
	}
	if since := time.Since(r.tried); since >= 0 && since < reserveAgain {
		return fmt.Errorf("%w: what is left is for removing", ErrFull)
	}
	r.tried = time.Now()
	return s.reserveLocked(ctx)
}
