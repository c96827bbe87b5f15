package account

import (
	"context"
	"errors"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// How long things last.
const (
	sessionLasts = 30 * 24 * time.Hour // however much it is used
	sessionIdle  = 7 * 24 * time.Hour  // without being used
	seenEvery    = time.Minute         // how exactly its use is noted
	adminLasts   = 24 * time.Hour
	inviteLasts  = 7 * 24 * time.Hour
	resetLasts   = time.Hour
)

// Service is what people do with accounts. Its fields are set once; its methods may be called at the same time.
type Service struct {
	Store  Store
	Clock  func() time.Time
	Hasher *Hasher
}

// now is the time in whole seconds.
func (s *Service) now() time.Time { return s.Clock().UTC().Truncate(time.Second) }

// note writes a line of the audit log, in the transaction of what it tells.
func (s *Service) note(tx Tx, org, person, action, target string) error {
	return tx.PutEvent(Event{ID: secret.ID(), At: s.Clock().UTC().Truncate(time.Microsecond), Org: org, Person: person, Action: action, Target: target})
}

// need says whether a person may do something in an organisation. To those outside, it does not exist.
func need(tx Tx, org, person string, right Right) (Role, error) {
	m, err := tx.Membership(org, person)
	if err != nil {
		return "", err
	}
	if !m.Role.May(right) {
		return m.Role, ErrDenied
	}
	return m.Role, nil
}

// allowed reads something of an organisation for a person who may.
func (s *Service) allowed(ctx context.Context, org, person string, right Right, f func(Tx) error) error {
	return s.Store.Read(ctx, func(tx Tx) error {
		if _, err := need(tx, org, person, right); err != nil {
			return err
		}
		return f(tx)
	})
}

// changing changes something of an organisation for a person who may, and notes it.
func (s *Service) changing(ctx context.Context, org, person string, right Right, action, target string, f func(Tx) error) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		if _, err := need(tx, org, person, right); err != nil {
			return err
		}
		if err := f(tx); err != nil {
			return err
		}
		return s.note(tx, org, person, action, target)
	})
}

// Visitor is somebody who has signed in.
type Visitor struct {
	Person Person
	Places []Place // the organisations they belong to
}

// Role returns the visitor's role in an organisation, or nothing.
func (v Visitor) Role(org string) Role {
	for _, p := range v.Places {
		if p.Org == org {
			return p.Role
		}
	}
	return ""
}

// Visitor finds who a session belongs to, and notes about once a minute that it is used. ErrNotFound: sign in again.
func (s *Service) Visitor(ctx context.Context, session string) (Visitor, error) {
	var v Visitor
	if !secret.WellFormed("", session) {
		return v, ErrNotFound
	}
	now, stale := s.now(), Session{}
	err := s.Store.Read(ctx, func(tx Tx) error {
		found, err := live(tx, secret.Of(session), now)
		if err != nil {
			return err
		}
		if now.Sub(found.Seen) >= seenEvery {
			stale = found
		}
		if v.Person, err = tx.Person(found.Person); err != nil {
			return err
		}
		v.Places, err = tx.Places(found.Person)
		return err
	})
	if err == nil && stale.Person != "" {
		err = s.seen(ctx, stale.Hash, now)
	}
	return v, err
}

// live reads a session that has not ended.
func live(tx Tx, hash secret.Hash, now time.Time) (Session, error) {
	found, err := tx.Session(hash)
	if err == nil && (!now.Before(found.Expires) || now.Sub(found.Seen) >= sessionIdle) {
		err = ErrNotFound
	}
	return found, err
}

// seen notes the use of a session, unless it has been ended meanwhile: that must not bring it back.
func (s *Service) seen(ctx context.Context, hash secret.Hash, now time.Time) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		found, err := live(tx, hash, now)
		if err != nil {
			return err
		}
		found.Seen = now
		return tx.PutSession(found)
	})
}

// begin opens a session in a transaction and returns its secret.
func (s *Service) begin(tx Tx, person string, how string) (string, error) {
	session, now := secret.New(), s.now()
	err := tx.PutSession(Session{Hash: secret.Of(session), Person: person, Created: now, Seen: now, Expires: now.Add(sessionLasts)})
	if err == nil {
		err = s.note(tx, "", person, how, "")
	}
	return session, err
}

// SignIn opens a session for an address and its password.
func (s *Service) SignIn(ctx context.Context, email, password string) (session string, err error) {
	p, err := s.verify(ctx, email, password)
	if err != nil {
		return "", err
	}
	err = s.Store.Write(ctx, func(tx Tx) error {
		// The password may have been changed while it was compared, which takes long.
		if _, err := unchanged(tx, p.ID, p.Password); err != nil {
			return err
		}
		session, err = s.begin(tx, p.ID, "sign-in")
		return err
	})
	return session, err
}

// verify finds the person with an address and a password. Whether the address is known shows neither in the answer nor in
// the time it takes. A hash of another cost than today's is replaced.
func (s *Service) verify(ctx context.Context, email, password string) (Person, error) {
	var p Person
	email, malformed := Email(email)
	if malformed == nil {
		err := s.Store.Read(ctx, func(tx Tx) (err error) { p, err = tx.PersonByEmail(email); return err })
		if err != nil && !errors.Is(err, ErrNotFound) {
			return p, err
		}
	}
	same, old, err := s.Hasher.matches(ctx, password, p.Password)
	if err != nil {
		return p, err
	}
	if !same {
		return p, ErrSignIn
	}
	if !old {
		return p, nil
	}
	before := p.Password
	if p.Password, err = s.Hasher.hash(ctx, password); err != nil {
		return p, err
	}
	return p, s.Store.Write(ctx, func(tx Tx) error {
		now, err := unchanged(tx, p.ID, before)
		if err != nil {
			return err
		}
		now.Password = p.Password
		return tx.PutPerson(now)
	})
}

// unchanged reads a person whose password is still the one that was compared.
func unchanged(tx Tx, person, password string) (Person, error) {
	p, err := tx.Person(person)
	if err == nil && p.Password != password {
		err = ErrSignIn
	}
	return p, err
}

// SignOut ends a session. One that has ended already is no fault.
func (s *Service) SignOut(ctx context.Context, session string) error {
	return s.Store.Write(ctx, func(tx Tx) error { return tx.DeleteSession(secret.Of(session)) })
}

// SignOutEverywhere ends all sessions of a person, this one too.
func (s *Service) SignOutEverywhere(ctx context.Context, person string) error {
	return s.Store.Write(ctx, func(tx Tx) error {
		if err := tx.DeleteSessions(person); err != nil {
			return err
		}
		return s.note(tx, "", person, "sign-out-everywhere", "")
	})
}

// Sweep removes sessions and links that have expired. They do not work before either.
func (s *Service) Sweep(ctx context.Context) error {
	return s.Store.Write(ctx, func(tx Tx) error { return tx.DeleteExpired(s.now()) })
}
