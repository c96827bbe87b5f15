package store

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/modelverifier/verifier/internal/rate"
)

var (
	_ = register("rate_window", "bucket text", "began integer", "ends integer", "used integer", "granted integer")
	_ = register("rate_secret", "id text", "value bytes")
)

// windows is the store of package rate.
type windows struct{ s *Store }

// Windows returns the store of rate limits.
func (s *Store) Windows() rate.Store { return windows{s} }

// aheadMost is how far the clock of another replica may be ahead. A window that began later than that was counted by a clock that
// was set back since, and nobody waits until it is that time again.
const aheadMost = time.Minute

// Take is one statement, so that those who take at the same time take one after the other. A window that has ended begins
// anew; of one that has not, the call gets what is left.
func (w windows) Take(ctx context.Context, bucket string, n, limit int64, period time.Duration, now time.Time) (rate.Window, error) {
	var began int64
	var out rate.Window
	millis := now.UnixMilli()
	first := max(0, min(n, limit))
	ahead := millis + min(period, aheadMost).Milliseconds()
	err := w.s.writing(ctx).one(`INSERT INTO rate_window (bucket, began, ends, used, granted) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (bucket) DO UPDATE SET
			began = CASE WHEN (rate_window.ends <= excluded.began OR rate_window.began > ?) THEN excluded.began ELSE rate_window.began END,
			ends = CASE WHEN (rate_window.ends <= excluded.began OR rate_window.began > ?) THEN excluded.ends ELSE rate_window.ends END,
			used = CASE WHEN (rate_window.ends <= excluded.began OR rate_window.began > ?) THEN excluded.used
				WHEN rate_window.used >= ? THEN rate_window.used
				WHEN rate_window.used + excluded.granted > ? THEN ?
				ELSE rate_window.used + excluded.granted END,
			granted = CASE WHEN (rate_window.ends <= excluded.began OR rate_window.began > ?) THEN excluded.granted
				WHEN rate_window.used >= ? THEN 0
				WHEN rate_window.used + excluded.granted > ? THEN ? - rate_window.used
				ELSE excluded.granted END
		RETURNING began, used, granted`,
		[]any{bucket, millis, millis + period.Milliseconds(), first, first, ahead, ahead, ahead, limit, limit, limit, ahead, limit, limit, limit}, &began, &out.Used, &out.Granted)
	out.Began = time.UnixMilli(began).UTC()
	return out, err
}

// Secret is that with which addresses are digested.
func (w windows) Secret(ctx context.Context) ([]byte, error) { return w.s.secret(ctx, "address") }

// LinkSecret is that with which links to weights are signed, the same for every replica.
func (s *Store) LinkSecret(ctx context.Context) ([]byte, error) { return s.secret(ctx, "link") }

// secret lets the first who asks decide.
func (s *Store) secret(ctx context.Context, id string) ([]byte, error) {
	read := func() (value []byte, err error) {
		err = s.reading(ctx).one("SELECT value FROM rate_secret WHERE id = ?", []any{id}, &value)
		return value, err
	}
	if value, err := read(); err == nil {
		return value, nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	if _, err := s.writing(ctx).exec("INSERT INTO rate_secret (id, value) VALUES (?, ?) ON CONFLICT DO NOTHING", id, fresh); err != nil {
		return nil, err
	}
	return read()
}

func (w windows) Forget(ctx context.Context, now time.Time) error {
	return w.s.freeing(ctx, func() error {
		_, err := w.s.writing(ctx).exec("DELETE FROM rate_window WHERE ends <= ?", now.UnixMilli())
		return err
	})
}
