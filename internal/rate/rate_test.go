package rate_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/rate"
	"github.com/modelverifier/verifier/internal/store"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// watched is a real store that counts calls and can be away.
type watched struct {
	rate.Store
	calls atomic.Int64
	away  atomic.Bool
}

var errAway = errors.New("away")

func (w *watched) Take(ctx context.Context, bucket string, n, limit int64, period time.Duration, now time.Time) (rate.Window, error) {
	w.calls.Add(1)
	if w.away.Load() {
		return rate.Window{}, errAway
	}
	return w.Store.Take(ctx, bucket, n, limit, period, now)
}

// clock stands still until it is set.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time { return day.Add(time.Duration(c.ms.Load()) * time.Millisecond) }

func open(t *testing.T) *watched {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &watched{Store: s.Windows()}
}

func take(t *testing.T, l *rate.Limiter, bucket string) rate.Result {
	t.Helper()
	r, err := l.Take(t.Context(), bucket)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAWindowIsUsedUpAndBeginsAnew(t *testing.T) {
	w, c := open(t), &clock{}
	l := rate.New(w, 3, time.Minute, c.now)
	for window := range 3 {
		reset := c.now().Add(time.Minute)
		for _, left := range []int64{2, 1, 0} {
			if r := take(t, l, "b"); r != (rate.Result{Allowed: true, Limit: 3, Remaining: left, Reset: reset}) {
				t.Errorf("window %d: %+v", window, r)
			}
		}
		before := w.calls.Load()
		c.ms.Add(59_999)
		for range 100 {
			if r := take(t, l, "b"); r != (rate.Result{Limit: 3, Reset: reset}) {
				t.Fatalf("window %d, used up: %+v", window, r)
			}
		}
		if n := w.calls.Load() - before; n != 0 {
			t.Errorf("%d calls of the store for a bucket that is used up", n)
		}
		if r := take(t, l, "another"); !r.Allowed {
			t.Error("buckets share a window")
		}
		c.ms.Add(1 + int64(window)*1000)
	}
}

// TestTheStoreIsAskedForPartsOfALimit counts the calls, and what is said to be left, which only falls.
func TestTheStoreIsAskedForPartsOfALimit(t *testing.T) {
	w, c := open(t), &clock{}
	l := rate.New(w, 10_000, time.Minute, c.now)
	for i := range int64(10_000) {
		if r := take(t, l, "b"); !r.Allowed || r.Remaining != 10_000-i-1 {
			t.Fatalf("call %d: %+v", i, r)
		}
	}
	if r := take(t, l, "b"); r.Allowed {
		t.Error("more than the limit")
	}
	if n := w.calls.Load(); n > 135 {
		t.Errorf("%d calls of the store", n)
	}
}

// slow is a store that says that it was asked, and answers when it is told to.
type slow struct {
	always
	asked, answer chan struct{}
}

func (s slow) Take(ctx context.Context, name string, n, limit int64, period time.Duration, now time.Time) (rate.Window, error) {
	s.asked <- struct{}{}
	<-s.answer
	return s.always.Take(ctx, name, n, limit, period, now)
}

// TestNobodyWaitsForTheNextPartOfALimit has a store that is asked while there is something left, and callers who are served before it answers.
func TestNobodyWaitsForTheNextPartOfALimit(t *testing.T) {
	c := &clock{}
	s := slow{always{c}, make(chan struct{}, 8), make(chan struct{}, 8)}
	l := rate.New(s, 1_000_000, time.Hour, c.now)
	for _, part := range []int{1, 2, 4, 8, 16} {
		s.answer <- struct{}{}
		for range part - 3*(part/16) { // three are left of the last
			take(t, l, "b")
		}
		<-s.asked
	}
	select {
	case <-s.asked:
	case <-time.After(10 * time.Second):
		t.Fatal("three are left of sixteen, and the store is not asked for more")
	}
	for range 3 {
		take(t, l, "b")
	}
	s.answer <- struct{}{}
	take(t, l, "b")
	if n := len(s.asked); n != 0 {
		t.Errorf("the store was asked %d times more", n)
	}
}

// TestABusyBucketBeginsAWindowWithALargePart counts how often the store is asked for 100 calls, at first and in the window behind.
func TestABusyBucketBeginsAWindowWithALargePart(t *testing.T) {
	w, c := open(t), &clock{}
	l := rate.New(w, 100_000, time.Minute, c.now)
	for _, most := range []int64{8, 4} {
		before := w.calls.Load()
		for range 100 {
			take(t, l, "b")
		}
		if n := w.calls.Load() - before; n > most {
			t.Errorf("the store was asked %d times, at most %d were expected", n, most)
		}
		c.ms.Add(60_000)
	}
}

// TestALeaseEndsWithItsWindow leaves some of a lease behind: it must not be used in the next window.
func TestALeaseEndsWithItsWindow(t *testing.T) {
	w, c := open(t), &clock{}
	l := rate.New(w, 1000, time.Minute, c.now)
	for range 20 {
		take(t, l, "b")
	}
	c.ms.Add(60_000)
	allowed := 0
	for range 2000 {
		if take(t, l, "b").Allowed {
			allowed++
		}
	}
	if allowed != 1000 {
		t.Errorf("%d of 1000", allowed)
	}
}

func TestAStoreThatIsAwayIsAnErrorForAllWhoWaitAndPasses(t *testing.T) {
	w, c := open(t), &clock{}
	l := rate.New(w, 100, time.Minute, c.now)
	w.away.Store(true)
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			if _, err := l.Take(t.Context(), "b"); !errors.Is(err, errAway) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	w.away.Store(false)
	if r := take(t, l, "b"); !r.Allowed || r.Remaining != 99 {
		t.Errorf("%+v", r)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Take(gone, "c"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that went away: %v", err)
	}
}

// TestBucketsAreForgotten makes more than are remembered; those that are asked for again are where they were.
func TestBucketsAreForgotten(t *testing.T) {
	c := &clock{}
	l := rate.New(always{c}, 2, time.Minute, c.now)
	for i := range 120_000 {
		take(t, l, fmt.Sprint(i))
		if i%1000 == 0 {
			c.ms.Add(1)
		}
	}
	if n := l.Buckets(); n > 50_000 {
		t.Errorf("%d buckets are remembered", n)
	}
}

// always grants everything: it stands for a database in a test of memory alone.
type always struct{ c *clock }

func (a always) Take(_ context.Context, _ string, n, _ int64, _ time.Duration, _ time.Time) (rate.Window, error) {
	return rate.Window{Granted: n, Used: n, Began: a.c.now()}, nil
}
func (always) Secret(context.Context) ([]byte, error)  { return nil, nil }
func (always) Forget(context.Context, time.Time) error { return nil }

// TestNobodyIsRefusedWhileTheLimitHasMore has many begin a bucket at once: what one of them leased must not be gone when it comes to take its own.
func TestNobodyIsRefusedWhileTheLimitHasMore(t *testing.T) {
	c := &clock{}
	l := rate.New(always{c}, 1_000_000, time.Hour, c.now)
	for round := range 3000 {
		name := strconv.Itoa(round)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for range 4 {
					if r, err := l.Take(context.Background(), name); err != nil || !r.Allowed {
						t.Errorf("%+v %v", r, err)
					}
				}
			})
		}
		group.Wait()
		if t.Failed() {
			return
		}
	}
}

func TestAddressesAreCountedByHouseAndCannotBeReadBack(t *testing.T) {
	of := func(s string) string { return rate.Address([]byte("secret"), netip.MustParseAddr(s)) }
	for _, same := range [][]string{{"192.0.2.7", "::ffff:192.0.2.7"}, {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:2::1%eth0"}} {
		for _, a := range same {
			if of(a) != of(same[0]) {
				t.Errorf("%s and %s are counted apart", a, same[0])
			}
			if strings.ContainsAny(of(a), ".%") || len(of(a)) != len("address:")+32 {
				t.Errorf("%s is named %s", a, of(a))
			}
		}
	}
	differ := []string{"192.0.2.7", "192.0.2.8", "2001:db8:1:2::1", "2001:db8:1:3::1", "::1"}
	names := map[string]bool{rate.Key("192.0.2.7"): true}
	for _, a := range differ {
		names[of(a)] = true
	}
	if len(names) != len(differ)+1 {
		t.Errorf("%d names", len(names))
	}
	if rate.Address([]byte("another"), netip.MustParseAddr("192.0.2.7")) == of("192.0.2.7") {
		t.Error("the secret does not count")
	}
}

func BenchmarkTake(b *testing.B) {
	c := &clock{}
	l := rate.New(always{c}, 1<<40, time.Hour, c.now)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Take(b.Context(), "b"); err != nil {
				b.Error(err)
			}
		}
	})
}

// broken is a store that cannot write.
type broken struct{ rate.Store }

var errBroken = errors.New("full")

func (broken) Take(context.Context, string, int64, int64, time.Duration, time.Time) (rate.Window, error) {
	return rate.Window{}, errBroken
}

// TestLimitsHoldInMemoryWhileTheStoreCannotWrite, and only for the errors that are meant.
func TestLimitsHoldInMemoryWhileTheStoreCannotWrite(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	l := rate.New(&rate.Spare{Store: broken{}, When: func(err error) bool { return errors.Is(err, errBroken) }}, 3, time.Minute, func() time.Time { return now })
	for window := range 2 {
		for n := range 5 {
			r, err := l.Take(t.Context(), "a")
			if err != nil || r.Allowed != (n < 3) {
				t.Errorf("window %d, call %d: %+v %v", window, n, r, err)
			}
		}
		now = now.Add(time.Minute)
	}
	strict := rate.New(&rate.Spare{Store: broken{}, When: func(error) bool { return false }}, 3, time.Minute, time.Now)
	if _, err := strict.Take(t.Context(), "a"); !errors.Is(err, errBroken) {
		t.Errorf("another error: %v", err)
	}
}

// TestALimiterAsksAgainWhenTheClockWasSetBack has used its limit up, a day ahead.
func TestALimiterAsksAgainWhenTheClockWasSetBack(t *testing.T) {
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "data.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := day.Add(24 * time.Hour)
	l := rate.New(s.Windows(), 2, time.Minute, func() time.Time { return now })
	for _, at := range []time.Time{now, day} {
		now = at
		for n := range 4 {
			if r, err := l.Take(t.Context(), "a"); err != nil || r.Allowed != (n < 2) {
				t.Errorf("%v, call %d: %+v %v", at, n, r, err)
			}
		}
	}
}
