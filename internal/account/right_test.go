package account_test

import (
	"context"
	"testing"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/account/accounttest"
)

// another is a password that is nobody's yet.
const another = "quite another pass phrase"

// refused wants a link that opens nothing: neither its page nor what it is for, and that the old password still works.
func (d desk) refused(kind account.Kind, link string) {
	d.t.Helper()
	_, _, err := d.Link(context.Background(), kind, link)
	fails(d.t, err, account.ErrLink)
	if kind == account.Reset {
		_, err = d.SetPassword(context.Background(), link, another)
	} else {
		_, err = d.SignUp(context.Background(), link, "Somebody", another)
	}
	fails(d.t, err, account.ErrLink)
}

// TestAResetLinkWorksOnlyWhileItsMakerMayStillReset changes memberships between the making of a link and its use.
func TestAResetLinkWorksOnlyWhileItsMakerMayStillReset(t *testing.T) {
	type scene struct {
		desk
		org, other     string
		ada, eve, bob  account.Person // eve owns org with ada, and makes the link for bob; ada owns other, too
		joins, removes func(org string, who account.Person)
	}
	changes := map[string]func(s scene){
		"the person joined an organisation of others": func(s scene) { s.joins(s.other, s.bob) },
		"the person left": func(s scene) { s.removes(s.org, s.bob) },
		"the person came back": func(s scene) {
			s.removes(s.org, s.bob)
			s.joins(s.org, s.bob)
		},
		"the maker was removed": func(s scene) { s.removes(s.org, s.eve) },
		"the maker is no owner any more": func(s scene) {
			if err := s.SetRole(context.Background(), s.org, s.ada.ID, s.eve.ID, account.Member); err != nil {
				s.t.Fatal(err)
			}
		},
		"the maker was removed and came back": func(s scene) {
			s.removes(s.org, s.eve)
			s.joins(s.org, s.eve)
		},
	}
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		n := 0
		for name, change := range changes {
			n++
			mail := func(who string) string { return who + string(rune('a'+n)) + "@example.com" }
			s := scene{desk: d}
			s.org, s.ada = d.found("Lab"+name, mail("ada"))
			link := must[string](t)(d.AdminLink(ctx))
			must[string](t)(d.Start(ctx, link, "Other"+name, "Ada", s.ada.Email, password))
			for _, p := range must[account.Visitor](t)(d.Visitor(ctx, must[string](t)(d.SignIn(ctx, s.ada.Email, password)))).Places {
				if p.Org != s.org {
					s.other = p.Org
				}
			}
			s.eve = d.hire(s.org, s.ada.ID, mail("eve"), account.Owner)
			s.bob = d.hire(s.org, s.ada.ID, mail("bob"), account.Member)
			s.joins = func(org string, who account.Person) {
				role := map[bool]account.Role{true: account.Owner, false: account.Viewer}[who.ID == s.eve.ID]
				if err := d.Accept(ctx, who.ID, must[string](t)(d.Invite(ctx, org, s.ada.ID, who.Email, role))); err != nil {
					t.Fatal(err)
				}
			}
			s.removes = func(org string, who account.Person) {
				if err := d.Remove(ctx, org, s.ada.ID, who.ID); err != nil {
					t.Fatal(err)
				}
			}
			stale := must[string](t)(d.Reset(ctx, s.org, s.eve.ID, s.bob.ID))
			operators := must[string](t)(d.ResetLink(ctx, s.bob.Email))
			change(s)
			t.Run(name, func(t *testing.T) {
				in := d
				in.t = t
				in.refused(account.Reset, stale)
				must[string](t)(d.SignIn(ctx, s.bob.Email, password))
				must[string](t)(d.SetPassword(ctx, operators, another)) // which no membership limits
			})
		}
	})
}

// TestAResetLinkIsTestedWhenItIsUsed goes behind the service, as a release that ends no links did.
func TestAResetLinkIsTestedWhenItIsUsed(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		bob := d.hire(org, ada.ID, "bob@example.com", account.Member)
		other, _ := d.found("Other", "eve@example.com")
		put := func(f func(tx account.Tx) error) {
			if err := d.Store.Write(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		link := must[string](t)(d.Reset(ctx, org, ada.ID, bob.ID))
		put(func(tx account.Tx) error {
			return tx.PutMembership(account.Membership{Org: other, Person: bob.ID, Role: account.Viewer})
		})
		d.refused(account.Reset, link)
		put(func(tx account.Tx) error { return tx.DeleteMembership(other, bob.ID) })
		put(func(tx account.Tx) error { return tx.DeleteMembership(org, ada.ID) })
		d.refused(account.Reset, link)
		put(func(tx account.Tx) error {
			return tx.PutMembership(account.Membership{Org: org, Person: ada.ID, Role: account.Member})
		})
		d.refused(account.Reset, link)
		put(func(tx account.Tx) error {
			return tx.PutMembership(account.Membership{Org: org, Person: ada.ID, Role: account.Owner})
		})
		must[string](t)(d.SetPassword(ctx, link, another))
	})
}

// TestAnInvitationEndsWithTheRightOfItsMaker also holds that it stays ended: who comes back as owner did not mean it again.
func TestAnInvitationEndsWithTheRightOfItsMaker(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		eve := d.hire(org, ada.ID, "eve@example.com", account.Owner)
		link := must[string](t)(d.Invite(ctx, org, eve.ID, "mallory@example.com", account.Owner))
		kept := must[string](t)(d.Invite(ctx, org, ada.ID, "carol@example.com", account.Member))
		for _, role := range []account.Role{account.Viewer, account.Owner} {
			if err := d.SetRole(ctx, org, ada.ID, eve.ID, role); err != nil {
				t.Fatal(err)
			}
			d.refused(account.Invite, link)
		}
		if all := must[[]account.Token](t)(d.Invitations(ctx, org, ada.ID)); len(all) != 1 {
			t.Errorf("%d invitations are left, want that of the other owner", len(all))
		}
		must[string](t)(d.SignUp(ctx, kept, "Carol", password))
	})
}

// between does something before the first change that a service makes.
type between struct {
	account.Store
	do func()
}

func (b *between) Write(ctx context.Context, f func(account.Tx) error) error {
	if do := b.do; do != nil {
		b.do = nil
		do()
	}
	return b.Store.Write(ctx, f)
}

// TestAPasswordThatIsReplacedWhileItIsComparedOpensNothing has the owner of an account change the password while somebody with
// the old one signs in, accepts an invitation with it, or makes an organisation with it.
func TestAPasswordThatIsReplacedWhileItIsComparedOpensNothing(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		bob := d.hire(org, ada.ID, "bob@example.com", account.Member)
		was, next := password, another
		ways := map[string]func(s *account.Service) error{
			"signing in": func(s *account.Service) error { _, err := s.SignIn(ctx, bob.Email, was); return err },
			"an invitation": func(s *account.Service) error {
				link := must[string](t)(d.Invite(ctx, org, ada.ID, bob.Email, account.Member))
				_, err := s.SignUp(ctx, link, "Bob", was)
				return err
			},
			"an operator's link": func(s *account.Service) error {
				_, err := s.Start(ctx, must[string](t)(d.AdminLink(ctx)), "New", "Bob", bob.Email, was)
				return err
			},
		}
		for name, enter := range ways {
			slow := &account.Service{Clock: d.Clock, Hasher: accounttest.Hasher(t)}
			slow.Store = &between{Store: d.Store, do: func() { must[string](t)(d.ChangePassword(ctx, bob.ID, was, next)) }}
			if err := enter(slow); err == nil {
				t.Errorf("%s: the password before opened a session", name)
			}
			was, next = next, was
		}
	})
}

// TestAnInvitationDoesNotTellWhoHasAnAccount types what is wrong in every way, for an address that is known and one that is not.
func TestAnInvitationDoesNotTellWhoHasAnAccount(t *testing.T) {
	desks(t, func(t *testing.T, d desk) {
		ctx := t.Context()
		org, ada := d.found("Lab", "ada@example.com")
		d.found("Other", "known@example.com")
		known := must[string](t)(d.Invite(ctx, org, ada.ID, "known@example.com", account.Viewer))
		unknown := must[string](t)(d.Invite(ctx, org, ada.ID, "never@example.com", account.Viewer))
		for _, typed := range [][2]string{{"", another}, {"A\x00", another}, {"Name", ""}, {"Name", "short"}, {"Name", "aaaaaaaaaaaaaaaaaaaa"}, {"", ""}} {
			_, a := d.SignUp(ctx, known, typed[0], typed[1])
			_, b := d.SignUp(ctx, unknown, typed[0], typed[1])
			if a == nil || b == nil || a.Error() != b.Error() {
				t.Errorf("%q: %v for a known address, %v for another", typed, a, b)
			}
		}
		must[string](t)(d.SignUp(ctx, known, "Name", password))
	})
}
