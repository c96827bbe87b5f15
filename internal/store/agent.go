package store

import (
	"database/sql"
	"errors"
	"time"
)

var _ = register("agent_use", "org text", "day integer", "used integer")

// Messages is how many agent messages an organisation had on a day. Only the last day with one is kept.
func (t jobTx) Messages(org string, day time.Time) (int64, error) {
	var used int64
	err := t.one("SELECT used FROM agent_use WHERE org = ? AND day = ?", []any{org, micros(day)}, &used)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return used, err
}

// PutMessages notes how many there were.
func (t jobTx) PutMessages(org string, day time.Time, used int64) error {
	_, err := t.exec("INSERT INTO agent_use (org, day, used) VALUES (?, ?, ?) ON CONFLICT (org) DO UPDATE SET day = excluded.day, used = excluded.used",
		org, micros(day), used)
	return err
}
