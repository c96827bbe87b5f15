package conformance

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entry is a line of a table of docs/wire.md.
type entry struct{ section, name, shownBy string }

func entries(t *testing.T) []entry {
	t.Helper()
	data, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	section := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if s, ok := strings.CutPrefix(line, "## "); ok {
			section = s
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| entry ") {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("not three cells: %s", line)
			continue
		}
		out = append(out, entry{section, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[2])})
	}
	return out
}

// tests are the names of the test functions of this package.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Test") {
				out[fn.Name.Name] = true
			}
		}
	}
	return out
}

func TestEveryEntryOfTheWireIsShown(t *testing.T) {
	known, used := tests(t), map[string]bool{}
	for _, c := range load(t) {
		known[c.Name] = true
	}
	for _, e := range exchanges(t) {
		known[e.Name] = true
	}
	list := entries(t)
	if len(list) < 150 {
		t.Errorf("only %d entries were read", len(list))
	}
	for _, e := range list {
		if e.shownBy == "" {
			t.Errorf("%s: %s has no case", e.section, e.name)
			continue
		}
		for _, name := range strings.Split(e.shownBy, ", ") {
			used[name] = true
			if !known[name] {
				t.Errorf("%s: %s names %s, which is no case and no test", e.section, e.name, name)
			}
		}
	}
	for _, c := range load(t) {
		if !used[c.Name] {
			t.Errorf("no entry names %s", c.Name)
		}
	}
	for _, e := range exchanges(t) {
		if !used[e.Name] {
			t.Errorf("no entry names %s", e.Name)
		}
	}
}

// TestEveryFieldOfAnAnswerIsAnEntry finds fields that the tables have forgotten.
func TestEveryFieldOfAnAnswerIsAnEntry(t *testing.T) {
	data, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(string(data), -1) {
		for _, part := range strings.Split(m[1], ".") {
			named[strings.TrimSuffix(part, "[]")] = true
		}
	}
	missing := map[string]bool{}
	for _, c := range load(t) {
		_, body := answer(t, c)
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		fields(v, func(name string) {
			if !named[name] {
				missing[name] = true
			}
		})
	}
	if len(missing) > 0 {
		t.Errorf("docs/wire.md does not name %v", slices.Sorted(maps.Keys(missing)))
	}
}

// fields goes over the names of all members. Those of comparators are data.
func fields(v any, f func(name string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			f(name)
			if name != "comparators" {
				fields(item, f)
			}
		}
	case []any:
		for _, item := range v {
			fields(item, f)
		}
	}
}

func TestNamesDoNotChangeTheFingerprint(t *testing.T) {
	prints := map[string]string{}
	for _, c := range load(t) {
		if c.Action == "plan" && c.Status == 200 {
			var got planAnswer
			_, body := answer(t, c)
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			prints[c.Name] = got.Plan.Model.Fingerprint
		}
	}
	if prints["plan-mlp"] != prints["plan-fingerprint-ignores-names"] || prints["plan-mlp"] == prints["plan-wider"] || prints["plan-mlp"] == "" {
		t.Errorf("fingerprints %s, renamed %s, wider %s", prints["plan-mlp"], prints["plan-fingerprint-ignores-names"], prints["plan-wider"])
	}
}
