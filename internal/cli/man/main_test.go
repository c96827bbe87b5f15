package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/cli"
)

func TestEveryCommandHasAPage(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	dir := filepath.Join(t.TempDir(), "man1")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range cli.Root().Commands() {
		if !c.IsAvailableCommand() { // help is the one, of which manuals have no page
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, "verifier-"+c.Name()+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		title := `.TH "VERIFIER-` + strings.ToUpper(c.Name()) + `" "1" "Jan 1970"`
		if !strings.Contains(string(page), title) || !strings.Contains(string(page), c.Short) {
			t.Errorf("the page of %s has no %s, or not what it does:\n%.300s", c.Name(), title, page)
		}
	}
}
