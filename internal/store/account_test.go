package store

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
)

var (
	_ = exercise("people", exercisePeople)
	_ = exercise("sessions and links", exerciseSessions)
	_ = exercise("keys", exerciseKeys)
	_ = exercise("events", exerciseEvents)
	_ = exercise("what an organisation owns stays its own", exerciseIsolation)
	_ = exercise("reading changes nothing", exerciseReading)
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// do runs a transaction that must work.
func do(t *testing.T, s *Store, f func(tx account.Tx)) {
	t.Helper()
	if err := s.Accounts().Write(t.Context(), func(tx account.Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

// gets compares what a getter returns, or the error that it must give.
func gets[T any](t *testing.T, want T, fail error) func(got T, err error) {
	t.Helper()
	return func(got T, err error) {
		t.Helper()
		if !errors.Is(err, fail) || fail == nil && err != nil {
			t.Errorf("got %v, want %v", err, fail)
		} else if fail == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func exercisePeople(t *testing.T, s *Store) {
	ada := account.Person{ID: "p1", Email: "ada@example.com", Name: "Ada'; DROP TABLE person; --", Password: "$argon2id$", CreatedAt: day}
	bob := account.Person{ID: "p2", Email: "bob@example.com", Name: "Боб 👩‍🔬", Issuer: "https://id.example", Subject: "s", CreatedAt: day}
	lab := account.Organisation{ID: "o1", Name: "Lab", CreatedAt: day}
	do(t, s, func(tx account.Tx) {
		gets(t, false, nil)(tx.AnyPerson())
		gets(t, ada, account.ErrNotFound)(tx.Person("p1"))
		ok(t, tx.PutPerson(ada))
		ok(t, tx.PutPerson(bob))
		gets(t, true, nil)(tx.AnyPerson())
		gets(t, ada, nil)(tx.Person("p1"))
		gets(t, bob, nil)(tx.PersonByEmail("bob@example.com"))
		gets(t, bob, account.ErrNotFound)(tx.PersonByEmail("Bob@example.com"))
		gets(t, bob, nil)(tx.PersonBySubject("https://id.example", "s"))
		gets(t, ada, account.ErrNotFound)(tx.PersonBySubject("", ""))
		ada.Name, ada.Password = "Ada", "other"
		ok(t, tx.PutPerson(ada))
		gets(t, ada, nil)(tx.Person("p1"))

		ok(t, tx.PutOrganisation(lab))
		lab.Name = "Laboratory"
		ok(t, tx.PutOrganisation(lab))
		gets(t, lab, nil)(tx.Organisation("o1"))
		gets(t, lab, account.ErrNotFound)(tx.Organisation("o2"))
		ok(t, tx.PutOrganisation(account.Organisation{ID: "o0", Name: "Annex", CreatedAt: day}))
		for _, m := range []account.Membership{{Org: "o1", Person: "p2", Role: account.Viewer, CreatedAt: day}, {Org: "o1", Person: "p1", Role: account.Owner, CreatedAt: day},
			{Org: "o0", Person: "p1", Role: account.Member, CreatedAt: day}} {
			ok(t, tx.PutMembership(m))
		}
		ok(t, tx.PutMembership(account.Membership{Org: "o1", Person: "p2", Role: account.Member}))
		gets(t, account.Membership{Org: "o1", Person: "p2", Role: account.Member, CreatedAt: day}, nil)(tx.Membership("o1", "p2"))
		gets(t, []account.Colleague{{Person: "p1", Email: ada.Email, Name: ada.Name, Role: account.Owner, CreatedAt: day},
			{Person: "p2", Email: bob.Email, Name: bob.Name, Role: account.Member, CreatedAt: day}}, nil)(tx.Members("o1"))
		gets(t, []account.Place{{Org: "o0", Name: "Annex", Role: account.Member}, {Org: "o1", Name: "Laboratory", Role: account.Owner}}, nil)(tx.Places("p1"))
		ok(t, tx.DeleteMembership("o1", "p2"))
		gets(t, account.Membership{}, account.ErrNotFound)(tx.Membership("o1", "p2"))
		if err := tx.DeleteMembership("o1", "p2"); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("removing twice: %v", err)
		}
	})
	for _, twin := range []account.Person{{ID: "p3", Email: ada.Email}, {ID: "p3", Email: "x@example.com", Issuer: bob.Issuer, Subject: bob.Subject}} {
		err := s.Accounts().Write(t.Context(), func(tx account.Tx) error { return tx.PutPerson(twin) })
		if !errors.Is(err, account.ErrTaken) {
			t.Errorf("a second %+v: %v", twin, err)
		}
	}
}

func exerciseSessions(t *testing.T, s *Store) {
	h := [4]secret.Hash{secret.Of("a"), secret.Of("b"), secret.Of("c"), secret.Of("d")}
	one := account.Session{Hash: h[0], Person: "p1", Created: day, Seen: day, Expires: day.Add(time.Hour)}
	link := account.Token{ID: "t1", Hash: h[1], Kind: account.Invite, Org: "o1", Email: "x@example.com", Role: account.Viewer, CreatedBy: "p1", Created: day, Expires: day.Add(time.Hour)}
	newer := account.Token{ID: "t2", Hash: h[2], Kind: account.Invite, Org: "o1", Created: day.Add(1 * time.Second), Expires: day.Add(2 * time.Hour)}
	reset := account.Token{ID: "t3", Hash: h[3], Kind: account.Reset, Person: "p1", Created: day, Expires: day.Add(2 * time.Hour)}
	do(t, s, func(tx account.Tx) {
		ok(t, tx.PutPerson(account.Person{ID: "p1", Email: "ada@example.com"}))
		gets(t, one, account.ErrNotFound)(tx.Session(h[0]))
		ok(t, tx.PutSession(one))
		one.Seen = day.Add(time.Minute)
		ok(t, tx.PutSession(one))
		gets(t, one, nil)(tx.Session(h[0]))
		other := one
		other.Hash, other.Expires = h[1], day.Add(3*time.Hour)
		ok(t, tx.PutSession(other))
		ok(t, tx.DeleteSession(h[2]))

		for _, k := range []account.Token{link, newer, reset} {
			ok(t, tx.PutToken(k))
		}
		gets(t, link, nil)(tx.Token(account.Invite, h[1]))
		gets(t, link, account.ErrNotFound)(tx.Token(account.Reset, h[1]))
		gets(t, []account.Token{newer, link}, nil)(tx.Invitations("o1"))

		ok(t, tx.DeleteExpired(day.Add(time.Hour)))
		gets(t, one, account.ErrNotFound)(tx.Session(h[0]))
		gets(t, other, nil)(tx.Session(h[1]))
		gets(t, []account.Token{newer}, nil)(tx.Invitations("o1"))
		ok(t, tx.DeleteSession(h[1]))
		gets(t, other, account.ErrNotFound)(tx.Session(h[1]))
		ok(t, tx.PutSession(other))
		ok(t, tx.DeleteSessions("p1"))
		gets(t, other, account.ErrNotFound)(tx.Session(h[1]))

		made := reset
		made.ID, made.Hash, made.Org, made.CreatedBy = "t5", h[0], "o1", "p2"
		for i, remove := range []func() error{func() error { return tx.DeleteMadeTokensOfPerson(account.Reset, "p1") },
			func() error { return tx.DeleteTokensBy(account.Reset, "p2") }, func() error { return tx.DeleteTokensIn("o1", account.Reset, "p2") }} {
			ok(t, tx.PutToken(made))
			ok(t, tx.DeleteTokensBy(account.Invite, "p2"))
			ok(t, tx.DeleteTokensBy(account.Reset, "p1"))
			ok(t, tx.DeleteTokensIn("o2", account.Reset, "p2"))
			ok(t, tx.DeleteMadeTokensOfPerson(account.Reset, "p2"))
			gets(t, made, nil)(tx.Token(account.Reset, h[0]))
			ok(t, remove())
			gets(t, made, account.ErrNotFound)(tx.Token(account.Reset, h[0]))
			if gets(t, reset, nil)(tx.Token(account.Reset, h[3])); t.Failed() {
				t.Fatalf("removal %d", i)
			}
		}

		ok(t, tx.DeleteTokensOfPerson(account.Reset, "p1"))
		gets(t, reset, account.ErrNotFound)(tx.Token(account.Reset, h[3]))
		ok(t, tx.DeleteToken(h[2]))
		if err := tx.DeleteToken(h[2]); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("a link was used twice: %v", err)
		}
		ok(t, tx.PutToken(account.Token{ID: "t4", Hash: h[0], Kind: account.Admin, Created: day, Expires: day.Add(time.Hour)}))
		ok(t, tx.DeleteTokensOfKind(account.Admin))
		gets(t, reset, account.ErrNotFound)(tx.Token(account.Admin, h[0]))
	})
}

func exerciseKeys(t *testing.T, s *Store) {
	old := account.Key{ID: "k1", Org: "o1", Name: "ci", Hash: secret.Of("1"), Prefix: "mv_abcde", CreatedBy: "p1", CreatedAt: day}
	young := account.Key{ID: "k2", Org: "o1", Name: "laptop", Hash: secret.Of("2"), Prefix: "mv_fghij", CreatedBy: "p1", CreatedAt: day.Add(time.Second)}
	do(t, s, func(tx account.Tx) {
		ok(t, tx.PutOrganisation(account.Organisation{ID: "o1", Name: "Lab"}))
		ok(t, tx.PutKey(old))
		ok(t, tx.PutKey(young))
		gets(t, []account.Key{young, old}, nil)(tx.Keys("o1"))
		gets(t, old, nil)(tx.KeyByID("o1", "k1"))
		old.RevokedAt = day.Add(time.Hour)
		ok(t, tx.PutKey(old))
	})
	a := s.Accounts()
	gets(t, old, nil)(a.Key(t.Context(), secret.Of("1")))
	gets(t, old, account.ErrNotFound)(a.Key(t.Context(), secret.Of("3")))
	for _, at := range []time.Time{day.Add(2 * time.Minute), day.Add(time.Minute)} { // the earlier one is late
		ok(t, a.Touch(t.Context(), "o1", "k2", at))
	}
	ok(t, a.Touch(t.Context(), "o2", "k2", day.Add(time.Hour)))
	young.LastUsed = day.Add(2 * time.Minute)
	gets(t, young, nil)(a.Key(t.Context(), secret.Of("2")))
}

func exerciseEvents(t *testing.T, s *Store) {
	var all []account.Event
	for i := range 7 {
		all = append(all, account.Event{ID: secret.ID(), At: day.Add(time.Duration(-i/2) * time.Microsecond), Org: "o1", Person: "p1", Action: "a", Target: "t"})
	}
	own := account.Event{ID: "own", At: day, Person: "p1", Action: "sign-in"}
	do(t, s, func(tx account.Tx) {
		for _, e := range append(all, own, account.Event{ID: "other", At: day, Org: "o2", Person: "p1", Action: "b"}) {
			ok(t, tx.PutEvent(e))
		}
		seen, after := map[string]bool{}, ""
		var last time.Time
		for {
			page, err := tx.Events("o1", after, 2)
			ok(t, err)
			if len(page) == 0 || len(page) > 2 {
				break
			}
			for _, e := range page {
				if seen[e.ID] || e.Org != "o1" || !last.IsZero() && e.At.After(last) {
					t.Errorf("out of order, twice or another's: %+v", e)
				}
				seen[e.ID], last, after = true, e.At, e.ID
			}
		}
		if len(seen) != len(all) {
			t.Errorf("%d of %d events on the pages", len(seen), len(all))
		}
		gets(t, []account.Event{own}, nil)(tx.EventsOfPerson("p1", "", 9))
		gets(t, []account.Event(nil), nil)(tx.EventsOfPerson("p2", "", 9))
	})
}

// exerciseIsolation tries everything that is found by an id with the id of another organisation's.
func exerciseIsolation(t *testing.T, s *Store) {
	h := secret.Of("x")
	key := account.Key{ID: "k1", Org: "o1", Name: "ci", Hash: h, CreatedAt: day}
	do(t, s, func(tx account.Tx) {
		for _, o := range []string{"o1", "o2"} {
			ok(t, tx.PutOrganisation(account.Organisation{ID: o, Name: o}))
		}
		ok(t, tx.PutPerson(account.Person{ID: "p1", Email: "ada@example.com"}))
		ok(t, tx.PutMembership(account.Membership{Org: "o1", Person: "p1", Role: account.Owner}))
		ok(t, tx.PutKey(key))
		ok(t, tx.PutToken(account.Token{ID: "t1", Hash: h, Kind: account.Invite, Org: "o1", Created: day, Expires: day}))
		ok(t, tx.PutEvent(account.Event{ID: "e1", Org: "o1", At: day}))

		gets(t, account.Membership{}, account.ErrNotFound)(tx.Membership("o2", "p1"))
		gets(t, []account.Colleague(nil), nil)(tx.Members("o2"))
		gets(t, []account.Key(nil), nil)(tx.Keys("o2"))
		gets(t, account.Key{}, account.ErrNotFound)(tx.KeyByID("o2", "k1"))
		gets(t, []account.Token(nil), nil)(tx.Invitations("o2"))
		gets(t, []account.Event(nil), nil)(tx.Events("o2", "", 9))
		gets(t, []account.Event(nil), nil)(tx.Events("o2", "e1", 9))
		for what, err := range map[string]error{
			"membership": tx.DeleteMembership("o2", "p1"),
			"invitation": tx.DeleteInvitation("o2", "t1"),
			"key":        tx.PutKey(account.Key{ID: "k1", Org: "o2", Name: "stolen", Hash: secret.Of("y"), RevokedAt: day}),
		} {
			if !errors.Is(err, account.ErrNotFound) {
				t.Errorf("%s of another organisation: %v", what, err)
			}
		}
		gets(t, key, nil)(tx.KeyByID("o1", "k1"))
		ok(t, tx.DeleteInvitation("o1", "t1"))
	})
}

func exerciseReading(t *testing.T, s *Store) {
	err := s.Accounts().Read(t.Context(), func(tx account.Tx) error { return tx.PutOrganisation(account.Organisation{ID: "o1"}) })
	if err == nil {
		t.Error("a reader could write")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Accounts().Write(ctx, func(account.Tx) error { return nil }); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
		t.Errorf("a caller who left: %v", err)
	}
}
