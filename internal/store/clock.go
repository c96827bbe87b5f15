package store

import (
	"context"
	"sync"
	"time"
)

// lookEvery is how often the server's clock is looked at: until then the clocks of two machines part by milliseconds.
const lookEvery = 30 * time.Second

// Clock is a clock that all processes over the store agree on, that of PostgreSQL: whether a worker called lately is not for a replica to
// say whose own clock is off. Between two looks at the server's the time goes on by this machine's monotonic clock, which follows no step of
// the other. Until the first look succeeds, and with SQLite, it is the caller's own.
func (s *Store) Clock(ctx context.Context, own func() time.Time) func() time.Time {
	if s.kind == sqlite {
		return own
	}
	c := &serverClock{store: s, own: own, looking: true}
	c.look(ctx)
	return c.now
}

type serverClock struct {
	store *Store
	own   func() time.Time

	mu      sync.Mutex
	looking bool
	looked  time.Time
	read    time.Time // what the server's clock said, zero where it was never read,
	at      time.Time // and when that was, with the monotonic clock's reading
}

func (c *serverClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.looking && time.Since(c.looked) > lookEvery {
		c.looking = true
		go c.look(context.Background())
	}
	if c.read.IsZero() {
		return c.own()
	}
	return c.read.Add(time.Since(c.at))
}

// look reads the server's clock. A server that does not answer leaves everything as it was.
func (c *serverClock) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callMost)
	defer cancel()
	var micros int64
	began := time.Now()
	err := c.store.read.QueryRowContext(ctx, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint").Scan(&micros)
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looking, c.looked = false, time.Now()
	if err == nil {
		c.read, c.at = time.UnixMicro(micros), began.Add(took/2) // the server read it somewhere in between
	}
}
