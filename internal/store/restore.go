package store

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"reflect"
)

// archiveLineMost is the longest line that is read: a shared plan of 8 MiB in base64, with room.
const archiveLineMost = 16 << 20

// errArchive is what every fault of an archive is.
var errArchive = errors.New("the archive is damaged")

// archiveReader reads lines and digests all but the last.
type archiveReader struct {
	from *bufio.Scanner
	sum  hash.Hash
	at   int
	rows int64
}

// next reads a line. What was digested before it is what an end must name.
func (r *archiveReader) next() (archiveLine, string, error) {
	var l archiveLine
	r.at++
	if !r.from.Scan() {
		err := r.from.Err()
		if err == nil {
			err = errors.New("it ends before its last line")
		}
		return l, "", r.wrong(err)
	}
	before := hex.EncodeToString(r.sum.Sum(nil))
	r.sum.Write(r.from.Bytes())
	r.sum.Write([]byte{'\n'})
	d := json.NewDecoder(bytes.NewReader(r.from.Bytes()))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, "", r.wrong(err)
	}
	return l, before, nil
}

func (r *archiveReader) wrong(err error) error {
	return fmt.Errorf("%w: line %d: %w", errArchive, r.at, err)
}

// openArchive reads the head of an archive and returns the schema that it was taken from.
func openArchive(from io.Reader) (*archiveReader, int64, error) {
	r := &archiveReader{from: bufio.NewScanner(from), sum: sha256.New()}
	r.from.Buffer(make([]byte, 1<<16), archiveLineMost)
	l, _, err := r.next()
	if err != nil {
		return nil, 0, err
	}
	if l.Head == nil || l.Head.Format != archiveFormat {
		return nil, 0, r.wrong(fmt.Errorf("does not say %s", archiveFormat))
	}
	return r, l.Head.Schema, nil
}

// Restore fills an empty database from an archive of either kind, whole or not at all, and brings its schema up to date. It
// returns the number of rows. An archive of an older schema is put into that schema first and then migrated.
func (s *Store) Restore(ctx context.Context, from io.Reader) (int64, error) {
	r, schema, err := openArchive(from)
	if err == nil {
		err = s.prepare(ctx, schema)
	}
	if err == nil {
		// An archive can be read once, so that this is not tried again: nobody else writes to a database that is being restored.
		err = s.once(ctx, s.long(s.write), &sql.TxOptions{Isolation: s.isolation(sql.LevelSerializable)}, func(a at) error { return r.fill(intoTables{a}) })
	}
	if err == nil {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("store: restore: %w", err)
	}
	return r.rows, nil
}

// prepare makes the schema that an archive was taken from, and refuses a database that holds anything.
func (s *Store) prepare(ctx context.Context, schema int64) error {
	is, needs, err := s.Schema(ctx)
	switch {
	case err != nil:
		return err
	case schema < 1 || schema > needs:
		return fmt.Errorf("the archive has schema %d, this program knows those up to %d", schema, needs)
	case is > schema:
		return fmt.Errorf("the database has schema %d already, the archive %d: restore into a new database", is, schema)
	}
	p, err := s.provider()
	if err != nil {
		return err
	}
	return s.migrateTo(ctx, p, schema)
}

// intoTables puts what is read into the database.
type intoTables struct{ at }

// begin refuses a table that holds anything.
func (to intoTables) begin(t table) error { return empty(to.at, t.name) }

func (to intoTables) add(t table, values []any) error {
	_, err := to.exec(t.insert(), values...)
	return err
}

// fill reads all tables and their rows, up to the end.
func (r *archiveReader) fill(to interface {
	begin(t table) error
	add(t table, values []any) error
}) error {
	if r.at != 1 {
		return fmt.Errorf("%w: it was being restored when the database cut the connection", ErrUnavailable) // it cannot be read twice
	}
	var t table
	for {
		l, digest, err := r.next()
		switch {
		case err != nil:
			return err
		case l.Open != nil:
			t = table{l.Open.Table, parseColumns(l.Open.Columns)}
			if err := t.valid(); err != nil {
				return r.wrong(err)
			}
			if err := to.begin(t); err != nil {
				return err
			}
		case l.Row != nil && t.name != "":
			values, err := r.row(t, l.Row)
			if err != nil {
				return err
			}
			if err := to.add(t, values); err != nil {
				return fmt.Errorf("line %d: %w", r.at, err)
			}
			r.rows++
		case l.End != nil:
			return r.end(*l.End, digest)
		default:
			return r.wrong(errors.New("a table, a row or the end is expected"))
		}
	}
}

func empty(a at, name string) error {
	n := 0
	if err := a.one("SELECT COUNT(*) FROM (SELECT 1 AS one FROM "+name+" LIMIT 1) AS t", nil, &n); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("table %s is not empty: restore into a new database", name)
	}
	return nil
}

// row reads the values of a table's row.
func (r *archiveReader) row(t table, values []json.RawMessage) ([]any, error) {
	if len(values) != len(t.columns) {
		return nil, r.wrong(fmt.Errorf("%d values for the %d columns of %s", len(values), len(t.columns), t.name))
	}
	row := t.blank()
	for i, v := range values {
		if err := json.Unmarshal(v, row[i]); err != nil {
			return nil, r.wrong(fmt.Errorf("%s.%s: %w", t.name, t.columns[i].name, err))
		}
		row[i] = reflect.ValueOf(row[i]).Elem().Interface()
	}
	return row, nil
}

// end compares what was read with what was written, and takes nothing behind it.
func (r *archiveReader) end(e archiveEnd, digest string) error {
	if e.Rows != r.rows || e.SHA256 != digest {
		return r.wrong(fmt.Errorf("%d rows with digest %.8s were written, %d with digest %.8s are here", e.Rows, e.SHA256, r.rows, digest))
	}
	if r.from.Scan() {
		r.at++
		return r.wrong(errors.New("something follows the end"))
	}
	return r.from.Err()
}
