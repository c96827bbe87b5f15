package yamltext

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/parser"
)

// TestRead holds how deep a text may nest, and where it is said to nest deeper.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		line       int
	}{
		{"nothing", "", 0},
		{"four brackets", "a: [[[[1]]]]", 0},
		{"five brackets", "a: 1\nb: [[[[[1]]]]]", 2},
		{"brackets that end", strings.Repeat("- [1]\n", 50), 0},
		{"five dashes on a line", "- - - - - 1", 1},
		{"dashes on lines of their own", strings.Repeat("- 1\n", 50), 0},
		{"anchors on a line", "&a &b &c &d &e 1", 1},
		{"braces", "{a: {b: {c: {d: {e: 1}}}}}", 1},
	} {
		tokens, refused := Read(test.text, 4)
		if refused != nil && (refused.Line != test.line || !refused.TooDeep || tokens != nil) || (refused == nil) != (test.line == 0) {
			t.Errorf("%s: refused %+v, want line %d", test.name, refused, test.line)
		}
		if _, line := Tokens(test.text, 4); line != test.line {
			t.Errorf("%s: refused on line %d, want %d", test.name, line, test.line)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// TestWhatIsTooLargeIsSaidWithItsNumberAndLine has each text once as large as is read, and once larger.
func TestWhatIsTooLargeIsSaidWithItsNumberAndLine(t *testing.T) {
	below := func(key string, values int) string { return key + ":\n  a: [" + strings.Repeat("1,", values) + "]" }
	for _, test := range []struct {
		name           string
		sound, refused string
		line           int
		reason         string
	}{
		{"angles", "a: 1\nb: " + strings.Repeat("<", 256), "a: 1\nb: " + strings.Repeat("<", 257), 2, "has more than 256 times < in a row"},
		{"blank lines", "a: |\n x" + strings.Repeat("\n", 5000), "a: |\n x" + strings.Repeat("\n", 6000), 5588,
			"has more than 5585 blank lines in a row, in a text of 6007 bytes"},
		{"blank lines by carriage returns", "a: |\r x" + strings.Repeat("\r", 5000),
			"a: |\r x" + strings.Repeat("\r", 6000), 5588, "has more than 5585 blank lines in a row"},
		{"blank lines with blanks", "a: |\n  x" + strings.Repeat("\n ", 3000),
			"a: |\n  x" + strings.Repeat("\n ", 5000), 3355, "has more than 3352 blank lines in a row"},
		{"tabs", "a: \"" + strings.Repeat("\tx", 10_000) + `"`,
			"a: \"" + strings.Repeat("\tx", 20_000) + `"`, 1, "has 20000 tabs on a line of 40005 bytes"},
		{"marks", "a: 1", strings.Repeat("[],", 70_000), 1, "has more than 200000 lines, brackets, quotes and other marks"},
		{"words", "[" + strings.Repeat("1,", 29_990) + "]", "\n[" + strings.Repeat("1,", 30_000) + "]", 2, "has more than 60000 words and marks"},
		{"documents", strings.Repeat("---\na\n", 1000), strings.Repeat("---\na\n", 1001), 2001, "has more than 1000 documents"},
		{"keys", numbered("k%d: 1\n", 5000), numbered("k%d: 1\n", 5001), 5001, "has more than 5000 keys in one mapping"},
		{"keys of several mappings", numbered("k%d:\n  a: 1\n  b: 1\n", 4000),
			"a:\n" + numbered("  k%d: 1\n", 5001), 5002, "has more than 5000 keys"},
		{"keys in brackets", "{" + numbered("k%d: 1,", 9000) + "}", "[" + numbered("k%d: 1\n", 5001) + "]", 5001, "has more than 5000 keys"},
		{"long keys", below(strings.Repeat("k", 600), 25_000),
			below(strings.Repeat("k", 1000), 25_000), 2, "has keys of 1001 bytes that lead here"},
		{"long keys behind dashes", "- " + strings.Repeat("k", 2000) + ": 1\n- a: [" + strings.Repeat("1,", 25_000) + "]",
			"- - " + strings.Repeat("k", 2000) + ":\n      a: [" + strings.Repeat("1,", 25_000) + "]",
			2, "has keys of 2015 bytes that lead here"},
	} {
		tokens, refused := Read(test.sound, 32)
		if refused != nil {
			t.Errorf("%s: %+v", test.name, refused)
		} else if _, err := parser.Parse(tokens, 0); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		_, refused = Read(test.refused, 32)
		if refused == nil || refused.TooDeep || test.line > 0 && refused.Line != test.line || !strings.HasPrefix(refused.Reason, test.reason) {
			t.Errorf("%s: %+v, want line %d: %s", test.name, refused, test.line, test.reason)
		}
	}
}

// TestSensibleTextsAreRead has what large files have in them without being made to cost much.
func TestSensibleTextsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"a block scalar with blank lines": "a: |\n" + strings.Repeat("  some words\n\n\n", 2000) + strings.Repeat("\n", 400) + "b: 1",
		"a long word":                     "a: " + strings.Repeat("x", 250_000),
		"a long quoted text":              `a: "` + strings.Repeat(`words and \" `, 20_000) + `"`,
		"tabs in quotes":                  `a: "` + strings.Repeat("\tword", 2000) + `"`,
		"a table of tabs":                 "a: |\n" + strings.Repeat("  1\t2\t3\t4\t5\t6\n", 10_000),
		"a mark of a conflict":            "a: |\n  <<<<<<< HEAD\n  x\n  =======\nb: cat <<<word\n",
		"a script":                        "a: |\n" + strings.Repeat("  echo \"$A\" | grep -v '[a-z]' > x\n", 5000),
		"a manifest":                      numbered("- name: x%d\n  image: a/b:1.2\n  args:\n  - --model=1\n  env:\n    A: b\n", 3500),
		"comments":                        strings.Repeat("# words\n", 30_000) + "a: 1",
		"a list of numbers":               "a: [" + strings.Repeat("1, ", 20_000) + "1]",
	} {
		tokens, refused := Read(text, 32)
		if refused != nil {
			t.Errorf("%s: %+v", name, refused)
		} else if _, err := parser.Parse(tokens, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFilesOfTheRepositoryAreRead goes through every YAML file that is here: workflows, Compose files, manifests, those of trainers.
func TestFilesOfTheRepositoryAreRead(t *testing.T) {
	read := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); d.IsDir() || ext != ".yml" && ext != ".yaml" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || strings.ContainsRune(path, '~') {
			return err
		}
		read++
		if _, refused := Read(string(data), 32); refused != nil {
			t.Errorf("%s: %+v", path, refused)
		}
		return nil
	})
	if err != nil || read < 20 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
