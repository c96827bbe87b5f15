// Package fencetest lays out folders for tests of what is read beneath a root.
package fencetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lay writes files into a folder of the test's own, and links where the text begins with an arrow.
func Lay(t testing.TB, files map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range files {
		full := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(text, "-> "); link {
			if err := os.Symlink(to, full); err != nil {
				t.Skipf("skipped: links cannot be made here: %v", err)
			}
		} else if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return top
}
