package store

import (
	"fmt"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/secret"
)

// digest reads a digest from a row. Anything but 32 bytes is a damaged row.
func digest(b []byte) (h secret.Hash, err error) {
	if len(b) != len(h) {
		return h, fmt.Errorf("store: a digest has %d bytes, want %d", len(b), len(h))
	}
	return secret.Hash(b), nil
}

func (t accountTx) Session(hash secret.Hash) (account.Session, error) {
	s := account.Session{Hash: hash}
	var created, seen, expires int64
	err := t.one("SELECT person, created_at, seen_at, expires_at FROM session WHERE hash = ?", []any{hash[:]}, &s.Person, &created, &seen, &expires)
	s.Created, s.Seen, s.Expires = moment(created), moment(seen), moment(expires)
	return s, missing(err)
}

func (t accountTx) PutSession(s account.Session) error {
	_, err := t.exec(`INSERT INTO session (hash, person, created_at, seen_at, expires_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET seen_at = excluded.seen_at, expires_at = excluded.expires_at`,
		s.Hash[:], s.Person, seconds(s.Created), seconds(s.Seen), seconds(s.Expires))
	return err
}

func (t accountTx) DeleteSession(hash secret.Hash) error {
	_, err := t.exec("DELETE FROM session WHERE hash = ?", hash[:])
	return err
}

func (t accountTx) DeleteSessions(person string) error {
	_, err := t.exec("DELETE FROM session WHERE person = ?", person)
	return err
}

const tokenColumns = "SELECT hash, id, kind, org, person, email, role, created_by, created_at, expires_at FROM token "

func (t accountTx) tokens(query string, args ...any) ([]account.Token, error) {
	var all []account.Token
	err := t.each(func(scan func(...any) error) error {
		var k account.Token
		var hash []byte
		var created, expires int64
		err := scan(&hash, &k.ID, &k.Kind, &k.Org, &k.Person, &k.Email, &k.Role, &k.CreatedBy, &created, &expires)
		if err == nil {
			k.Hash, err = digest(hash)
		}
		k.Created, k.Expires = moment(created), moment(expires)
		all = append(all, k)
		return err
	}, tokenColumns+query, args...)
	return all, err
}

func (t accountTx) Token(kind account.Kind, hash secret.Hash) (account.Token, error) {
	all, err := t.tokens("WHERE kind = ? AND hash = ?", string(kind), hash[:])
	if err != nil || len(all) == 0 {
		return account.Token{}, notOne(err)
	}
	return all[0], nil
}

func notOne(err error) error {
	if err == nil {
		return account.ErrNotFound
	}
	return err
}

func (t accountTx) PutToken(k account.Token) error {
	_, err := t.exec(`INSERT INTO token (hash, id, kind, org, person, email, role, created_by, created_at, expires_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		k.Hash[:], k.ID, string(k.Kind), k.Org, k.Person, k.Email, string(k.Role), k.CreatedBy, seconds(k.Created), seconds(k.Expires))
	return err
}

func (t accountTx) DeleteToken(hash secret.Hash) error {
	return t.change("DELETE FROM token WHERE hash = ?", hash[:])
}

func (t accountTx) DeleteTokensOfKind(kind account.Kind) error {
	_, err := t.exec("DELETE FROM token WHERE kind = ?", string(kind))
	return err
}

func (t accountTx) DeleteTokensOfPerson(kind account.Kind, person string) error {
	_, err := t.exec("DELETE FROM token WHERE kind = ? AND person = ?", string(kind), person)
	return err
}

func (t accountTx) DeleteMadeTokensOfPerson(kind account.Kind, person string) error {
	_, err := t.exec("DELETE FROM token WHERE kind = ? AND person = ? AND created_by <> ''", string(kind), person)
	return err
}

func (t accountTx) DeleteTokensBy(kind account.Kind, maker string) error {
	_, err := t.exec("DELETE FROM token WHERE kind = ? AND created_by = ?", string(kind), maker)
	return err
}

func (t accountTx) DeleteTokensIn(org string, kind account.Kind, maker string) error {
	_, err := t.exec("DELETE FROM token WHERE org = ? AND kind = ? AND created_by = ?", org, string(kind), maker)
	return err
}

func (t accountTx) Invitations(org string) ([]account.Token, error) {
	return t.tokens("WHERE org = ? AND kind = 'invite' ORDER BY created_at DESC, id", org)
}

func (t accountTx) DeleteInvitation(org, id string) error {
	return t.change("DELETE FROM token WHERE org = ? AND kind = 'invite' AND id = ?", org, id)
}

func (t accountTx) DeleteExpired(now time.Time) error {
	if _, err := t.exec("DELETE FROM session WHERE expires_at <= ?", seconds(now)); err != nil {
		return err
	}
	_, err := t.exec("DELETE FROM token WHERE expires_at <= ?", seconds(now))
	return err
}
