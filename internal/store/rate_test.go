package store

import (
	"bytes"
	"context"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

var (
	_ = exercise("a window begins with the first call, grants what is left of the limit, and ends", func(t *testing.T, s *Store) {
		w := s.Windows()
		at := func(ms int) time.Time { return day.Add(time.Duration(ms) * time.Millisecond) }
		for i, c := range []struct {
			n, limit      int64
			now           int
			granted, used int64
			began         int
		}{
			{4, 10, 500, 4, 4, 500},
			{4, 10, 600, 4, 8, 500},
			{4, 10, 700, 2, 10, 500},
			{4, 10, 1499, 0, 10, 500},
			{1, 10, 100, 0, 10, 500}, // a replica whose clock is behind
			{3, 5, 1400, 0, 10, 500}, // a limit that was made smaller takes nothing back
			{3, 12, 1400, 2, 12, 500},
			{20, 10, 1500, 10, 10, 1500}, // the next window
			{1, 10, 9000, 1, 1, 9000},
		} {
			got, err := w.Take(t.Context(), "b", c.n, c.limit, time.Second, at(c.now))
			if want := (rate.Window{Granted: c.granted, Used: c.used, Began: at(c.began)}); err != nil || got != want {
				t.Errorf("%d: %+v, %v, want %+v", i, got, err, want)
			}
		}
		if got, err := w.Take(t.Context(), "c", 1, 10, time.Second, at(9000)); err != nil || got.Used != 1 {
			t.Errorf("another bucket: %+v, %v", got, err)
		}
	})
	_ = exercise("windows that have ended are removed, and no others", func(t *testing.T, s *Store) {
		w := s.Windows()
		for bucket, period := range map[string]time.Duration{"short": time.Second, "long": time.Hour} {
			_, err := w.Take(t.Context(), bucket, 3, 10, period, day)
			ok(t, err)
		}
		ok(t, w.Forget(t.Context(), day.Add(time.Minute)))
		n := 0
		ok(t, s.reading(t.Context()).one("SELECT COUNT(*) FROM rate_window", nil, &n))
		got, err := w.Take(t.Context(), "long", 1, 10, time.Hour, day.Add(time.Minute))
		if err != nil || n != 1 || got.Used != 4 {
			t.Errorf("%d windows, %+v, %v", n, got, err)
		}
	})
	_ = exercise("the secret for addresses is made once", func(t *testing.T, s *Store) {
		const replicas = 4
		secrets := make(chan []byte)
		for range replicas {
			go func() {
				b, err := s.Windows().Secret(t.Context())
				if err != nil {
					t.Error(err)
				}
				secrets <- b
			}()
		}
		first := <-secrets
		for range replicas - 1 {
			if next := <-secrets; !bytes.Equal(next, first) || len(next) != 32 {
				t.Errorf("%x and %x", first, next)
			}
		}
	})

	_ = fills(func(t *testing.T, s *Store) {
		secret, err := s.Windows().Secret(t.Context())
		ok(t, err)
		_, err = s.Windows().Take(t.Context(), rate.Address(secret, netip.MustParseAddr("192.0.2.7")), 1, 60, time.Hour, day)
		ok(t, err)
	})
)

// TestALimitHoldsAcrossReplicas has three replicas, each with a database handle of its own and many callers, use a bucket up.
func TestALimitHoldsAcrossReplicas(t *testing.T) {
	for kind, address := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "data.db") },
		"postgres": func() string { return pgtest.New(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			to := address()
			var stores []*Store
			for range 3 {
				stores = append(stores, open(t, to))
			}
			for _, limit := range []int64{60, 600, 5000} {
				handed, refused, took := hammer(t, stores, limit, func(int) int { return 1 })
				t.Logf("limit %d: %d handed out, %d refused, %d calls of the store", limit, handed, refused, took)
				within(t, limit, handed)
				handed, _, _ = hammer(t, stores, limit, func(replica int) int { return []int{1, 20, 400}[replica] }) // most calls meet one replica
				within(t, limit, handed)
			}
		})
	}
}

func within(t *testing.T, limit, handed int64) {
	t.Helper()
	if handed > limit || handed*100 < limit*95 {
		t.Errorf("%d of %d were handed out", handed, limit)
	}
}

// counted counts calls of a store.
type counted struct {
	rate.Store
	calls *atomic.Int64
}

func (c counted) Take(ctx context.Context, bucket string, n, limit int64, period time.Duration, now time.Time) (rate.Window, error) {
	c.calls.Add(1)
	return c.Store.Take(ctx, bucket, n, limit, period, now)
}

// hammer makes half as many calls again as the limit has, spread over replicas by weight, at a time that stands still.
func hammer(t *testing.T, stores []*Store, limit int64, weight func(replica int) int) (handed, refused, took int64) {
	t.Helper()
	var given, denied, calls atomic.Int64
	limiters := make([]*rate.Limiter, len(stores))
	total := 0
	for i, s := range stores {
		limiters[i] = rate.New(counted{s.Windows(), &calls}, limit, time.Hour, func() time.Time { return day })
		total += weight(i)
	}
	bucket := t.Name() + time.Now().String()
	var wait sync.WaitGroup
	for i, l := range limiters {
		mine := int(limit) * 3 / 2 * weight(i) / total
		const callers = 16
		for c := range callers {
			wait.Go(func() {
				for range (mine + c) / callers {
					r, err := l.Take(t.Context(), bucket)
					switch {
					case err != nil:
						t.Error(err)
						return
					case r.Allowed:
						given.Add(1)
					default:
						denied.Add(1)
						if r.Remaining != 0 || !r.Reset.Equal(day.Add(time.Hour)) || r.Limit != limit {
							t.Errorf("refused with %+v", r)
						}
					}
				}
			})
		}
	}
	wait.Wait()
	return given.Load(), denied.Load(), calls.Load()
}
