//go:build unix

package cli

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
)

// TestLongWordsCostLittle holds that a word is cut line by line, without measuring the rest of it for each.
func TestLongWordsCostLittle(t *testing.T) {
	for _, letter := range []string{"a", "é", "日", "\u0301"} {
		line := "label  " + strings.Repeat(letter, 800_000/len(letter))
		var out string
		if c := adversary.Measure(t, func() { out = wrap(line) }); !c.Within(adversary.Bar) {
			t.Errorf("%q took %.2f s and %d MB", letter, c.Seconds, c.Bytes>>20)
		}
		if got := strings.Count(out, letter); got < 800_000/len(letter) {
			t.Errorf("%q: %d of %d are left", letter, got, 800_000/len(letter))
		}
	}
}
