package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// How long the database may take. Nobody waits longer for it, whatever it does: a server that is frozen, or on the other side of
// a cable that was cut, says nothing at all.
const (
	callMost  = 5 * time.Second // of one call: waiting for a connection, all statements and the commit
	probeMost = time.Second     // of the call that tries a database which did not answer

	tripAfter  = 3           // calls in a row that were not answered, then
	tryAgainIn = time.Second // one call in so long tries, and the others are refused at once

	// The server gives up by itself what nobody waits for any more.
	statementMost = callMost + 5*time.Second
	idleMost      = time.Minute // between two statements of a transaction
)

// breaker refuses calls while the database does not answer, so that callers do not all wait for what each of them would find out.
// The zero value lets everybody through.
type breaker struct {
	mu   sync.Mutex
	lost int       // calls in a row that were not answered
	next time.Time // when one may try again
}

var errOpen = fmt.Errorf("%w: it did not answer the last calls", ErrUnavailable)

// enter says whether a call may be made now, and whether it is the one that tries.
func (b *breaker) enter(now time.Time) (probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost < tripAfter {
		return false, nil
	}
	if now.Before(b.next) && b.next.Sub(now) <= tryAgainIn { // a clock that was set back keeps nobody out
		return false, errOpen
	}
	b.next = now.Add(tryAgainIn)
	return true, nil
}

// leave notes how a call ended, and says whether the database is taken to be away. That a caller gave up says nothing about it.
func (b *breaker) leave(now time.Time, err error) (away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case errors.Is(err, ErrUnavailable):
		b.lost++
		b.next = now.Add(tryAgainIn)
		return b.lost >= tripAfter
	case !errors.Is(err, context.Canceled):
		b.lost = 0
	}
	return false
}

// left notes how a call of PostgreSQL ended. Where the server is away, the connections that wait to be used lead to it: they are closed, or each
// would be found out by a call of its own, one in a second.
func (s *Store) left(err error) {
	if s.breaker.leave(time.Now(), err) && s.kind == postgres {
		s.write.SetMaxIdleConns(0)
		s.write.SetMaxIdleConns(connections)
	}
}

// bounded makes a call of the database that ends in time. SQLite is in this process: there is nobody who could fail to answer.
func (s *Store) bounded(ctx context.Context, most time.Duration, f func(ctx context.Context) error) error {
	var probe bool
	if s.kind == postgres {
		var err error
		if probe, err = s.breaker.enter(time.Now()); err != nil {
			s.calls.add(0, err)
			return err
		}
	}
	if probe {
		most = probeMost
	}
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	began := time.Now()
	err := f(ctx)
	now := time.Now()
	s.calls.add(now.Sub(began), err)
	if s.kind == postgres {
		s.left(err)
	}
	return err
}

// again repeats what may be repeated: what lost against another transaction, and what never reached the database because its
// connection had been closed. Both left nothing behind. What reads may be repeated whenever a connection broke. Who loses has lost against
// somebody who went through, so it is tried until the call's time is over.
func again(ctx context.Context, reads bool, f func() error) error {
	broken := 0
	for i := 0; ; i++ {
		err := f()
		switch {
		case errors.Is(err, errConflict):
			// A random pause lets those who met once not meet again.
			select {
			case <-time.After(rand.N(firstPause << min(i, 6))):
			case <-ctx.Done():
				return fmt.Errorf("%w: %w", ErrUnavailable, err)
			}
		case err != nil && broken < reconnects && ctx.Err() == nil && (pgconn.SafeToRetry(err) || reads && isBroken(err)):
			broken++
		default:
			return err
		}
	}
}

// The longest first pause behind a transaction that lost against another, and how many connections may turn out to be closed: after a
// restart of the server all of them are, and each is found out once.
const (
	firstPause = 4 * time.Millisecond
	reconnects = 3
)

// limits tells the server what nobody waits for. They are set behind the connect, and not with it: pools between us and the
// server refuse settings that they do not know. Those that the operator wrote into the address stay.
func limits(config *pgx.ConnConfig) func(ctx context.Context, c *pgx.Conn) error {
	wanted := map[string]time.Duration{"statement_timeout": statementMost, "idle_in_transaction_session_timeout": idleMost}
	for name := range config.RuntimeParams {
		delete(wanted, name)
	}
	return func(ctx context.Context, c *pgx.Conn) error {
		for name, most := range wanted {
			if _, err := c.Exec(ctx, "SELECT set_config($1, $2, false)", name, strconv.FormatInt(most.Milliseconds(), 10)); err != nil {
				return err
			}
		}
		return nil
	}
}

// long is the pool for what may take as long as it takes: migrations, backups and restoring.
func (s *Store) long(db *sql.DB) *sql.DB {
	if s.patient != nil {
		return s.patient
	}
	return db
}
