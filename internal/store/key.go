package store

import (
	"time"

	"github.com/modelverifier/verifier/internal/account"
)

// scanKey reads a row of keyColumns.
func scanKey(scan func(...any) error) (account.Key, error) {
	var k account.Key
	var hash []byte
	var created, used, revoked int64
	err := scan(&k.ID, &k.Org, &k.Name, &hash, &k.Prefix, &k.CreatedBy, &created, &used, &revoked)
	if err == nil {
		k.Hash, err = digest(hash)
	}
	k.CreatedAt, k.LastUsed, k.RevokedAt = moment(created), moment(used), moment(revoked)
	return k, err
}

// readKey reads the only key that a query finds.
func readKey(a at, query string, args ...any) (k account.Key, err error) {
	found := false
	err = a.each(func(scan func(...any) error) (err error) { found = true; k, err = scanKey(scan); return err }, query, args...)
	if err == nil && !found {
		err = account.ErrNotFound
	}
	return k, err
}

func (t accountTx) Keys(org string) ([]account.Key, error) {
	var all []account.Key
	err := t.each(func(scan func(...any) error) error {
		k, err := scanKey(scan)
		all = append(all, k)
		return err
	}, keyColumns+"WHERE org = ? ORDER BY created_at DESC, id", org)
	return all, err
}

func (t accountTx) KeyByID(org, id string) (account.Key, error) {
	return readKey(t.at, keyColumns+"WHERE org = ? AND id = ?", org, id)
}

func (t accountTx) PutKey(k account.Key) error {
	return t.change(`INSERT INTO api_key (id, org, name, hash, prefix, created_by, created_at, last_used, revoked_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, revoked_at = excluded.revoked_at WHERE api_key.org = excluded.org`,
		k.ID, k.Org, k.Name, k.Hash[:], k.Prefix, k.CreatedBy, seconds(k.CreatedAt), seconds(k.LastUsed), seconds(k.RevokedAt))
}

// Events are kept with microseconds, so that what one second holds stays in order.

func (t accountTx) PutEvent(e account.Event) error {
	_, err := t.exec("INSERT INTO event (id, at, org, person, action, target) VALUES (?, ?, ?, ?, ?, ?)",
		e.ID, e.At.UnixMicro(), e.Org, e.Person, e.Action, e.Target)
	return err
}

func (t accountTx) Events(org, after string, most int) ([]account.Event, error) {
	return t.events("org = ?", org, after, most)
}

func (t accountTx) EventsOfPerson(person, after string, most int) ([]account.Event, error) {
	return t.events("org = '' AND person = ?", person, after, most)
}

// events lists what the condition selects; its one parameter is whose events they are.
func (t accountTx) events(where, whose, after string, most int) ([]account.Event, error) {
	query, args := "SELECT id, at, org, person, action, target FROM event WHERE "+where, []any{whose}
	if after != "" {
		query += " AND (at, id) < (SELECT at, id FROM event WHERE " + where + " AND id = ?)"
		args = append(args, whose, after)
	}
	var all []account.Event
	err := t.each(func(scan func(...any) error) error {
		var e account.Event
		var micros int64
		err := scan(&e.ID, &micros, &e.Org, &e.Person, &e.Action, &e.Target)
		e.At = time.UnixMicro(micros).UTC()
		all = append(all, e)
		return err
	}, query+" ORDER BY at DESC, id DESC LIMIT ?", append(args, most)...)
	return all, err
}
