//go:build unix

package plan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/adversary"
)

// TestLongWordsCostLittle holds that a word is cut line by line, without copying the rest of it for each.
func TestLongWordsCostLittle(t *testing.T) {
	for _, letter := range []string{"a", "é", "\xff"} {
		word := strings.Repeat(letter, 800_000/len(letter))
		var lines []string
		if c := adversary.Measure(t, func() { lines = wrap(word, textWidth-labelWidth) }); !c.Within(adversary.Bar) {
			t.Errorf("%q took %.2f s and %d MB", letter, c.Seconds, c.Bytes>>20)
		}
		if got := strings.Join(lines, ""); got != word {
			t.Errorf("%q: %d bytes became %d", letter, len(word), len(got))
		}
		for _, l := range lines[:len(lines)-1] {
			if n := utf8.RuneCountInString(l); n != textWidth-labelWidth {
				t.Fatalf("%q: a line has %d characters", letter, n)
			}
		}
	}
}
