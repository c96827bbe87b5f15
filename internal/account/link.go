package account

import (
	"context"
	"errors"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// give keeps a one-time link and returns its secret.
func (s *Service) give(tx Tx, t Token, lasts time.Duration) (string, error) {
	link := secret.New()
	t.ID, t.Hash, t.Created = secret.ID(), secret.Of(link), s.now()
	t.Expires = t.Created.Add(lasts)
	return link, tx.PutToken(t)
}

// find reads a link that can still be used: it has not expired, and whoever made it may still make it.
func (s *Service) find(tx Tx, kind Kind, link string) (Token, error) {
	if !secret.WellFormed("", link) {
		return Token{}, ErrLink
	}
	t, err := tx.Token(kind, secret.Of(link))
	if errors.Is(err, ErrNotFound) || err == nil && !s.now().Before(t.Expires) {
		return Token{}, ErrLink
	}
	if err != nil {
		return Token{}, err
	}
	switch err := backed(tx, t); {
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrDenied):
		return Token{}, ErrLink
	case err != nil:
		return Token{}, err
	}
	return t, nil
}

// backed tests the right that a link was made with. Those of the operator have no maker and need none.
func backed(tx Tx, t Token) error {
	switch {
	case t.Kind == Invite:
		_, err := need(tx, t.Org, t.CreatedBy, ToManage)
		return err
	case t.Kind == Reset && t.CreatedBy != "":
		return mayReset(tx, t.Org, t.CreatedBy, t.Person)
	}
	return nil
}

// moved ends the links that somebody's membership stood behind, whenever it changes: those that owners made for them, because a
// new password would open more or other organisations than it did; and those that they made themselves, unless they are owner
// still. The links are tested when they are used, too: what ends here cannot come back with the membership.
func moved(tx Tx, org, person string, role Role) error {
	if err := tx.DeleteMadeTokensOfPerson(Reset, person); err != nil {
		return err
	}
	if role.May(ToManage) {
		return nil
	}
	if err := tx.DeleteTokensBy(Reset, person); err != nil {
		return err
	}
	return tx.DeleteTokensIn(org, Invite, person)
}

// Link reads a link without using it, for the page that it opens.
func (s *Service) Link(ctx context.Context, kind Kind, link string) (t Token, org Organisation, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		if t, err = s.find(tx, kind, link); err != nil || t.Org == "" {
			return err
		}
		org, err = tx.Organisation(t.Org)
		return err
	})
	return t, org, err
}

// FirstAdmin returns the secret of a link that makes the first organisation and its owner, or nothing if there is anybody.
func (s *Service) FirstAdmin(ctx context.Context) (link string, err error) {
	err = s.Store.Write(ctx, func(tx Tx) error {
		link = ""
		some, err := tx.AnyPerson()
		if err != nil || some {
			return err
		}
		link, err = s.give(tx, Token{Kind: Admin}, adminLasts)
		return err
	})
	return link, err
}

// AdminLink returns the secret of a link that makes another organisation and its owner. It is for the operator's terminal.
func (s *Service) AdminLink(ctx context.Context) (link string, err error) {
	err = s.Store.Write(ctx, func(tx Tx) error {
		link, err = s.give(tx, Token{Kind: Admin}, adminLasts)
		if err != nil {
			return err
		}
		return s.note(tx, "", "", "admin-link", "")
	})
	return link, err
}

// Start uses an operator's link: it makes an organisation, and its owner unless they have an account, whose password must
// then be theirs. All other links of this kind, in logs and terminals, end with it.
func (s *Service) Start(ctx context.Context, link, organisation, name, email, password string) (session string, err error) {
	if organisation, err = line("organisation", organisation); err != nil {
		return "", err
	}
	p, fresh, err := s.applicant(ctx, Admin, link, name, email, password)
	if err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		if _, err := s.find(tx, Admin, link); err != nil {
			return err
		}
		if err := tx.DeleteTokensOfKind(Admin); err != nil {
			return err
		}
		o := Organisation{ID: secret.ID(), Name: organisation, CreatedAt: s.now()}
		if err := s.keep(tx, p, fresh); err != nil {
			return err
		}
		if err := tx.PutOrganisation(o); err != nil {
			return err
		}
		if err := s.join(tx, Token{Org: o.ID, Role: Owner}, p.ID, "create-organisation"); err != nil {
			return err
		}
		session, err = s.begin(tx, p.ID, "sign-in")
		return err
	})
	return session, err
}

// applicant returns who uses a link: somebody new, or the person with this address and password. The link is looked at
// first, so that nobody without one can make us hash. What was typed is checked next, for both alike: what is wrong with it must
// not tell whether the address has an account.
func (s *Service) applicant(ctx context.Context, kind Kind, link, name, email, password string) (p Person, fresh bool, err error) {
	if email, err = Email(email); err != nil {
		return p, false, err
	}
	known := false
	err = s.Store.Read(ctx, func(tx Tx) error {
		if _, err := s.find(tx, kind, link); err != nil {
			return err
		}
		_, err := tx.PersonByEmail(email)
		known = err == nil
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return err
	})
	if err != nil {
		return p, false, err
	}
	if name, err = line("name", name); err != nil {
		return p, false, err
	}
	if err := newPassword(password, email); err != nil {
		return p, false, err
	}
	if known {
		p, err = s.verify(ctx, email, password)
		return p, false, err
	}
	hashed, err := s.Hasher.hash(ctx, password)
	return Person{ID: secret.ID(), Email: email, Name: name, Password: hashed, CreatedAt: s.now()}, true, err
}

// keep adds somebody new. Their address may have been taken since they were looked for; and the password of somebody who was
// there may have been changed while it was compared, which takes long.
func (s *Service) keep(tx Tx, p Person, fresh bool) error {
	if !fresh {
		_, err := unchanged(tx, p.ID, p.Password)
		return err
	}
	switch _, err := tx.PersonByEmail(p.Email); {
	case err == nil:
		return ErrTaken
	case !errors.Is(err, ErrNotFound):
		return err
	}
	return tx.PutPerson(p)
}

// join makes a person a member as a link says. Who is one already keeps the higher role.
func (s *Service) join(tx Tx, t Token, person, action string) error {
	m, err := tx.Membership(t.Org, person)
	switch {
	case errors.Is(err, ErrNotFound):
		m = Membership{Org: t.Org, Person: person, Role: t.Role, CreatedAt: s.now()}
	case err != nil:
		return err
	case t.Role == Owner || m.Role == Viewer:
		m.Role = t.Role
	}
	if err := tx.PutMembership(m); err != nil {
		return err
	}
	if err := moved(tx, t.Org, person, m.Role); err != nil {
		return err
	}
	return s.note(tx, t.Org, person, action, string(m.Role))
}

// Invite returns the secret of a link that makes somebody a member. Only owners invite.
func (s *Service) Invite(ctx context.Context, org, by, email string, role Role) (link string, err error) {
	if email, err = Email(email); err != nil {
		return "", err
	}
	if !role.Valid() {
		return "", invalid("role", "is %q, not owner, member or viewer", role)
	}
	err = s.changing(ctx, org, by, ToManage, "invite", email, func(tx Tx) (err error) {
		link, err = s.give(tx, Token{Kind: Invite, Org: org, Email: email, Role: role, CreatedBy: by}, inviteLasts)
		return err
	})
	return link, err
}

// Invitations lists the links of an organisation that nobody has used. Their secrets are not kept.
func (s *Service) Invitations(ctx context.Context, org, by string) (all []Token, err error) {
	err = s.allowed(ctx, org, by, ToManage, func(tx Tx) error { all, err = tx.Invitations(org); return err })
	return all, err
}

// Uninvite ends a link that nobody has used.
func (s *Service) Uninvite(ctx context.Context, org, by, id string) error {
	return s.changing(ctx, org, by, ToManage, "uninvite", id, func(tx Tx) error { return tx.DeleteInvitation(org, id) })
}

// SignUp uses an invitation: it makes a person with the invited address. Who has an account signs in and accepts.
func (s *Service) SignUp(ctx context.Context, link, name, password string) (session string, err error) {
	t, _, err := s.Link(ctx, Invite, link)
	if err != nil {
		return "", err
	}
	p, fresh, err := s.applicant(ctx, Invite, link, name, t.Email, password)
	if err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		if err := s.use(tx, link, func(t Token) error {
			if err := s.keep(tx, p, fresh); err != nil {
				return err
			}
			return s.join(tx, t, p.ID, "join")
		}); err != nil {
			return err
		}
		session, err = s.begin(tx, p.ID, "sign-in")
		return err
	})
	return session, err
}

// Accept uses an invitation for somebody who has signed in. Its address need not be theirs: whoever has the link was given it.
func (s *Service) Accept(ctx context.Context, person, link string) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		return s.use(tx, link, func(t Token) error { return s.join(tx, t, person, "join") })
	})
}

// use ends an invitation and does what it is for.
func (s *Service) use(tx Tx, link string, f func(Token) error) error {
	t, err := s.find(tx, Invite, link)
	if err != nil {
		return err
	}
	if err := tx.DeleteToken(t.Hash); err != nil {
		return err
	}
	return f(t)
}
