package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/account"
	"github.com/modelverifier/verifier/internal/ledger"
	"github.com/modelverifier/verifier/internal/secret"
	"github.com/modelverifier/verifier/internal/store/pgtest"
)

// filler fills tables with rows that a backup must bring back. A file of tests adds its own with fills.
var fillers []func(t *testing.T, s *Store)

func fills(f func(t *testing.T, s *Store)) bool { fillers = append(fillers, f); return true }

var _ = fills(func(t *testing.T, s *Store) {
	do(t, s, func(tx account.Tx) {
		for i := range 3 {
			n := fmt.Sprint(i)
			ok(t, tx.PutOrganisation(account.Organisation{ID: "o" + n, Name: "Lab \" \\ \u2028 < 👩‍🔬", CreatedAt: day}))
			ok(t, tx.PutPerson(account.Person{ID: "p" + n, Email: n + "@example.com", Name: "Ada", Password: "$argon2id$", CreatedAt: day}))
			ok(t, tx.PutMembership(account.Membership{Org: "o" + n, Person: "p" + n, Role: account.Owner, CreatedAt: day}))
			ok(t, tx.PutSession(account.Session{Hash: secret.Of("s" + n), Person: "p" + n, Created: day, Seen: day, Expires: day}))
			ok(t, tx.PutToken(account.Token{ID: "t" + n, Hash: secret.Of("t" + n), Kind: account.Invite, Org: "o" + n, Created: day, Expires: day}))
			ok(t, tx.PutKey(account.Key{ID: "k" + n, Org: "o" + n, Name: "ci", Hash: secret.Of("k" + n), CreatedAt: day}))
			ok(t, tx.PutEvent(account.Event{ID: "e" + n, At: time.UnixMicro(1<<53 + 1), Org: "o" + n, Action: "a"}))
		}
	})
})

// filled fills every table and makes sure that none was forgotten.
func filled(t *testing.T, s *Store) {
	t.Helper()
	for _, f := range fillers {
		f(t, s)
	}
	for _, table := range tables {
		if err := empty(s.reading(t.Context()), table.name); err == nil {
			t.Errorf("table %s is empty: nothing shows that it is kept", table.name)
		}
	}
}

// archive backs a store up.
func archive(t *testing.T, s *Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Backup(t.Context(), &b, day); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content is an archive's lines without the end, in an order that does not depend on the database.
func content(archive []byte) []string {
	lines := strings.Split(strings.TrimSpace(string(archive)), "\n")
	lines = lines[:len(lines)-1]
	slices.Sort(lines)
	return lines
}

func bare(t *testing.T, kind string) *Store {
	t.Helper()
	address := "sqlite:" + filepath.Join(t.TempDir(), "data.db")
	if kind == "postgres" {
		address = pgtest.New(t)
	}
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestABackupOfEitherDatabaseIsRestoredIntoEither(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	for _, from := range []string{"sqlite", "postgres"} {
		for _, to := range []string{"sqlite", "postgres"} {
			t.Run(from+" to "+to, func(t *testing.T) {
				a, b := bare(t, from), bare(t, to)
				if err := a.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				filled(t, a)
				saved := archive(t, a)
				n, err := b.Restore(t.Context(), bytes.NewReader(saved))
				if err != nil || n < 21 {
					t.Fatalf("%d rows, %v", n, err)
				}
				if got, want := content(archive(t, b)), content(saved); !slices.Equal(got, want) {
					t.Errorf("restored\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				if is, needs, err := b.Schema(t.Context()); err != nil || is != needs {
					t.Errorf("schema %d of %d, %v", is, needs, err)
				}
				if _, err := b.Restore(t.Context(), bytes.NewReader(saved)); err == nil || !strings.Contains(err.Error(), "not empty") {
					t.Errorf("restored over rows: %v", err)
				}
			})
		}
	}
}

// TestABackupIsOneStateWhileOthersWrite lets a writer add an organisation and an event together, and wants as many of each.
func TestABackupIsOneStateWhileOthersWrite(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		var written atomic.Int64
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for ; ; written.Add(1) {
				select {
				case <-stop:
					return
				default:
				}
				err := s.Accounts().Write(t.Context(), func(tx account.Tx) error {
					id := secret.ID()
					return errors.Join(tx.PutOrganisation(account.Organisation{ID: id, Name: "x"}), tx.PutEvent(account.Event{ID: id, Org: id, At: day}))
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
		backups, events := 0, 0
		for events < 30 {
			a := archive(t, s)
			if events = rowsOf(a, "event"); events != rowsOf(a, "organisation") {
				t.Errorf("%d organisations, %d events", rowsOf(a, "organisation"), events)
			}
			backups++
		}
		close(stop)
		<-done
		t.Logf("%d transactions beside %d backups; the last holds %d", written.Load(), backups, events)
	})
}

func rowsOf(archive []byte, table string) int {
	n, in := 0, false
	for l := range strings.Lines(string(archive)) {
		if strings.HasPrefix(l, `{"open"`) {
			in = strings.Contains(l, `"`+table+`"`)
		} else if in && strings.HasPrefix(l, `{"row"`) {
			n++
		}
	}
	return n
}

// signed makes an archive of lines with the right end.
func signed(lines ...string) string {
	body := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(body))
	return body + fmt.Sprintf(`{"end":{"rows":%d,"sha256":"%s"}}`, strings.Count(body, `{"row"`), hex.EncodeToString(sum[:])) + "\n"
}

const head1 = `{"head":{"format":"verifier-backup-1","schema":1,"at":"2026-01-02T03:04:05Z"}}`

func TestAnArchiveOfAnOlderSchemaIsMigrated(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		s := bare(t, kind)
		old := signed(head1, `{"open":{"table":"organisation","columns":["id text","name text","created_at integer"]}}`, `{"row":["o1","Lab",5]}`)
		if n, err := s.Restore(t.Context(), strings.NewReader(old)); err != nil || n != 1 {
			t.Fatalf("%d rows, %v", n, err)
		}
		if is, needs, err := s.Schema(t.Context()); err != nil || is != needs {
			t.Errorf("schema %d of %d, %v", is, needs, err)
		}
		do(t, s, func(tx account.Tx) {
			gets(t, account.Organisation{ID: "o1", Name: "Lab", CreatedAt: time.Unix(5, 0).UTC()}, nil)(tx.Organisation("o1"))
		})
	}
}

// TestFiguresThatWereKeptAsZeroBecomeUnknown restores rows of before schema 8, in which what was left out was zero.
func TestFiguresThatWereKeptAsZeroBecomeUnknown(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		s := bare(t, kind)
		old := signed(strings.Replace(head1, `"schema":1`, `"schema":2`, 1),
			`{"open":{"table":"organisation","columns":["id text","name text","created_at integer"]}}`, `{"row":["o1","Lab",5]}`,
			`{"open":{"table":"outcome","columns":["org text","fingerprint text","digest bytes","at integer","metric text","value real","epochs integer","wall_sec real","cost_usd real","source text"]}}`,
			`{"row":["o1","0000000a","AQ==",9,"m",0,0,0,0,"api"]}`, `{"row":["o1","0000000a","Ag==",8,"m",0,3,1.5,0.25,"api"]}`)
		if _, err := s.Restore(t.Context(), strings.NewReader(old)); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Outcomes().List(t.Context(), "o1", "0000000a", 20)
		want := []ledger.Row{{At: time.Unix(9, 0).UTC(), Metric: "m", Source: "api"},
			{At: time.Unix(8, 0).UTC(), Metric: "m", Epochs: new(int64(3)), WallSec: new(1.5), EstCostUSD: new(0.25), Source: "api"}}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Errorf("%s: %+v, %v", kind, rows, err)
		}
	}
}

func TestADamagedArchiveIsRefusedWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("has one goroutine, and takes seconds")
	}
	org := `{"open":{"table":"organisation","columns":["id text","name text","created_at integer"]}}`
	whole := signed(head1, org, `{"row":["o1","Lab",5]}`, `{"row":["o2","Lab",5]}`)
	cases := map[string]string{
		"empty":              "",
		"no archive":         "hello\n",
		"another format":     signed(`{"head":{"format":"verifier-backup-9","schema":1,"at":"2026-01-02T03:04:05Z"}}`),
		"a newer schema":     signed(strings.Replace(head1, `"schema":1`, `"schema":999`, 1)),
		"cut":                whole[:len(whole)/2],
		"without its end":    whole[:strings.LastIndex(whole, `{"end"`)],
		"a changed value":    strings.Replace(whole, `"Lab",5`, `"Lab",6`, 1),
		"a row gone":         strings.Replace(whole, `{"row":["o2","Lab",5]}`+"\n", "", 1),
		"more behind":        whole + "{}\n",
		"a statement":        signed(head1, `{"open":{"table":"organisation; DROP TABLE person","columns":["id text"]}}`),
		"a column statement": signed(head1, `{"open":{"table":"organisation","columns":["id) VALUES ('x'); -- text"]}}`),
		"no table":           signed(head1, `{"row":["o1","Lab",5]}`),
		"unknown table":      signed(head1, `{"open":{"table":"nowhere","columns":["id text"]}}`, `{"row":["x"]}`),
		"too few values":     signed(head1, org, `{"row":["o1"]}`),
		"a wrong type":       signed(head1, org, `{"row":["o1","Lab","five"]}`),
		"a long line":        head1 + "\n" + strings.Repeat("x", 17<<20),
	}
	for _, kind := range []string{"sqlite", "postgres"} {
		s := bare(t, kind)
		for name, a := range cases {
			if _, err := s.Restore(t.Context(), strings.NewReader(a)); err == nil {
				t.Errorf("%s, %s: restored", kind, name)
			} else if is, _, _ := s.Schema(t.Context()); is > 0 {
				if err := empty(s.reading(t.Context()), "organisation"); err != nil {
					t.Fatalf("%s, %s: rows are left", kind, name)
				}
			}
		}
		if _, err := s.Restore(t.Context(), strings.NewReader(whole)); err != nil {
			t.Errorf("%s: the whole one after the damaged ones: %v", kind, err)
		}
	}
}

// collected are rows that were read instead of being put into a database.
type collected struct {
	t    *testing.T
	rows int64
}

func (c *collected) begin(t table) error { return t.valid() }

func (c *collected) add(t table, values []any) error {
	if strings.Count(t.insert(), "?") != len(values) || t.valid() != nil {
		c.t.Errorf("%d values for %s", len(values), t.insert())
	}
	c.rows++
	return nil
}

// FuzzArchive reads anything as an archive. What goes into statements must be names, and what is taken must be as its end says.
func FuzzArchive(f *testing.F) {
	f.Add([]byte(signed(head1, `{"open":{"table":"organisation","columns":["id text","name text","created_at integer"]}}`, `{"row":["o1","Lab",5]}`)))
	f.Add([]byte(head1 + "\n{\"row\":[]}\n"))
	f.Add([]byte(head1 + "\n{\"open\":{\"table\":\"session\",\"columns\":[\"hash bytes\"]}}\n{\"row\":[null]}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		// Both as it is, and with a right end, so that what is behind the digest is reached.
		for _, a := range []string{string(b), signed(strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")...)} {
			r, _, err := openArchive(strings.NewReader(a))
			if err != nil {
				continue
			}
			c := &collected{t: t}
			if err := r.fill(c); err == nil && c.rows != r.rows {
				t.Errorf("%d rows of %d", c.rows, r.rows)
			}
		}
	})
}
