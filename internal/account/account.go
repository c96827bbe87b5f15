// Package account holds organisations, their people and roles, sessions, one-time links, keys and the audit log.
//
// It knows no SQL and no HTTP: a Store gives it transactions, a surface gives it what visitors typed. Passwords are kept as
// argon2id strings, everything else that must not be guessed as SHA-256.
package account

import (
	"errors"
	"time"

	"github.com/modelverifier/verifier/internal/secret"
)

var (
	// ErrNotFound is returned for what is not there, and for what belongs to another organisation.
	ErrNotFound = errors.New("not found")
	// ErrDenied is returned when a role does not allow it.
	ErrDenied = errors.New("your role in this organisation does not allow this")
	// ErrSignIn is returned for a wrong address and a wrong password alike.
	ErrSignIn = errors.New("the e-mail address or the password is wrong")
	// ErrLink is returned for a link that was never given out, was used, or has expired.
	ErrLink = errors.New("this link is not valid: it was used, has expired, or was copied incompletely")
	// ErrLastOwner is returned instead of leaving an organisation that nobody can manage.
	ErrLastOwner = errors.New("an organisation keeps at least one owner: make somebody else owner first")
	// ErrTaken is returned when an e-mail address already has an account.
	ErrTaken = errors.New("this e-mail address already has an account: sign in with it first")
	// ErrNotInvited is returned when somebody whom nobody invited signs in with OpenID Connect.
	ErrNotInvited = errors.New("there is no account for you yet: ask an owner of your organisation for an invitation")
	// ErrUnauthorised is returned for keys that are missing, wrong or revoked, alike.
	ErrUnauthorised = errors.New("the API key is missing, wrong or revoked")
)

// Role is what a person may do in an organisation.
type Role string

// Roles, from the one that may do everything.
const (
	Owner  Role = "owner"  // people and settings
	Member Role = "member" // keys and plans
	Viewer Role = "viewer" // reads
)

// Right is something that a role may allow.
type Right int

// Rights, each of which includes those before it.
const (
	ToRead   Right = iota
	ToUse          // keys and plans
	ToManage       // people and settings
)

// Valid says whether r is a role.
func (r Role) Valid() bool { return r == Owner || r == Member || r == Viewer }

// May says whether a role allows something.
func (r Role) May(right Right) bool {
	switch r {
	case Owner:
		return true
	case Member:
		return right <= ToUse
	case Viewer:
		return right == ToRead
	}
	return false
}

// Organisation owns keys, history and plans.
type Organisation struct {
	ID, Name  string
	CreatedAt time.Time
}

// Person signs in. Somebody without a password signs in with OpenID Connect only.
type Person struct {
	ID, Email, Name string // the address is in lower case and unique
	Password        string // an argon2id string, or empty
	Issuer, Subject string // who OpenID Connect says this is, or empty
	CreatedAt       time.Time
}

// Membership is a person's role in an organisation.
type Membership struct {
	Org, Person string
	Role        Role
	CreatedAt   time.Time
}

// Colleague is a person as an organisation's owners see them.
type Colleague struct {
	Person, Email, Name string
	Role                Role
	CreatedAt           time.Time
}

// Place is an organisation as one of its people sees it.
type Place struct {
	Org, Name string
	Role      Role
}

// Session is a browser that has signed in. Neither its address nor its name is kept.
type Session struct {
	Hash                   secret.Hash
	Person                 string
	Created, Seen, Expires time.Time
}

// Kind says what a one-time link does.
type Kind string

// Kinds of one-time links.
const (
	Reset  Kind = "reset"  // gives Person a new password
	Invite Kind = "invite" // makes somebody a member of Org
	Admin  Kind = "admin"  // makes an organisation and its first owner
)

// Token is a one-time link that has been given out. What a kind does not need is empty.
type Token struct {
	ID                 string // shown in lists; says nothing about the secret
	Hash               secret.Hash
	Kind               Kind
	Org, Person, Email string
	Role               Role
	CreatedBy          string
	Created, Expires   time.Time
}

// Key opens the API for an organisation.
type Key struct {
	ID, Org, Name string
	Hash          secret.Hash
	Prefix        string // the first characters, by which people recognise it
	CreatedBy     string
	CreatedAt     time.Time
	LastUsed      time.Time // to the minute; zero: never
	RevokedAt     time.Time // zero: it works
}

// Event is a line of the audit log. It never holds a secret.
type Event struct {
	ID                          string
	At                          time.Time
	Org, Person, Action, Target string
}
