// Package datatest finds what tests train with: the real datasets that tools/data.sh brought.
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
			without(t, "fetches "+name, err)
		}
	}
	return folder
}

// without skips a test that lacks what make test brings. What guards main does not skip.
func without(t testing.TB, what string, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("make test %s: %v", what, err)
	}
	t.Skipf("make test %s where that is allowed: %v", what, err)
}
