package account

import (
	"context"
	"errors"
)

// Members lists the people of an organisation.
func (s *Service) Members(ctx context.Context, org, by string) (all []Colleague, err error) {
	err = s.allowed(ctx, org, by, ToRead, func(tx Tx) error { all, err = tx.Members(org); return err })
	return all, err
}

// Rename gives an organisation another name.
func (s *Service) Rename(ctx context.Context, org, by, name string) error {
	name, err := line("organisation", name)
	if err != nil {
		return err
	}
	return s.changing(ctx, org, by, ToManage, "rename-organisation", name, func(tx Tx) error {
		o, err := tx.Organisation(org)
		if err != nil {
			return err
		}
		o.Name = name
		return tx.PutOrganisation(o)
	})
}

// SetRole changes what somebody may do. The last owner stays one.
func (s *Service) SetRole(ctx context.Context, org, by, person string, role Role) error {
	if !role.Valid() {
		return invalid("role", "is %q, not owner, member or viewer", role)
	}
	return s.changing(ctx, org, by, ToManage, "set-role-"+string(role), person, func(tx Tx) error {
		m, err := tx.Membership(org, person)
		if err != nil {
			return err
		}
		m.Role = role
		if err := tx.PutMembership(m); err != nil {
			return err
		}
		if err := moved(tx, org, person, role); err != nil {
			return err
		}
		return owned(tx, org)
	})
}

// Remove takes somebody out of an organisation. Owners remove anybody, everybody may leave; the last owner stays. Keys stay
// too: they are the organisation's.
func (s *Service) Remove(ctx context.Context, org, by, person string) error {
	right, action := ToManage, "remove-person"
	if by == person {
		right, action = ToRead, "leave"
	}
	return s.changing(ctx, org, by, right, action, person, func(tx Tx) error {
		if err := tx.DeleteMembership(org, person); err != nil {
			return err
		}
		if err := moved(tx, org, person, ""); err != nil {
			return err
		}
		return owned(tx, org)
	})
}

// owned refuses a state in which nobody manages an organisation.
func owned(tx Tx, org string) error {
	all, err := tx.Members(org)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.Role == Owner {
			return nil
		}
	}
	return ErrLastOwner
}

// Events lists the audit log of an organisation, newest first, behind an event if one is named.
func (s *Service) Events(ctx context.Context, org, by, after string, most int) (all []Event, err error) {
	err = s.allowed(ctx, org, by, ToManage, func(tx Tx) error { all, err = tx.Events(org, after, most); return err })
	return all, err
}

// OwnEvents lists what a person did outside organisations: signing in, changing passwords.
func (s *Service) OwnEvents(ctx context.Context, person, after string, most int) (all []Event, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error { all, err = tx.EventsOfPerson(person, after, most); return err })
	return all, err
}

// Reset returns the secret of a link that gives somebody a new password. The right to make it is tested again when it is used.
func (s *Service) Reset(ctx context.Context, org, by, person string) (link string, err error) {
	err = s.changing(ctx, org, by, ToManage, "reset-link", person, func(tx Tx) error {
		if err := mayReset(tx, org, by, person); err != nil {
			return err
		}
		link, err = s.give(tx, Token{Kind: Reset, Org: org, Person: person, CreatedBy: by}, resetLasts)
		return err
	})
	return link, err
}

// mayReset says whether an owner may give somebody a new password. Owners reset people of theirs, and only those who belong to
// no organisation that is not theirs: the link opens everything that the person may open.
func mayReset(tx Tx, org, by, person string) error {
	if _, err := need(tx, org, by, ToManage); err != nil {
		return err
	}
	if _, err := tx.Membership(org, person); err != nil {
		return err
	}
	places, err := tx.Places(person)
	if err != nil {
		return err
	}
	for _, p := range places {
		if _, err := need(tx, p.Org, by, ToManage); errors.Is(err, ErrNotFound) {
			return ErrDenied
		} else if err != nil {
			return err
		}
	}
	return nil
}

// ResetLink does the same for anybody. It is for the operator's terminal, or to be sent to the address.
func (s *Service) ResetLink(ctx context.Context, email string) (link string, err error) {
	if email, err = Email(email); err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		p, err := tx.PersonByEmail(email)
		if err != nil {
			return err
		}
		if link, err = s.give(tx, Token{Kind: Reset, Person: p.ID}, resetLasts); err != nil {
			return err
		}
		return s.note(tx, "", p.ID, "reset-link", "")
	})
	return link, err
}

// SetPassword uses such a link. Every session and every other link of the person ends.
func (s *Service) SetPassword(ctx context.Context, link, password string) (session string, err error) {
	t, _, err := s.Link(ctx, Reset, link)
	if err != nil {
		return "", err
	}
	hashed, err := s.choose(ctx, t.Person, password)
	if err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		if _, err := s.find(tx, Reset, link); err != nil {
			return err
		}
		if err := s.replace(tx, t.Person, hashed); err != nil {
			return err
		}
		session, err = s.begin(tx, t.Person, "sign-in")
		return err
	})
	return session, err
}

// ChangePassword replaces a password by somebody who knows it, and ends all their sessions but the new one that it returns.
func (s *Service) ChangePassword(ctx context.Context, person, was, password string) (session string, err error) {
	var p Person
	if err := s.Store.Read(ctx, func(tx Tx) (err error) { p, err = tx.Person(person); return err }); err != nil {
		return "", err
	}
	same, _, err := s.Hasher.matches(ctx, was, p.Password)
	if err != nil {
		return "", err
	}
	if !same {
		return "", invalid("was", "is not the present password")
	}
	hashed, err := s.choose(ctx, person, password)
	if err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		if _, err := unchanged(tx, person, p.Password); err != nil {
			return err
		}
		if err := s.replace(tx, person, hashed); err != nil {
			return err
		}
		session, err = s.begin(tx, person, "sign-in")
		return err
	})
	return session, err
}

// choose checks and hashes a new password.
func (s *Service) choose(ctx context.Context, person, password string) (string, error) {
	var p Person
	if err := s.Store.Read(ctx, func(tx Tx) (err error) { p, err = tx.Person(person); return err }); err != nil {
		return "", err
	}
	if err := newPassword(password, p.Email); err != nil {
		return "", err
	}
	return s.Hasher.hash(ctx, password)
}

// replace sets a hash and ends whatever the old password opened.
func (s *Service) replace(tx Tx, person, hashed string) error {
	p, err := tx.Person(person)
	if err != nil {
		return err
	}
	p.Password = hashed
	if err := tx.PutPerson(p); err != nil {
		return err
	}
	if err := s.endAll(tx, person); err != nil {
		return err
	}
	return s.note(tx, "", person, "set-password", "")
}

// endAll ends sessions and links of a person.
func (s *Service) endAll(tx Tx, person string) error {
	if err := tx.DeleteSessions(person); err != nil {
		return err
	}
	return tx.DeleteTokensOfPerson(Reset, person)
}
