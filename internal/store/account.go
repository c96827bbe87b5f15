package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
)

var (
	_ = register("organisation", "id text", "name text", "created_at integer")
	_ = register("person", "id text", "email text", "name text", "password text", "issuer text", "subject text", "created_at integer")
	_ = register("membership", "org text", "person text", "role text", "created_at integer")
	_ = register("session", "hash bytes", "person text", "created_at integer", "seen_at integer", "expires_at integer")
	_ = register("token", "hash bytes", "id text", "kind text", "org text", "person text", "email text", "role text", "created_by text",
		"created_at integer", "expires_at integer")
	_ = register("api_key", "id text", "org text", "name text", "hash bytes", "prefix text", "created_by text", "created_at integer",
		"last_used integer", "revoked_at integer")
	_ = register("event", "id text", "at integer", "org text", "person text", "action text", "target text")
)

// accounts is the store of package account.
type accounts struct{ s *Store }

// Accounts returns the store of accounts.
func (s *Store) Accounts() account.Store { return accounts{s} }

// Read runs f on one state of the database.
func (a accounts) Read(ctx context.Context, f func(account.Tx) error) error {
	return a.s.snapshot(ctx, func(at at) error { return f(accountTx{at}) })
}

// Write runs f as if it were alone. Two who add the same row at the same time may both have found it missing: the loser looks again.
func (a accounts) Write(ctx context.Context, f func(account.Tx) error) error {
	run := func() error { return a.s.transact(ctx, func(at at) error { return f(accountTx{at}) }) }
	return a.s.freeing(ctx, func() error {
		err := run()
		if errors.Is(err, errUnique) {
			err = run()
		}
		return err
	})
}

const keyColumns = "SELECT id, org, name, hash, prefix, created_by, created_at, last_used, revoked_at FROM api_key "

// Key finds the key with a digest.
func (a accounts) Key(ctx context.Context, hash secret.Hash) (account.Key, error) {
	return readKey(a.s.reading(ctx), keyColumns+"WHERE hash = ?", hash[:])
}

// Touch notes when a key was last used.
func (a accounts) Touch(ctx context.Context, org, id string, at time.Time) error {
	_, err := a.s.writing(ctx).exec("UPDATE api_key SET last_used = ? WHERE org = ? AND id = ? AND last_used < ?", seconds(at), org, id, seconds(at))
	return err
}

// accountTx runs inside a transaction.
type accountTx struct{ at }

// seconds is how times are kept; the zero time is 0.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func moment(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// missing gives the domain's word for no row.
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return account.ErrNotFound
	}
	return err
}

// change runs a statement that must find its row.
func (t accountTx) change(query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err == nil && n == 0 {
		return account.ErrNotFound
	}
	return err
}

func (t accountTx) AnyPerson() (bool, error) {
	var n int64
	err := t.one("SELECT COUNT(*) FROM (SELECT id FROM person LIMIT 1) AS p", nil, &n)
	return n > 0, err
}

func (t accountTx) person(where string, args ...any) (account.Person, error) {
	var p account.Person
	var created int64
	err := t.one("SELECT id, email, name, password, issuer, subject, created_at FROM person WHERE "+where, args,
		&p.ID, &p.Email, &p.Name, &p.Password, &p.Issuer, &p.Subject, &created)
	p.CreatedAt = moment(created)
	return p, missing(err)
}

func (t accountTx) Person(id string) (account.Person, error) { return t.person("id = ?", id) }

func (t accountTx) PersonByEmail(email string) (account.Person, error) {
	return t.person("email = ?", email)
}

func (t accountTx) PersonBySubject(issuer, subject string) (account.Person, error) {
	return t.person("issuer = ? AND issuer <> '' AND subject = ?", issuer, subject)
}

func (t accountTx) PutPerson(p account.Person) error {
	_, err := t.exec(`INSERT INTO person (id, email, name, password, issuer, subject, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET email = excluded.email, name = excluded.name, password = excluded.password,
			issuer = excluded.issuer, subject = excluded.subject`,
		p.ID, p.Email, p.Name, p.Password, p.Issuer, p.Subject, seconds(p.CreatedAt))
	if errors.Is(err, errUnique) {
		return fmt.Errorf("%w: %w", account.ErrTaken, err)
	}
	return err
}

func (t accountTx) Organisation(org string) (account.Organisation, error) {
	var o account.Organisation
	var created int64
	err := t.one("SELECT id, name, created_at FROM organisation WHERE id = ?", []any{org}, &o.ID, &o.Name, &created)
	o.CreatedAt = moment(created)
	return o, missing(err)
}

func (t accountTx) PutOrganisation(o account.Organisation) error {
	_, err := t.exec("INSERT INTO organisation (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
		o.ID, o.Name, seconds(o.CreatedAt))
	return err
}

func (t accountTx) Membership(org, person string) (account.Membership, error) {
	m := account.Membership{Org: org, Person: person}
	var created int64
	err := t.one("SELECT role, created_at FROM membership WHERE org = ? AND person = ?", []any{org, person}, &m.Role, &created)
	m.CreatedAt = moment(created)
	return m, missing(err)
}

func (t accountTx) Members(org string) ([]account.Colleague, error) {
	var all []account.Colleague
	err := t.each(func(scan func(...any) error) error {
		var c account.Colleague
		var created int64
		err := scan(&c.Person, &c.Email, &c.Name, &c.Role, &created)
		c.CreatedAt = moment(created)
		all = append(all, c)
		return err
	}, `SELECT p.id, p.email, p.name, m.role, m.created_at FROM membership m JOIN person p ON p.id = m.person
		WHERE m.org = ? ORDER BY p.email`, org)
	return all, err
}

func (t accountTx) Places(person string) ([]account.Place, error) {
	var all []account.Place
	err := t.each(func(scan func(...any) error) error {
		var p account.Place
		err := scan(&p.Org, &p.Name, &p.Role)
		all = append(all, p)
		return err
	}, `SELECT o.id, o.name, m.role FROM membership m JOIN organisation o ON o.id = m.org WHERE m.person = ? ORDER BY o.name, o.id`, person)
	return all, err
}

func (t accountTx) PutMembership(m account.Membership) error {
	_, err := t.exec(`INSERT INTO membership (org, person, role, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (org, person) DO UPDATE SET role = excluded.role`, m.Org, m.Person, string(m.Role), seconds(m.CreatedAt))
	return err
}

func (t accountTx) DeleteMembership(org, person string) error {
	return t.change("DELETE FROM membership WHERE org = ? AND person = ?", org, person)
}
