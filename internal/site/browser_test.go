package site

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/nodetest"
)

// samples are how many rules, types and architectures the browser opens, spread over the alphabet; SITE_PAGES=all opens every page.
// The tests that need no browser read them all.
const samples = 6

// opened are the pages for the browser: those of which there is one, every note, and samples of the others.
func opened(s *Site) []string {
	var out []string
	kinds := map[string][]string{}
	for _, path := range s.paths {
		folder := path[:strings.LastIndex(path, "/")+1]
		switch {
		case s.files[path].mime != typeHTML:
		case folder == "/r/" || folder == "/t/" || folder == "/a/":
			kinds[folder] = append(kinds[folder], path)
		default:
			out = append(out, path)
		}
	}
	for _, folder := range []string{"/a/", "/r/", "/t/"} {
		pages, n := kinds[folder], samples
		if os.Getenv("SITE_PAGES") == "all" {
			n = len(pages)
		}
		for i := range n {
			out = append(out, pages[i*len(pages)/n])
		}
	}
	return out
}

// TestPagesInABrowser opens pages in chromium, with our policy, on a narrow screen, light and dark: they load without a word in the
// console, are not repaired by the parser, can be read with little contrast and be used from the keyboard.
func TestPagesInABrowser(t *testing.T) {
	node, chromium := nodetest.Browser(t)
	s := newSite(t)
	server := httptest.NewServer(s)
	defer server.Close()
	args := append([]string{"browser.mjs", chromium, server.URL}, opened(s)...)
	var out, errs bytes.Buffer
	cmd := exec.Command(node, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	var faults []string
	if err := json.Unmarshal(out.Bytes(), &faults); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, f := range faults {
		t.Error(f)
	}
	t.Logf("%d pages", len(args)-3)
}
