package yamltext

import (
	"strings"
	"testing"
)

// TestTokens holds how deep a text may nest, and where it is said to nest deeper.
func TestTokens(t *testing.T) {
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
		if _, line := Tokens(test.text, 4); line != test.line {
			t.Errorf("%s: too deep on line %d, want %d", test.name, line, test.line)
		}
	}
}
