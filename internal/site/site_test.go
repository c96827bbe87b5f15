package site

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/report"
	"github.com/modelverifier/verifier/internal/rules"
)

const base = "https://www.example.org"

// shared is one site for the tests that only read it: rendering everything takes longer than looking at it.
var shared = sync.OnceValues(fresh)

func fresh() (*Site, error) {
	return New(Config{BaseURL: base, Version: "v1.2.3", OpenAPI: []byte("{\"openapi\":\"3.1.0\"}\n"), Schema: []byte("{\"$id\":\"x\"}\n")})
}

func newSite(t testing.TB) *Site {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewRefusesWhatIsNoAddress(t *testing.T) {
	for _, bad := range []string{"", "example.org", "ftp://example.org", "https://", "https://example.org/app", "https://u:p@example.org", "https://example.org?x=1", "http://[::1"} {
		if _, err := New(Config{BaseURL: bad}); err == nil || !strings.Contains(err.Error(), "base address") {
			t.Errorf("%q gave %v", bad, err)
		}
	}
	s, err := New(Config{BaseURL: "http://[::1]:8080/"})
	if err != nil || s.url("/a") != "http://[::1]:8080/a" {
		t.Errorf("%v, %v", s, err)
	}
}

func TestTheSameBytesWhateverIsAskedFirst(t *testing.T) {
	first := newSite(t)
	second, err := fresh()
	if err != nil {
		t.Fatal(err)
	}
	for i := len(second.paths) - 1; i >= 0; i-- {
		second.files[second.paths[i]].content()
	}
	n := 0
	for f := range first.Files() {
		n++
		if !bytes.Equal(f.Body, second.files[f.Path].content().body) {
			t.Errorf("%s differs", f.Path)
		}
	}
	if n != len(second.paths) {
		t.Errorf("%d files and %d", n, len(second.paths))
	}
}

// element is an element of a page with what the checks need of it.
type element struct {
	name  string
	attrs map[string]string
}

// elements reads a page strictly as XML, which all our pages are as well: every element closed, every attribute quoted.
func elements(t *testing.T, path string, body []byte) []element {
	t.Helper()
	var out []element
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			attrs := map[string]string{}
			for _, a := range e.Attr {
				if _, twice := attrs[a.Name.Local]; twice {
					t.Errorf("%s: <%s> has %s twice", path, e.Name.Local, a.Name.Local)
				}
				attrs[a.Name.Local] = a.Value
			}
			out = append(out, element{e.Name.Local, attrs})
		}
	}
}

func TestPagesAreSoundAndAccessible(t *testing.T) {
	for f := range newSite(t).Files() {
		if f.Type != typeHTML {
			continue
		}
		ids, count, level := map[string]bool{}, map[string]int{}, 0
		for _, e := range elements(t, f.Path, f.Body) {
			count[e.name]++
			if id, ok := e.attrs["id"]; ok && (id == "" || ids[id] || strings.ContainsAny(id, " \t")) {
				t.Errorf("%s: id %q is empty, has a space or is there twice", f.Path, id)
			}
			ids[e.attrs["id"]] = true
			if len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6' {
				if next := int(e.name[1] - '0'); next > level+1 {
					t.Errorf("%s: h%d follows h%d", f.Path, next, level)
				} else {
					level = next
				}
			}
			if _, ok := e.attrs["style"]; ok || e.name == "script" || e.name == "style" {
				t.Errorf("%s: <%s> has a style or a script inside, which the policy forbids", f.Path, e.name)
			}
			if e.name == "img" && (e.attrs["alt"] == "" || e.attrs["width"] == "" || e.attrs["height"] == "") {
				t.Errorf("%s: a picture without alternative text or size", f.Path)
			}
			if e.name == "th" && e.attrs["scope"] == "" {
				t.Errorf("%s: a heading of a table without scope", f.Path)
			}
			if e.attrs["role"] == "region" && e.attrs["aria-label"] == "" {
				t.Errorf("%s: a region without a name", f.Path)
			}
		}
		for _, one := range []string{"h1", "title", "main", "header", "footer"} {
			if count[one] != 1 {
				t.Errorf("%s has %d <%s>", f.Path, count[one], one)
			}
		}
	}
}

// elsewhere are the sites of others that pages link to: texts of licences, a specification, a tool, and our own source.
var elsewhere = []string{"https://creativecommons.org/", "https://spdx.org/licenses/", "https://in-toto.io", "https://pre-commit.com", repository + "/"}

// TestEveryLinkResolves follows every link from the home page, with its fragment, through the handler.
func TestEveryLinkResolves(t *testing.T) {
	s := newSite(t)
	server := httptest.NewServer(s)
	defer server.Close()
	type target struct{ path, fragment, from string }
	queue, seen, ids := []target{{"/", "", ""}, {notFound, "", ""}}, map[string]bool{}, map[string]map[string]bool{}
	var fragments []target
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if next.fragment != "" {
			fragments = append(fragments, next)
		}
		if seen[next.path] {
			continue
		}
		seen[next.path] = true
		res, err := http.Get(server.URL + next.path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s links to %s, which answers %d", next.from, next.path, res.StatusCode)
		}
		if res.Header.Get("Content-Type") != typeHTML {
			continue
		}
		ids[next.path] = map[string]bool{}
		for _, e := range elements(t, next.path, body) {
			ids[next.path][e.attrs["id"]] = true
			for _, link := range []string{e.attrs["href"], e.attrs["src"]} {
				link = strings.TrimPrefix(link, base)
				path, fragment, _ := strings.Cut(link, "#")
				switch {
				case strings.HasPrefix(path, "/"):
					queue = append(queue, target{path, fragment, next.path})
				case path == "" && fragment != "":
					queue = append(queue, target{next.path, fragment, next.path})
				case link != "" && !slices.ContainsFunc(elsewhere, func(site string) bool { return strings.HasPrefix(link, site) }):
					t.Errorf("%s links to %s", next.path, link)
				}
			}
		}
	}
	for _, f := range fragments {
		if !ids[f.path][f.fragment] {
			t.Errorf("%s links to %s#%s, which is not there", f.from, f.path, f.fragment)
		}
	}
	for f := range s.Files() {
		if !seen[f.Path] && f.Type == typeHTML && f.Path != notFound {
			t.Errorf("no page links to %s", f.Path)
		}
	}
}

// text is what a page says, without its marks.
func text(t *testing.T, s *Site, path string) string {
	t.Helper()
	if !s.Has(path) {
		t.Fatalf("%s is not published", path)
	}
	var b strings.Builder
	d := xml.NewDecoder(bytes.NewReader(s.files[path].content().body))
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		if c, ok := token.(xml.CharData); ok {
			b.Write(c)
		}
	}
}

// TestRulePagesShowWhatLintAnswers compares the pages with the action that callers reach.
func TestRulePagesShowWhatLintAnswers(t *testing.T) {
	s := newSite(t)
	for _, r := range rules.Rules() {
		page := text(t, s, rulePath(r.ID))
		fires, silent := 0, 0
		for _, example := range r.Examples {
			g, err := graph.Parse(strings.ReplaceAll(example, "// want", ""))
			if err != nil {
				t.Fatal(err)
			}
			found := false
			if r.Comparing { // rank alone asks it
				walked := g.Clone()
				walked.Normalize(catalog.Vocabulary)
				found = slices.ContainsFunc(rules.All(infer.Walk(walked)), func(f rules.Finding) bool { return f.Rule == r })
			}
			for _, f := range lint.Run(&lint.Request{Model: g}).Findings {
				if f.Rule != r.ID {
					continue
				}
				found = true
				if !strings.Contains(page, f.Message) || !strings.Contains(page, f.Fix) {
					t.Errorf("%s: the page does not show %q and %q", r.ID, f.Message, f.Fix)
				}
			}
			if found {
				fires++
			} else {
				silent++
			}
		}
		body := string(s.files[rulePath(r.ID)].content().body)
		if got := strings.Count(body, `class="example bad `); got != fires || got == 0 {
			t.Errorf("%s: %d examples are shown as found, lint finds %d", r.ID, got, fires)
		}
		if got := strings.Count(body, `class="example good"`); got != silent || got == 0 {
			t.Errorf("%s: %d examples are shown as passing, lint passes %d", r.ID, got, silent)
		}
		for _, part := range []string{r.Title, strings.ReplaceAll(r.Doc, "`", ""), strings.ReplaceAll(r.Source, "`", "")} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: the page does not say %q", r.ID, part)
			}
		}
	}
}

func TestTypePagesShowTheirExamples(t *testing.T) {
	s := newSite(t)
	listed := text(t, s, "/types.html")
	for _, typ := range catalog.Types() {
		page := text(t, s, typePath(typ.ID))
		if !strings.Contains(listed, typ.ID) {
			t.Errorf("%s is not in the list", typ.ID)
		}
		for _, e := range typ.Examples {
			shown := e.Out
			if e.Err != "" {
				shown = e.Err
			}
			if !strings.Contains(page, shown) || !strings.Contains(page, e.Args) || !strings.Contains(page, e.In) {
				t.Errorf("%s: the page does not show %s %s: %s", typ.ID, e.In, e.Args, shown)
			}
		}
		for i := range typ.Params {
			if !strings.Contains(page, typ.Params[i].Name) {
				t.Errorf("%s: the page does not have %s", typ.ID, typ.Params[i].Name)
			}
		}
		if strings.Contains(page, "{{") {
			t.Errorf("%s: the page shows a slot", typ.ID)
		}
	}
}

func TestHomeShowsWhatIsAnswered(t *testing.T) {
	page := text(t, newSite(t), "/")
	for _, part := range []string{"curl " + base + "/api/v1/plan", "digits: does not run", "fix: set inFeatures of fc to 784"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
}

func BenchmarkEverything(b *testing.B) {
	for b.Loop() {
		s, err := fresh()
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for f := range s.Files() {
			n += len(f.Body)
		}
		b.SetBytes(int64(n))
	}
}

// TestEveryTestOfARecordHasAPage: whatever a record names can be looked up, at the address that reports give.
func TestEveryTestOfARecordHasAPage(t *testing.T) {
	s := newSite(t)
	for _, r := range report.Tests() {
		path := strings.TrimPrefix(r.URL, report.Site)
		if path != rulePath(r.ID) {
			t.Errorf("%s/%s points to %q", r.Checker, r.ID, r.URL)
		}
		if !s.Has(path) {
			t.Errorf("%s/%s has no page", r.Checker, r.ID)
		}
	}
}
