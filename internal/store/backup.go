package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

// An archive is JSON lines, the same for both databases: a head, then for each table a line with its columns and a line for
// each row, and an end with the number of rows and the SHA-256 of all lines before it. An archive without its end, or with
// another digest, is not restored.

// archiveFormat names the format and its version.
const archiveFormat = "verifier-backup-1"

type archiveHead struct {
	Format string    `json:"format"`
	Schema int64     `json:"schema"` // of the database it was taken from
	At     time.Time `json:"at"`
}

type archiveTable struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"` // "name holds"
}

type archiveEnd struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// archiveLine is any line; one of its members is set.
type archiveLine struct {
	Head *archiveHead      `json:"head,omitempty"`
	Open *archiveTable     `json:"open,omitempty"`
	Row  []json.RawMessage `json:"row,omitempty"`
	End  *archiveEnd       `json:"end,omitempty"`
}

// archiveWriter writes lines and digests them.
type archiveWriter struct {
	to   *bufio.Writer
	sum  hash.Hash
	rows int64
}

func (w *archiveWriter) line(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	w.sum.Write(b)
	_, err = w.to.Write(b)
	return err
}

// Backup writes one state of the whole database, while others go on reading and writing. It returns the number of rows.
func (s *Store) Backup(ctx context.Context, to io.Writer, now time.Time) (int64, error) {
	is, needs, err := s.Schema(ctx)
	if err != nil {
		return 0, fmt.Errorf("store: backup: %w", err)
	}
	if is != needs {
		return 0, fmt.Errorf("store: backup: the schema has version %d, this program needs %d: migrate first", is, needs)
	}
	w := &archiveWriter{to: bufio.NewWriterSize(to, 1<<16), sum: sha256.New()}
	err = s.state(ctx, s.long(s.read), func(a at) error {
		if err := w.line(archiveLine{Head: &archiveHead{archiveFormat, is, now.UTC().Truncate(time.Second)}}); err != nil {
			return err
		}
		for _, t := range tables {
			if err := w.table(a, t); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		return w.line(archiveLine{End: &archiveEnd{w.rows, hex.EncodeToString(w.sum.Sum(nil))}})
	})
	if err == nil {
		err = w.to.Flush()
	}
	if err != nil {
		return 0, fmt.Errorf("store: backup: %w", classify(err))
	}
	return w.rows, nil
}

func (w *archiveWriter) table(a at, t table) error {
	open := &archiveTable{Table: t.name}
	for _, c := range t.columns {
		open.Columns = append(open.Columns, c.String())
	}
	if err := w.line(archiveLine{Open: open}); err != nil {
		return err
	}
	row := t.blank()
	return a.each(func(scan func(...any) error) error {
		if err := scan(row...); err != nil {
			return err
		}
		w.rows++
		return w.line(struct {
			Row []any `json:"row"`
		}{row})
	}, "SELECT "+t.names()+" FROM "+t.name)
}

// blank returns places for the values of one row: JSON writes and reads what they hold, bytes as base64.
func (t table) blank() []any {
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch c.holds {
		case asInteger:
			row[i] = new(int64)
		case asReal:
			row[i] = new(float64)
		case maybeInteger:
			row[i] = new(*int64)
		case maybeReal:
			row[i] = new(*float64)
		case asBytes:
			row[i] = new([]byte)
		default:
			row[i] = new(string)
		}
	}
	return row
}

// insert is the statement that adds a row.
func (t table) insert() string {
	return "INSERT INTO " + t.name + " (" + t.names() + ") VALUES (" + strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ") + ")"
}
