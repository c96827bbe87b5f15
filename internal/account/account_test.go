package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/store"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const password = accounttest.Password

// desk is a service on a real store, with its clock.
type desk struct {
	*account.Service
	clock *accounttest.Clock
	store *store.Store
	t     testing.TB
}

func newDesk(t testing.TB, address string) desk {
	t.Helper()
	s, c := accounttest.Open(t, address), accounttest.Standing()
	return desk{&account.Service{Store: s.Accounts(), Clock: c.Now, Hasher: accounttest.Hasher(t)}, c, s, t}
}

// desks runs a test on both databases.
func desks(t *testing.T, f func(t *testing.T, d desk)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, newDesk(t, accounttest.SQLite(t))) })
	t.Run("postgres", func(t *testing.T) { f(t, newDesk(t, accounttest.Postgres(t))) })
}

func must[T any](t testing.TB) func(v T, err error) T { return accounttest.Must[T](t) }

func fails(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

// wrong wants a fault of the caller in a field.
func wrong(t testing.TB, err error, field string) {
	t.Helper()
	var e *graph.Error
	if !errors.As(err, &e) || e.Path != field {
		t.Errorf("got %v, want a fault in %s", err, field)
	}
}

// found makes an organisation and returns its id and its owner.
func (d desk) found(organisation, email string) (org string, owner account.Person) {
	d.t.Helper()
	org, owner, _ = accounttest.Found(d.t, d.Service, organisation, email)
	return org, owner
}

// hire adds somebody with a role.
func (d desk) hire(org, owner, email string, role account.Role) account.Person {
	d.t.Helper()
	link := must[string](d.t)(d.Invite(context.Background(), org, owner, email, role))
	session := must[string](d.t)(d.SignUp(context.Background(), link, "Somebody", password))
	return must[account.Visitor](d.t)(d.Visitor(context.Background(), session)).Person
}

func TestTheFirstLinkMakesTheAdministratorOnce(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		first := must[string](t)(d.FirstAdmin(ctx))
		second := must[string](t)(d.FirstAdmin(ctx)) // another replica
		session := must[string](t)(d.Start(ctx, second, " Lab ", "Ada", "ADA@example.com ", password))
		v := must[account.Visitor](t)(d.Visitor(ctx, session))
		if v.Person.Email != "ada@example.com" || len(v.Places) != 1 || v.Places[0].Name != "Lab" || v.Role(v.Places[0].Org) != account.Owner {
			t.Errorf("got %+v", v)
		}
		_, err := d.Start(ctx, second, "Other", "Eve", "eve@example.com", password)
		fails(t, err, account.ErrLink)
		_, err = d.Start(ctx, first, "Other", "Eve", "eve@example.com", password)
		fails(t, err, account.ErrLink)
		if link := must[string](t)(d.FirstAdmin(ctx)); link != "" {
			t.Error("a link for the first administrator although there is one")
		}
		late := must[string](t)(d.AdminLink(ctx))
		d.clock.Pass(25 * time.Hour)
		_, err = d.Start(ctx, late, "Other", "Eve", "eve@example.com", password)
		fails(t, err, account.ErrLink)
	})
}

func TestAnAdminLinkForSomebodyWithAnAccountNeedsTheirPassword(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	d.found("Lab", "ada@example.com")
	link := must[string](t)(d.AdminLink(t.Context()))
	_, err := d.Start(t.Context(), link, "Second", "Ada", "ada@example.com", "not her password")
	fails(t, err, account.ErrSignIn)
	session := must[string](t)(d.Start(t.Context(), link, "Second", "Ada", "ada@example.com", password))
	if v := must[account.Visitor](t)(d.Visitor(t.Context(), session)); len(v.Places) != 2 {
		t.Errorf("got %+v", v.Places)
	}
}

func TestOneOfManyWhoUseALinkAtOnceGetsIn(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		org, owner := d.found("Lab", "ada@example.com")
		link := must[string](t)(d.Invite(t.Context(), org, owner.ID, "bob@example.com", account.Member))
		const many = 8
		errs := make(chan error, many)
		for range many {
			go func() {
				_, err := d.SignUp(context.Background(), link, "Bob", password)
				errs <- err
			}()
		}
		in := 0
		for range many {
			switch err := <-errs; {
			case err == nil:
				in++
			case !errors.Is(err, account.ErrLink) && !errors.Is(err, account.ErrTaken):
				t.Error(err)
			}
		}
		all := must[[]account.Colleague](t)(d.Members(t.Context(), org, owner.ID))
		if in != 1 || len(all) != 2 {
			t.Errorf("%d got in, %d members", in, len(all))
		}
	})
}

func TestSigningInAndOut(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		_, ada := d.found("Lab", "ada@example.com")
		for _, c := range [][2]string{{"ada@example.com", "wrong password!"}, {"nobody@example.com", password}, {"not an address", password}, {"ada@example.com", ""}, {"", ""},
			{"ada@example.com", strings.Repeat("x", 1<<20)}} {
			_, err := d.SignIn(ctx, c[0], c[1])
			fails(t, err, account.ErrSignIn)
		}
		one := must[string](t)(d.SignIn(ctx, " Ada@Example.COM", password))
		two := must[string](t)(d.SignIn(ctx, "ada@example.com", password))
		if err := d.SignOut(ctx, one); err != nil {
			t.Fatal(err)
		}
		_, err := d.Visitor(ctx, one)
		fails(t, err, account.ErrNotFound)
		must[account.Visitor](t)(d.Visitor(ctx, two))
		if err := d.SignOutEverywhere(ctx, ada.ID); err != nil {
			t.Fatal(err)
		}
		_, err = d.Visitor(ctx, two)
		fails(t, err, account.ErrNotFound)
		for _, s := range []string{"", "x", strings.Repeat("a", 43), "'; DROP TABLE session; --"} {
			_, err = d.Visitor(ctx, s)
			fails(t, err, account.ErrNotFound)
		}
	})
}

func TestSessionsEndWhenIdleAndInTheEnd(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		d.found("Lab", "ada@example.com")
		idle := must[string](t)(d.SignIn(ctx, "ada@example.com", password))
		used := must[string](t)(d.SignIn(ctx, "ada@example.com", password))
		for day := range 29 {
			d.clock.Pass(24 * time.Hour)
			if _, err := d.Visitor(ctx, used); err != nil {
				t.Fatalf("day %d: %v", day, err)
			}
			if err := d.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
			if day == 7 {
				_, err := d.Visitor(ctx, idle)
				fails(t, err, account.ErrNotFound)
			}
		}
		d.clock.Pass(25 * time.Hour)
		_, err := d.Visitor(ctx, used)
		fails(t, err, account.ErrNotFound)
	})
}

func TestAHashOfAnotherCostIsReplacedAtTheNextSignIn(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	_, ada := d.found("Lab", "ada@example.com")
	dearer := accounttest.Cheap
	dearer.Iterations = 2
	d.Hasher = must[*account.Hasher](t)(account.NewHasher(dearer, 1))
	v := must[account.Visitor](t)(d.Visitor(t.Context(), must[string](t)(d.SignIn(t.Context(), ada.Email, password))))
	if !strings.Contains(v.Person.Password, "t=2") {
		t.Errorf("the hash is still %.30s", v.Person.Password)
	}
	must[string](t)(d.SignIn(t.Context(), ada.Email, password))
}

func TestRolesAllowWhatTheyShould(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		people := map[account.Role]account.Person{account.Owner: ada}
		for _, r := range []account.Role{account.Member, account.Viewer} {
			people[r] = d.hire(org, ada.ID, string(r)+"@example.com", r)
		}
		_, outsider := d.found("Other", "eve@example.com")
		people["outsider"] = outsider
		k, _, err := d.CreateKey(ctx, org, ada.ID, "first")
		if err != nil {
			t.Fatal(err)
		}
		acts := []struct {
			name  string
			right account.Right
			do    func(by string) error
		}{
			{"members", account.ToRead, func(by string) error { _, err := d.Members(ctx, org, by); return err }},
			{"keys", account.ToRead, func(by string) error { _, err := d.Keys(ctx, org, by); return err }},
			{"create key", account.ToUse, func(by string) error { _, _, err := d.CreateKey(ctx, org, by, "k"); return err }},
			{"revoke key", account.ToUse, func(by string) error { return d.RevokeKey(ctx, org, by, k.ID) }},
			{"invite", account.ToManage, func(by string) error { _, err := d.Invite(ctx, org, by, "x@example.com", account.Viewer); return err }},
			{"invitations", account.ToManage, func(by string) error { _, err := d.Invitations(ctx, org, by); return err }},
			{"rename", account.ToManage, func(by string) error { return d.Rename(ctx, org, by, "Lab") }},
			{"set role", account.ToManage, func(by string) error { return d.SetRole(ctx, org, by, people[account.Viewer].ID, account.Viewer) }},
			{"reset", account.ToManage, func(by string) error { _, err := d.Reset(ctx, org, by, people[account.Viewer].ID); return err }},
			{"events", account.ToManage, func(by string) error { _, err := d.Events(ctx, org, by, "", 10); return err }},
		}
		for _, a := range acts {
			for role, p := range people {
				want := account.ErrDenied
				switch {
				case role == "outsider":
					want = account.ErrNotFound
				case role.May(a.right):
					want = nil
				}
				if err := a.do(p.ID); !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("%s by %s: got %v, want %v", a.name, role, err, want)
				}
			}
		}
	})
}

func TestAnOrganisationKeepsAnOwner(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		bob := d.hire(org, ada.ID, "bob@example.com", account.Member)
		fails(t, d.SetRole(ctx, org, ada.ID, ada.ID, account.Member), account.ErrLastOwner)
		fails(t, d.Remove(ctx, org, ada.ID, ada.ID), account.ErrLastOwner)
		fails(t, d.Remove(ctx, org, bob.ID, ada.ID), account.ErrDenied)
		if err := d.SetRole(ctx, org, ada.ID, bob.ID, account.Owner); err != nil {
			t.Fatal(err)
		}
		// Both step down at the same time: one of them must fail.
		errs := make(chan error)
		for _, p := range []string{ada.ID, bob.ID} {
			go func() { errs <- d.Remove(context.Background(), org, p, p) }()
		}
		if a, b := <-errs, <-errs; (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), account.ErrLastOwner) {
			t.Errorf("got %v and %v", a, b)
		}
		wrong(t, d.SetRole(ctx, org, ada.ID, bob.ID, "king"), "role")
	})
}

func TestRemovedPeopleAreOutsideAtOnce(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		bob := d.hire(org, ada.ID, "bob@example.com", account.Owner)
		link := must[string](t)(d.Invite(ctx, org, bob.ID, "friend@example.com", account.Owner))
		if err := d.Remove(ctx, org, ada.ID, bob.ID); err != nil {
			t.Fatal(err)
		}
		_, err := d.Keys(ctx, org, bob.ID)
		fails(t, err, account.ErrNotFound)
		_, err = d.SignUp(ctx, link, "Friend", password)
		fails(t, err, account.ErrLink)
		fails(t, d.Remove(ctx, org, ada.ID, bob.ID), account.ErrNotFound)
	})
}

func TestInvitations(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		other, eve := d.found("Other", "eve@example.com")
		link := must[string](t)(d.Invite(ctx, org, ada.ID, "Bob@example.com", account.Member))
		tok, o, err := d.Link(ctx, account.Invite, link)
		if err != nil || tok.Email != "bob@example.com" || o.Name != "Lab" {
			t.Errorf("got %+v %+v %v", tok, o, err)
		}
		open := must[[]account.Token](t)(d.Invitations(ctx, org, ada.ID))
		if len(open) != 1 || open[0].Email != "bob@example.com" {
			t.Fatalf("got %+v", open)
		}
		fails(t, d.Uninvite(ctx, other, eve.ID, open[0].ID), account.ErrNotFound)
		if err := d.Uninvite(ctx, org, ada.ID, open[0].ID); err != nil {
			t.Fatal(err)
		}
		_, err = d.SignUp(ctx, link, "Bob", password)
		fails(t, err, account.ErrLink)

		link = must[string](t)(d.Invite(ctx, org, ada.ID, "eve@example.com", account.Member))
		_, err = d.SignUp(ctx, link, "Eve", "not her password")
		fails(t, err, account.ErrSignIn)
		if err := d.Accept(ctx, eve.ID, link); err != nil {
			t.Fatal(err)
		}
		fails(t, d.Accept(ctx, eve.ID, link), account.ErrLink)
		// An invitation never lowers a role.
		link = must[string](t)(d.Invite(ctx, org, ada.ID, "ada@example.com", account.Viewer))
		if err := d.Accept(ctx, ada.ID, link); err != nil {
			t.Fatal(err)
		}
		for _, m := range must[[]account.Colleague](t)(d.Members(ctx, org, ada.ID)) {
			if want := map[string]account.Role{"ada@example.com": account.Owner, "eve@example.com": account.Member}[m.Email]; m.Role != want {
				t.Errorf("%s is %s, want %s", m.Email, m.Role, want)
			}
		}
		link = must[string](t)(d.Invite(ctx, org, ada.ID, "late@example.com", account.Viewer))
		d.clock.Pass(8 * 24 * time.Hour)
		_, err = d.SignUp(ctx, link, "Late", password)
		fails(t, err, account.ErrLink)
		for _, bad := range []string{"", "bob", "Bob <bob@example.com>", "a@b@c", "bob@example.com\x00", strings.Repeat("a", 250) + "@example.com", "a b@example.com", "\"a\"@example.com"} {
			_, err = d.Invite(ctx, org, ada.ID, bad, account.Viewer)
			wrong(t, err, "email")
		}
	})
}

func TestResettingAPassword(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		bob := d.hire(org, ada.ID, "bob@example.com", account.Member)
		before := must[string](t)(d.SignIn(ctx, bob.Email, password))
		link := must[string](t)(d.Reset(ctx, org, ada.ID, bob.ID))
		spare := must[string](t)(d.Reset(ctx, org, ada.ID, bob.ID))
		_, err := d.SetPassword(ctx, link, "short")
		wrong(t, err, "password")
		const fresh = "another horse battery"
		session := must[string](t)(d.SetPassword(ctx, link, fresh))
		must[account.Visitor](t)(d.Visitor(ctx, session))
		_, err = d.Visitor(ctx, before)
		fails(t, err, account.ErrNotFound)
		for _, used := range []string{link, spare} {
			_, err = d.SetPassword(ctx, used, password)
			fails(t, err, account.ErrLink)
		}
		_, err = d.SignIn(ctx, bob.Email, password)
		fails(t, err, account.ErrSignIn)
		must[string](t)(d.SignIn(ctx, bob.Email, fresh))
		_, err = d.ChangePassword(ctx, bob.ID, password, "yet another horse")
		wrong(t, err, "was")
		session = must[string](t)(d.ChangePassword(ctx, bob.ID, fresh, "yet another horse"))
		must[account.Visitor](t)(d.Visitor(ctx, session))
		late := must[string](t)(d.ResetLink(ctx, bob.Email))
		d.clock.Pass(time.Hour)
		_, err = d.SetPassword(ctx, late, password)
		fails(t, err, account.ErrLink)
	})
}

// TestOwnersCannotResetThoseWhoBelongElsewhereToo holds that a link does not open another organisation.
func TestOwnersCannotResetThoseWhoBelongElsewhereToo(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		other, eve := d.found("Other", "eve@example.com")
		if err := d.Accept(ctx, ada.ID, must[string](t)(d.Invite(ctx, other, eve.ID, ada.Email, account.Viewer))); err != nil {
			t.Fatal(err)
		}
		_, err := d.Reset(ctx, other, eve.ID, ada.ID)
		fails(t, err, account.ErrDenied)
		_, err = d.Reset(ctx, other, eve.ID, "nobody")
		fails(t, err, account.ErrNotFound)
		_, err = d.Reset(ctx, org, eve.ID, ada.ID)
		fails(t, err, account.ErrNotFound)
	})
}

func TestTheAuditLogTellsWhatHappenedAndNoSecret(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		other, eve := d.found("Other", "eve@example.com")
		var secrets []string
		for range 3 {
			d.clock.Pass(time.Microsecond)
			k, key, err := d.CreateKey(ctx, org, ada.ID, "ci")
			if err != nil {
				t.Fatal(err)
			}
			secrets = append(secrets, key, key[3:])
			d.clock.Pass(time.Microsecond)
			if err := d.RevokeKey(ctx, org, ada.ID, k.ID); err != nil {
				t.Fatal(err)
			}
		}
		secrets = append(secrets, must[string](t)(d.Invite(ctx, org, ada.ID, "bob@example.com", account.Viewer)), password)
		var all []account.Event
		for after := ""; ; {
			page := must[[]account.Event](t)(d.Events(ctx, org, ada.ID, after, 2))
			if len(page) == 0 {
				break
			}
			all = append(all, page...)
			after = page[len(page)-1].ID
		}
		var actions []string
		for i, e := range all {
			actions = append(actions, e.Action)
			if e.Org != org || i > 0 && e.At.After(all[i-1].At) {
				t.Errorf("event %d is %+v", i, e)
			}
			for _, s := range secrets {
				if strings.Contains(e.Target, s) {
					t.Errorf("%s holds a secret", e.Action)
				}
			}
		}
		if got, want := strings.Join(actions, " "), "create-organisation"; !strings.HasSuffix(got, want) || strings.Count(got, "create-key") != 3 ||
			strings.Count(got, "revoke-key") != 3 || strings.Count(got, "invite") != 1 || len(all) != 8 {
			t.Errorf("got %s", got)
		}
		if theirs := must[[]account.Event](t)(d.Events(ctx, other, eve.ID, all[0].ID, 10)); len(theirs) != 0 {
			t.Errorf("an event of another organisation is a place in this one: %v", theirs)
		}
		own := must[[]account.Event](t)(d.OwnEvents(ctx, ada.ID, "", 10))
		if len(own) != 1 || own[0].Action != "sign-in" {
			t.Errorf("got %+v", own)
		}
	})
}

func TestNamesAndPasswordsThatAreRefused(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	org, ada := d.found("Lab", "ada@example.com")
	for _, name := range []string{"", "  ", "a\x00b", "two\nlines", strings.Repeat("x", 101), "\xff"} {
		_, _, err := d.CreateKey(t.Context(), org, ada.ID, name)
		wrong(t, err, "name")
		wrong(t, d.Rename(t.Context(), org, ada.ID, name), "organisation")
	}
	for _, bad := range []string{"", "eleven char", strings.Repeat("a", 20), strings.Repeat("ab", 200)} {
		_, err := d.ChangePassword(t.Context(), ada.ID, password, bad)
		wrong(t, err, "password")
	}
	if _, err := d.ChangePassword(t.Context(), ada.ID, password, "пароль из слов"); err != nil {
		t.Error(err)
	}
}

func TestAnOrganisationHasABoundedNumberOfKeys(t *testing.T) {
	d := newDesk(t, accounttest.SQLite(t))
	org, ada := d.found("Lab", "ada@example.com")
	var first account.Key
	for range 100 {
		k, _, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
		if err != nil {
			t.Fatal(err)
		}
		first = k
	}
	_, _, err := d.CreateKey(t.Context(), org, ada.ID, "ci")
	wrong(t, err, "name")
	if err := d.RevokeKey(t.Context(), org, ada.ID, first.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.CreateKey(t.Context(), org, ada.ID, "ci"); err != nil {
		t.Error(err)
	}
}
