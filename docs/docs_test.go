package docs

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestEveryPageIsInOneKind wants each page once in the index, below one of the four headings.
func TestEveryPageIsInOneKind(t *testing.T) {
	var kinds []string
	listed := map[string]int{}
	link := regexp.MustCompile(`^\| \[([a-z-]+)\]\(([a-z-]+)\.md\) \| \S`)
	for line := range strings.Lines(Index()) {
		if kind, ok := strings.CutPrefix(line, "## "); ok {
			kinds = append(kinds, strings.TrimSpace(kind))
		}
		if m := link.FindStringSubmatch(line); m != nil && m[1] == m[2] {
			listed[m[1]]++
		}
	}
	if got := strings.Join(kinds, ", "); got != "Tutorial, How-to guides, Reference, Explanation" {
		t.Errorf("the kinds are %s", got)
	}
	for _, name := range Names() {
		if listed[name] != 1 {
			t.Errorf("%s.md is %d times in README.md", name, listed[name])
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("README.md lists %s.md, which is not there", name)
	}
}

// TestLinksLeadToPages follows the links from page to page.
func TestLinksLeadToPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([a-z-]+)\.md(?:#([a-z0-9-]+))?\)`)
	for _, name := range Names() {
		text, _ := Read(name)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, ok := Read(m[1])
			if !ok {
				t.Errorf("%s.md links to %s.md, which is not there", name, m[1])
			}
			if m[2] != "" && !strings.Contains(anchors(target), " "+m[2]+" ") {
				t.Errorf("%s.md links to %s.md#%s, and there is no such heading", name, m[1], m[2])
			}
		}
	}
}

// anchors are the fragments of a page's headings, as GitHub makes them.
func anchors(text string) string {
	out := " "
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			kept := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			out += strings.ReplaceAll(kept, " ", "-") + " "
		}
	}
	return out
}

// TestLinesAreShort wants prose of at most 100 columns. Tables and what commands print are as wide as they are.
func TestLinesAreShort(t *testing.T) {
	for _, name := range Names() {
		text, _ := Read(name)
		inside := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "```") {
				inside = !inside
			}
			if columns := utf8.RuneCountInString(strings.TrimRight(line, "\n")); columns > 100 && !inside && line[0] != '|' && line[0] != ' ' && line[0] != '<' {
				t.Errorf("%s.md has a line of %d columns: %s", name, columns, line)
			}
		}
	}
}

// TestAccuracyIsInOrder wants quantiles that grow, and what the tables are about.
func TestAccuracyIsInOrder(t *testing.T) {
	for _, table := range Accuracy() {
		if table.Title == "" || table.Figure == "" || len(table.Errors) == 0 {
			t.Errorf("%q, %q has %d lines", table.Title, table.Figure, len(table.Errors))
		}
		for _, e := range table.Errors {
			if e.Runs < 1 || e.Median > e.P90 || e.P90 > e.P95 || e.P95 > e.Worst || e.Lowest > e.Worst {
				t.Errorf("%s, %s: %+v", table.Title, table.Figure, e)
			}
		}
	}
}
