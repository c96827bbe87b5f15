package store

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// table is what a backup needs to know of a table.
type table struct {
	name    string
	columns []column
}

// column is a name and what JSON has to know of its values.
type column struct{ name, holds string }

// What a column holds: TEXT, BIGINT, DOUBLE PRECISION and BYTEA in the schema. A number that may be null has a question mark.
const (
	asText    = "text"
	asInteger = "integer"
	asReal    = "real"
	asBytes   = "bytes"

	maybeInteger = asInteger + "?"
	maybeReal    = asReal + "?"
)

// tables are those of the schema, in an order in which they can be filled: what is referred to comes first. A file that reads
// and writes a table registers it; a test compares the list with the schema.
var tables []table

// register adds a table. Columns are given as "name holds".
func register(name string, columns ...string) bool {
	tables = append(tables, table{name, parseColumns(columns)})
	return true
}

func parseColumns(words []string) []column {
	var all []column
	for _, w := range words {
		name, holds, _ := strings.Cut(w, " ")
		all = append(all, column{name, holds})
	}
	return all
}

func (c column) String() string { return c.name + " " + c.holds }

// names are the columns of a table, as a statement lists them.
func (t table) names() string {
	all := make([]string, len(t.columns))
	for i, c := range t.columns {
		all[i] = c.name
	}
	return strings.Join(all, ", ")
}

// word is a name that needs no quotes in either database.
var word = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// valid says what is wrong with a table that comes from an archive: its names go into statements.
func (t table) valid() error {
	if !word.MatchString(t.name) {
		return fmt.Errorf("%q is no name of a table", t.name)
	}
	for _, c := range t.columns {
		if !word.MatchString(c.name) || !slices.Contains([]string{asText, asInteger, asReal, asBytes, maybeInteger, maybeReal}, c.holds) {
			return fmt.Errorf("table %s: %q is no column", t.name, c)
		}
	}
	if len(t.columns) == 0 {
		return fmt.Errorf("table %s has no columns", t.name)
	}
	return nil
}
