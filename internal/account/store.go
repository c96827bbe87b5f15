package account

import (
	"context"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

// Store keeps accounts. All times are whole seconds in UTC, those of events microseconds.
type Store interface {
	// Read runs f on one consistent state. What f changes is refused.
	Read(ctx context.Context, f func(Tx) error) error
	// Write runs f as if nothing else ran at the same time, and keeps everything it did or, if it fails, nothing. It may run
	// f more than once: f must only change what it began itself. When Write returns nil the changes survive a crash.
	Write(ctx context.Context, f func(Tx) error) error
	// Key finds the key with a digest, revoked or not.
	Key(ctx context.Context, hash secret.Hash) (Key, error)
	// Touch notes that a key was used, unless a later time is already noted.
	Touch(ctx context.Context, org, id string, at time.Time) error
}

// Tx is what can be done inside a transaction. Getters return ErrNotFound. What belongs to an organisation is found and
// changed only together with that organisation.
type Tx interface {
	AnyPerson() (bool, error)
	Person(id string) (Person, error)
	PersonByEmail(email string) (Person, error)
	PersonBySubject(issuer, subject string) (Person, error)
	PutPerson(p Person) error // adds or replaces

	Organisation(org string) (Organisation, error)
	PutOrganisation(o Organisation) error

	Membership(org, person string) (Membership, error)
	Members(org string) ([]Colleague, error) // by e-mail address
	Places(person string) ([]Place, error)   // by name
	PutMembership(m Membership) error
	DeleteMembership(org, person string) error

	Session(hash secret.Hash) (Session, error)
	PutSession(s Session) error
	DeleteSession(hash secret.Hash) error
	DeleteSessions(person string) error

	Token(kind Kind, hash secret.Hash) (Token, error)
	PutToken(t Token) error
	DeleteToken(hash secret.Hash) error
	DeleteTokensOfKind(kind Kind) error
	DeleteTokensOfPerson(kind Kind, person string) error
	DeleteMadeTokensOfPerson(kind Kind, person string) error // but for those of the operator, which nobody made
	DeleteTokensBy(kind Kind, maker string) error            // in whatever organisation
	DeleteTokensIn(org string, kind Kind, maker string) error
	Invitations(org string) ([]Token, error) // newest first
	DeleteInvitation(org, id string) error

	Keys(org string) ([]Key, error) // newest first
	KeyByID(org, id string) (Key, error)
	PutKey(k Key) error // replaces only the key of the same organisation

	PutEvent(e Event) error
	Events(org, after string, most int) ([]Event, error)            // of an organisation, newest first, those behind the id if it is not empty
	EventsOfPerson(person, after string, most int) ([]Event, error) // those of no organisation

	DeleteExpired(now time.Time) error // sessions and tokens
}
