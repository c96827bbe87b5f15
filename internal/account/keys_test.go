package account_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
	"go.uber.org/goleak"
)

// counting counts the questions that reach a real store.
type counting struct {
	account.Store
	asked, touched atomic.Int64
}

func (c *counting) Key(ctx context.Context, h secret.Hash) (account.Key, error) {
	c.asked.Add(1)
	return c.Store.Key(ctx, h)
}

func (c *counting) Touch(ctx context.Context, org, id string, at time.Time) error {
	c.touched.Add(1)
	return c.Store.Touch(ctx, org, id, at)
}

// key makes an organisation with a key, and returns the key.
func (d desk) key() string {
	d.t.Helper()
	org, ada := d.found("Lab", "ada@example.com")
	_, key, err := d.CreateKey(d.t.Context(), org, ada.ID, "ci")
	if err != nil {
		d.t.Fatal(err)
	}
	return key
}

// gate makes keys of an organisation with the real clock, as replicas have it.
func gate(t testing.TB, d desk) (*account.Keys, *counting) {
	t.Helper()
	c := &counting{Store: d.Store}
	k := account.NewKeys(c, time.Now)
	t.Cleanup(k.Close)
	return k, c
}

func TestAKeyStandsForItsOrganisation(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		other, eve := d.found("Other", "eve@example.com")
		k, key, err := d.CreateKey(ctx, org, ada.ID, "ci")
		if err != nil {
			t.Fatal(err)
		}
		if len(key) != 46 || !strings.HasPrefix(key, "mv_") || k.Prefix != key[:8] {
			t.Errorf("key of %d characters, prefix %s", len(key), k.Prefix)
		}
		keys, _ := gate(t, d)
		if c, err := keys.Authenticate(ctx, key); err != nil || c != (account.Caller{Org: org, KeyID: k.ID}) {
			t.Errorf("got %+v, %v", c, err)
		}
		for _, bad := range []string{"", "mv_", key[:45], key + "a", "mv_" + strings.Repeat("A", 43), "xx_" + key[3:], key[3:], key[:45] + "é", strings.ToUpper(key), k.ID} {
			_, err := keys.Authenticate(ctx, bad)
			fails(t, err, account.ErrUnauthorised)
		}
		fails(t, d.RevokeKey(ctx, other, eve.ID, k.ID), account.ErrNotFound)
		fails(t, d.RevokeKey(ctx, org, eve.ID, k.ID), account.ErrNotFound)
		if err := d.RevokeKey(ctx, org, ada.ID, k.ID); err != nil {
			t.Fatal(err)
		}
		if err := d.RevokeKey(ctx, org, ada.ID, k.ID); err != nil {
			t.Errorf("revoking twice: %v", err)
		}
		fresh, _ := gate(t, d)
		_, err = fresh.Authenticate(ctx, key)
		fails(t, err, account.ErrUnauthorised)
	})
}

// TestARevokedKeyIsRefusedByEveryReplica runs three replicas under load and measures how long a revoked key is still taken.
func TestARevokedKeyIsRefusedByEveryReplica(t *testing.T) {
	address := pgtest.New(t)
	d := newDesk(t, address)
	org, ada := d.found("Lab", "ada@example.com")
	k, key, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
	if err != nil {
		t.Fatal(err)
	}
	var revoked atomic.Int64
	var group sync.WaitGroup
	last := make([]time.Time, 3) // when each replica let the key in for the last time
	for i := range last {
		s, err := store.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		keys := account.NewKeys(s.Accounts(), time.Now)
		defer keys.Close()
		if _, err := keys.Authenticate(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			for {
				came := time.Now()
				_, err := keys.Authenticate(context.Background(), key)
				if err != nil {
					fails(t, err, account.ErrUnauthorised)
					return
				}
				if last[i] = came; revoked.Load() != 0 && came.UnixNano() > revoked.Load()+int64(10*time.Second) {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	time.Sleep(300 * time.Millisecond) // so that renewing in the background is under way
	if err := d.RevokeKey(t.Context(), org, ada.ID, k.ID); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	revoked.Store(at.UnixNano())
	group.Wait()
	for i, l := range last {
		t.Logf("replica %d let it in until %v behind the revocation", i, l.Sub(at).Round(time.Millisecond))
		if l.Sub(at) > time.Second {
			t.Errorf("replica %d let it in %v behind the revocation", i, l.Sub(at))
		}
	}
}

func TestTheStoreIsAskedOnceForManyCallers(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	key := d.key()
	// A clock that stands still: nothing becomes old.
	c := &counting{Store: d.Store}
	keys := account.NewKeys(c, d.clock.Now)
	defer keys.Close()
	for _, k := range []string{key, "mv_" + strings.Repeat("w", 43)} {
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() {
				for range 100 {
					_, _ = keys.Authenticate(context.Background(), k)
				}
			})
		}
		group.Wait()
	}
	if n := c.asked.Load(); n != 2 {
		t.Errorf("asked %d times for two keys", n)
	}
	d.clock.Pass(600 * time.Millisecond)
	_, _ = keys.Authenticate(t.Context(), key)
	if n := c.asked.Load(); n != 3 {
		t.Errorf("asked %d times, a third time is due", n)
	}
}

func TestTheLastUseIsNotedOnceAMinute(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		org, ada := d.found("Lab", "ada@example.com")
		_, key, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
		if err != nil {
			t.Fatal(err)
		}
		c := &counting{Store: d.Store}
		keys := account.NewKeys(c, d.clock.Now)
		for range 100 { // 100 seconds
			d.clock.Pass(time.Second)
			if _, err := keys.Authenticate(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
		used := d.clock.Now()
		keys.Close()
		if n := c.touched.Load(); n != 2 {
			t.Errorf("noted %d times in 100 seconds", n)
		}
		all := must[[]account.Key](t)(d.Keys(t.Context(), org, ada.ID))
		if got := all[0].LastUsed; got.IsZero() || got.After(used) || used.Sub(got) > 2*time.Minute || got.Second() != 0 {
			t.Errorf("last used %v, now is %v", got, used)
		}
	})
}

// unhurried is a store that notes a use only after a while, or when it is told to stop.
type unhurried struct {
	account.Store
	begun chan struct{}
}

func (u unhurried) Touch(ctx context.Context, org, id string, at time.Time) error {
	close(u.begun)
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
	return u.Store.Touch(ctx, org, id, at)
}

func TestClosingWaitsForTheUseThatIsBeingNoted(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		org, ada := d.found("Lab", "ada@example.com")
		_, key, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
		if err != nil {
			t.Fatal(err)
		}
		u := unhurried{d.Store, make(chan struct{})}
		keys := account.NewKeys(u, d.clock.Now)
		if _, err := keys.Authenticate(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		<-u.begun
		keys.Close()
		if all := must[[]account.Key](t)(d.Keys(t.Context(), org, ada.ID)); all[0].LastUsed.IsZero() {
			t.Error("the use is not noted")
		}
	})
}

// TestAStoreThatIsAwayIsNoWrongKey stops a real PostgreSQL and starts it again.
func TestAStoreThatIsAwayIsNoWrongKey(t *testing.T) {
	server := pgtest.Start(t)
	d := newDesk(t, server.Database(t))
	key := d.key()
	keys, _ := gate(t, d)
	if _, err := keys.Authenticate(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	wait(t, "the store to be away", func() bool { _, err := keys.Authenticate(t.Context(), key); return err != nil })
	for _, k := range []string{key, "mv_" + strings.Repeat("w", 43)} {
		if _, err := keys.Authenticate(t.Context(), k); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, account.ErrUnauthorised) {
			t.Errorf("while the store is away: %v", err)
		}
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	wait(t, "the key to work again", func() bool { _, err := keys.Authenticate(t.Context(), key); return err == nil })
	wait(t, "a wrong key to be wrong again", func() bool {
		_, err := keys.Authenticate(t.Context(), "mv_"+strings.Repeat("w", 43))
		return errors.Is(err, account.ErrUnauthorised)
	})
}

// wait polls until something holds, for at most half a minute.
func wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// TestGuessesDoNotFillTheMemory tries more wrong keys than are remembered, and a right one among them.
func TestGuessesDoNotFillTheMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	d := newDesk(t, accounttest.SQLite(t))
	key := d.key()
	c := &counting{Store: d.Store}
	keys := account.NewKeys(c, d.clock.Now)
	defer keys.Close()
	for i := range 12_000 {
		if _, err := keys.Authenticate(t.Context(), "mv_"+secret.New()); !errors.Is(err, account.ErrUnauthorised) {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			before := c.asked.Load()
			if _, err := keys.Authenticate(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			if i > 0 && c.asked.Load() != before {
				t.Error("guesses pushed out a key that works")
			}
		}
	}
	if n := keys.Remembered(); n > 5_001 {
		t.Errorf("%d answers are remembered", n)
	}
}

func TestNothingRunsBehindClose(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	d := newDesk(t, accounttest.SQLite(t))
	keys := account.NewKeys(d.Store, time.Now)
	for range 100 {
		_, _ = keys.Authenticate(t.Context(), "mv_"+secret.New())
	}
	keys.Close()
	if _, err := keys.Authenticate(t.Context(), "mv_"+secret.New()); err == nil || errors.Is(err, account.ErrUnauthorised) {
		t.Errorf("behind Close: %v", err)
	}
	_ = d.store.Close()
	goleak.VerifyNone(t, ignore)
}

func TestACallerWhoLeavesIsNotWaitedFor(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	keys, _ := gate(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := keys.Authenticate(ctx, "mv_"+secret.New())
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, account.ErrUnauthorised) {
		t.Error(err)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, c := range []struct {
			name  string
			clock func(*accounttest.Clock) func() time.Time
			wrong bool
		}{
			{"remembered", func(*accounttest.Clock) func() time.Time { return time.Now }, false},
			{"asked", func(c *accounttest.Clock) func() time.Time {
				return func() time.Time { c.Pass(time.Second); return c.Now() }
			}, false},
			{"wrong", func(*accounttest.Clock) func() time.Time { return time.Now }, true},
			{"malformed", nil, true},
		} {
			b.Run(kind+"/"+c.name, func(b *testing.B) {
				address := accounttest.SQLite(b)
				if kind == "postgres" {
					address = pgtest.New(b)
				}
				d := newDesk(b, address)
				key := d.key()
				now := time.Now
				if c.clock != nil {
					now = c.clock(d.clock)
				} else {
					key = "mv_"
				}
				keys := account.NewKeys(d.Store, now)
				defer keys.Close()
				for b.Loop() {
					if c.wrong && c.clock != nil {
						key = "mv_" + secret.New()
					}
					if _, err := keys.Authenticate(b.Context(), key); (err != nil) != c.wrong {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAuthenticateTogether is what 64 clients of one key see.
func BenchmarkAuthenticateTogether(b *testing.B) {
	d := newDesk(b, pgtest.New(b))
	key := d.key()
	keys, _ := gate(b, d)
	b.SetParallelism(32)
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if _, err := keys.Authenticate(context.Background(), key); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkSignIn is what a password costs at the price of production.
func BenchmarkSignIn(b *testing.B) {
	d := newDesk(b, accounttest.SQLite(b))
	d.Hasher = must[*account.Hasher](b)(account.NewHasher(account.Cost, 1))
	d.found("Lab", "ada@example.com")
	for b.Loop() {
		must[string](b)(d.SignIn(b.Context(), "ada@example.com", password))
	}
}

// TestARevokedKeyIsRefusedAlsoWhenTheClockWasSetBack by a day between the two.
func TestARevokedKeyIsRefusedAlsoWhenTheClockWasSetBack(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		org, ada := d.found("Lab", "ada@example.com")
		k, key, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
		if err != nil {
			t.Fatal(err)
		}
		keys := account.NewKeys(d.Store, d.clock.Now)
		defer keys.Close()
		if _, err := keys.Authenticate(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if err := d.RevokeKey(t.Context(), org, ada.ID, k.ID); err != nil {
			t.Fatal(err)
		}
		d.clock.Pass(-24 * time.Hour)
		_, err = keys.Authenticate(t.Context(), key)
		fails(t, err, account.ErrUnauthorised)
	})
}
