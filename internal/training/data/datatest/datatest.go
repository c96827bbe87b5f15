// Package datatest finds the real datasets that tools/data.sh brought, for tests.
package datatest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelverifier/verifier/internal/training"
	"github.com/modelverifier/verifier/internal/training/data"
)

// Folder returns a folder that holds datasets, or skips. tools/data.sh fetches them for make test.
func Folder(t testing.TB, names ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, gone := os.Stat(filepath.Join(dir, "go.mod")); gone == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "tools", "data")
	for _, name := range names {
		if _, err := data.Verify(t.Context(), training.Find(name), folder); err != nil {
			if os.Getenv("CI") != "" { // what guards main does not skip
				t.Fatalf("make test fetches %s: %v", name, err)
			}
			t.Skipf("make test fetches %s where that is allowed: %v", name, err)
		}
	}
	return folder
}
