// Package sqlitetest makes SQLite databases for tests. Only tests import it.
package sqlitetest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var prepared struct {
	once sync.Once
	file []byte
}

// Prepared returns the address of a database that goes with the test, as prepare left the first one of the process: to make the tables of
// a service takes longer than most tests.
func Prepared(tb testing.TB, prepare func(address string) error) string {
	tb.Helper()
	prepared.once.Do(func() {
		file := filepath.Join(tb.TempDir(), "data.db")
		if err := prepare("sqlite:" + file); err != nil {
			tb.Fatal(err)
		}
		var err error
		if prepared.file, err = os.ReadFile(file); err != nil {
			tb.Fatal(err)
		}
	})
	if len(prepared.file) == 0 {
		tb.Fatal("sqlitetest: no database could be prepared")
	}
	file := filepath.Join(tb.TempDir(), "data.db")
	if err := os.WriteFile(file, prepared.file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + file
}
