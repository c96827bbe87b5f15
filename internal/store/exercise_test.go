package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/store/pgtest"
	"github.com/modelverifier/verifier/internal/store/sqlitetest"
)

// part is one thing that every database must do. A file of tests adds its own with exercise.
type part struct {
	name string
	run  func(t *testing.T, s *Store)
}

var parts []part

// exercise adds a part to the suite that certifies a database.
func exercise(name string, run func(t *testing.T, s *Store)) bool {
	parts = append(parts, part{name, run})
	return true
}

// Exercise certifies a database: open returns an empty store with the present schema.
func Exercise(t *testing.T, open func(t *testing.T) *Store) {
	t.Helper()
	if len(parts) == 0 {
		t.Fatal("there is nothing to exercise")
	}
	for _, p := range parts {
		t.Run(p.name, func(t *testing.T) { p.run(t, open(t)) })
	}
}

func TestSQLiteDoesWhatAStoreMust(t *testing.T) {
	Exercise(t, func(t *testing.T) *Store { return open(t, sqlitetest.Prepared(t, migrated)) })
}

// TestPostgresDoesWhatAStoreMust also looks at the statements that ran: all of them, in PostgreSQL's spelling, are remembered.
func TestPostgresDoesWhatAStoreMust(t *testing.T) {
	run := func() []string {
		Exercise(t, func(t *testing.T) *Store { return open(t, pgtest.Prepared(t, migrated)) })
		return statements()
	}
	rebound.Clear() // of what other tests ran
	first := run()
	if again := run(); len(again) != len(first) {
		for _, q := range again {
			if !slices.Contains(first, q) {
				t.Errorf("a statement differs from run to run, so a value is in it: %s", q)
			}
		}
	}
	if len(first) < 30 {
		t.Fatalf("only %d statements ran", len(first))
	}
	literal := regexp.MustCompile(`'[^']*'`)
	for _, q := range first {
		for _, l := range literal.FindAllString(q, -1) {
			if l != "''" && l != "'invite'" {
				t.Errorf("%s is a value that is no parameter: %s", l, q)
			}
		}
		if reason := confined(q); reason != "" {
			t.Errorf("%s: %s", reason, q)
		}
	}
	t.Run("no statement reads all of what grows", func(t *testing.T) { lookAtPlans(t, first) })
}

// statements are those that have run on PostgreSQL since rebound was cleared.
func statements() []string {
	var all []string
	rebound.Range(func(q, _ any) bool { all = append(all, strings.Join(strings.Fields(q.(string)), " ")); return true })
	slices.Sort(all)
	return all
}

// unconfined are the statements on what organisations own that do not name one, each with the reason.
var unconfined = map[string]string{
	"FROM api_key WHERE hash = ?": "a key says which organisation calls",
	"FROM membership m JOIN organisation o ON o.id = m.org WHERE m.person = ?":           "the organisations of one person",
	"FROM token WHERE kind = ? AND hash = ?":                                             "whoever has a link was given it",
	"DELETE FROM token WHERE hash = ?":                                                   "the same",
	"DELETE FROM token WHERE kind = ?":                                                   "operators' links belong to no organisation",
	"DELETE FROM token WHERE kind = ? AND person = ?":                                    "links of one person",
	"DELETE FROM token WHERE kind = ? AND created_by = ?":                                "links that one person made",
	"DELETE FROM token WHERE expires_at <= ?":                                            "what nobody can use any more",
	"SELECT org, created_at, expires_at, request, removal FROM shared_plan WHERE id = ?": "a shared plan is for whoever has its address; removing it names its owner",
	"FROM job WHERE id = ?":                                                              "a worker was given it; a later step names it. Callers are read with their organisation",
	"FROM job WHERE (status = ? OR status = ?) AND id > ?":                               "what must be done again for all",
	"FROM job WHERE status = ? AND gpu = ? AND dataset = ?":                              "workers take jobs of all organisations",
	"FROM job WHERE lease_worker = ? AND status = ?":                                     "the cards of one worker",
	"FROM shared_plan WHERE expires_at > 0 AND expires_at <= ?":                          "what nobody can see any more",
}

// confined says what is wrong with a statement that reads or changes what belongs to organisations.
func confined(q string) string {
	owned := func(t table) bool {
		return slices.ContainsFunc(t.columns, func(c column) bool { return c.name == "org" })
	}
	for _, t := range tables {
		if !owned(t) || !regexp.MustCompile(`\b(FROM|UPDATE|JOIN) `+t.name+`\b`).MatchString(q) || strings.Contains(q, "org = ?") || strings.Contains(q, "org = ''") {
			continue
		}
		if strings.HasPrefix(q, "SELECT "+t.names()+" FROM "+t.name) && !strings.Contains(q, "WHERE") || strings.HasPrefix(q, "SELECT COUNT(*) FROM (SELECT 1 AS one") {
			continue // backup and restore
		}
		excused := false
		for part := range unconfined {
			excused = excused || strings.Contains(q, part)
		}
		if !excused {
			return fmt.Sprintf("names no organisation, and %s belongs to one", t.name)
		}
	}
	return ""
}

// TestTheListOfTablesIsTheSchema compares what backups know with what the databases have.
func TestTheListOfTablesIsTheSchema(t *testing.T) {
	both(t, func(t *testing.T, s *Store) {
		query := `SELECT m.name, p.name, p.type, p."notnull" FROM sqlite_master m JOIN pragma_table_info(m.name) p
			WHERE m.type = 'table' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'river%' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, p.cid`
		if s.kind == postgres {
			query = `SELECT table_name, column_name, data_type, CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END FROM information_schema.columns
				WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%' AND table_name NOT LIKE 'river%' ORDER BY table_name, ordinal_position`
		}
		holds := map[string]string{"text": asText, "bigint": asInteger, "double precision": asReal, "bytea": asBytes}
		var schema, known []string
		err := s.reading(t.Context()).each(func(scan func(...any) error) error {
			var table, column, kind string
			var notNull int
			err := scan(&table, &column, &kind, &notNull)
			null := ""
			if notNull == 0 && !(s.kind == sqlite && (column == "id" || column == "hash")) { // SQLite lets primary keys be null unless told
				null = "?"
			}
			schema = append(schema, table+"."+column+" "+holds[strings.ToLower(kind)]+null)
			return err
		}, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			for _, c := range table.columns {
				known = append(known, table.name+"."+c.String())
			}
		}
		slices.Sort(schema)
		slices.Sort(known)
		if !slices.Equal(schema, known) {
			t.Errorf("the schema has\n%s\nthe list\n%s", strings.Join(schema, "\n"), strings.Join(known, "\n"))
		}
	})
}
