package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/share"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

var (
	_ = exercise("plans take no more room than there is for their owner, and give it back", func(t *testing.T, s *Store) {
		plans := share.Shares{Store: s.Plans(), Limits: share.Limits{TotalBytes: 3 * int64(len(sharedRequest)), OrgBytes: 2 * int64(len(sharedRequest))}}
		for org, most := range map[string]int{"": 3, "a": 2, "b": 2} {
			type made struct{ id, removal string }
			var all []made
			for {
				p, removal, err := plans.Create(t.Context(), org, []byte(sharedRequest), day)
				if full := (*share.RoomError)(nil); errors.As(err, &full) {
					if full.Org != org || full.Limit != int64(most*len(sharedRequest)) {
						t.Errorf("%q: %+v", org, full)
					}
					break
				}
				if err != nil || len(all) > most {
					t.Fatalf("%q: %d plans, %v", org, len(all), err)
				}
				all = append(all, made{p.ID, removal})
			}
			if len(all) != most {
				t.Errorf("%q: room for %d plans, want %d", org, len(all), most)
			}
			if org == "" {
				ok(t, plans.RemoveWith(t.Context(), all[0].id, all[0].removal))
			} else {
				ok(t, plans.Remove(t.Context(), org, all[0].id))
			}
			_, _, err := plans.Create(t.Context(), org, []byte(sharedRequest), day)
			ok(t, err)
		}
	})
	_ = exercise("a plan that nobody owns ends", func(t *testing.T, s *Store) {
		now := day
		plans := share.Shares{Store: s.Plans(), Clock: func() time.Time { return now }, Limits: share.Limits{Lasts: 10 * 24 * time.Hour, TotalBytes: 150 * int64(len(sharedRequest))}}
		old := share.Plan{ID: secret.ID(), Request: []byte(sharedRequest)} // of a version that gave it no end
		ok(t, s.Plans().Put(t.Context(), old, 0))
		owned, _, err := plans.Create(t.Context(), "a", []byte(sharedRequest), now)
		ok(t, err)
		var free share.Plan
		for range 149 { // more than one transaction removes
			free, _, err = plans.Create(t.Context(), "", []byte(sharedRequest), now)
			ok(t, err)
		}
		found := func(p share.Plan) bool { _, err := plans.Get(t.Context(), p.ID); return err == nil }
		ok(t, plans.Sweep(t.Context()))
		now = now.Add(9 * 24 * time.Hour)
		ok(t, plans.Sweep(t.Context()))
		if !found(free) || !found(old) {
			t.Error("a plan ended too early")
		}
		now = now.Add(48 * time.Hour)
		if found(free) || !found(owned) {
			t.Error("a plan is shown behind its end, or one of an organisation is not")
		}
		ok(t, plans.Sweep(t.Context()))
		if _, err := s.Plans().Get(t.Context(), free.ID); !errors.Is(err, share.ErrNotFound) {
			t.Errorf("it is still there: %v", err)
		}
		if found(old) || !found(owned) {
			t.Error("what had no end has none, or one of an organisation has")
		}
		for range 150 {
			_, _, err := plans.Create(t.Context(), "", []byte(sharedRequest), now)
			ok(t, err)
		}
	})
)

// fullDisk fills a database with plans until its disk is full, and then does what must work there.
func fullDisk(t *testing.T, s *Store) {
	t.Helper()
	ctx := context.Background()
	const email, password = "ada@example.com", "correct horse battery staple"
	hasher, err := account.NewHasher(argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}, 4)
	ok(t, err)
	accounts := &account.Service{Store: s.Accounts(), Clock: time.Now, Hasher: hasher}
	link, err := accounts.AdminLink(ctx)
	ok(t, err)
	session, err := accounts.Start(ctx, link, "Lab", "Ada", email, password)
	ok(t, err)
	visitor, err := accounts.Visitor(ctx, session)
	if err != nil {
		t.Fatal(err)
	}
	org, owner := visitor.Places[0].Org, visitor.Person
	link, err = accounts.Invite(ctx, org, owner.ID, "bob@example.com", account.Member)
	ok(t, err)
	_, err = accounts.SignUp(ctx, link, "Bob", password)
	ok(t, err)
	people, err := accounts.Members(ctx, org, owner.ID)
	ok(t, err)
	var keys []account.Key
	for range 40 {
		k, _, err := accounts.CreateKey(ctx, org, owner.ID, "ci")
		ok(t, err)
		keys = append(keys, k)
	}
	ok(t, s.Reserve(ctx))
	var ids []string
	grow := func(bytes int) error {
		filler := make([]byte, bytes)
		for i := range filler {
			filler[i] = byte(i*i>>3 ^ len(ids)*31 ^ i)
		}
		for range 20_000 {
			p := share.Plan{ID: secret.ID(), Org: org, Request: append([]byte(secret.New()), filler...)}
			if err := s.Plans().Put(ctx, p, 0); err != nil {
				return err
			}
			ids = append(ids, p.ID)
		}
		return nil
	}
	for _, bytes := range []int{20_000, 2_000, 100, 1} { // to the last page
		if err := grow(bytes); !errors.Is(err, ErrFull) {
			t.Fatalf("after %d plans: %v", len(ids), err)
		}
	}
	began := time.Now()
	for i, k := range keys {
		if err := accounts.RevokeKey(ctx, org, owner.ID, k.ID); err != nil {
			t.Fatalf("revoking key %d on a full disk: %v", i, err)
		}
		if k, err := s.Accounts().Key(ctx, k.Hash); err != nil || k.RevokedAt.IsZero() {
			t.Fatalf("it works still: %v", err)
		}
	}
	for range 20 {
		session, err := accounts.SignIn(ctx, email, password)
		ok(t, err)
		ok(t, accounts.SignOut(ctx, session))
	}
	for _, p := range people {
		if p.Email == "bob@example.com" {
			ok(t, accounts.Remove(ctx, org, owner.ID, p.Person))
		}
	}
	// What only adds gets none of what was held back.
	if time.Since(began) < reserveAgain {
		if err := grow(1); !errors.Is(err, ErrFull) {
			t.Errorf("a plan on a full disk: %v", err)
		}
		if _, err := s.Outcomes().Write(ctx, org, "0123abcd", secret.Of("x"), ledger.Row{At: day}); !errors.Is(err, ErrFull) {
			t.Errorf("an outcome on a full disk: %v", err)
		}
	}
	t.Logf("%d plans, then 40 keys were revoked and 20 people signed in", len(ids))
	for _, id := range ids[:min(len(ids), 200)] {
		if err := s.Plans().RemoveByOrg(ctx, org, id); err != nil {
			t.Fatalf("removing a plan on a full disk: %v", err)
		}
	}
}

func TestRevokingAndRemovingWorkOnAFullDiskUnderSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	dir, _ := tiny(t, "40m")
	s := open(t, "sqlite:"+filepath.Join(dir, "data.db"))
	fullDisk(t, s)
	s.reserve.tried = time.Time{} // as five seconds later
	ok(t, s.Plans().Put(t.Context(), share.Plan{ID: secret.ID(), Request: []byte("{}")}, 0))
	if s.reserve.released {
		t.Error("nothing is held back any more, although there is room")
	}
	sound(t, s)
}

func TestRevokingAndRemovingWorkOnAFullDiskUnderPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	server := pgtest.Start(t)
	dir, grow := tiny(t, "24m")
	s := open(t, server.DatabaseIn(t, dir))
	fullDisk(t, s)
	grow("64m")
	s.reserve.tried = time.Time{}
	ok(t, s.Plans().Put(t.Context(), share.Plan{ID: secret.ID(), Request: []byte("{}")}, 0))
}
