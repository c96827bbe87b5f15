//go:build unix

package cli

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
)

// TestLongCellsCostLittle holds that a cell is cut line by line, without measuring the rest of it for each.
func TestLongCellsCostLittle(t *testing.T) {
	const bytes = 200_000
	for _, letter := range []string{"a", "é", "日", "\u0301", "a.", "a "} {
		cell := "  " + strings.Repeat(letter, bytes/len(letter))
		var out string
		if c := adversary.Measure(t, func() {
			table := newTable("component", "weights")
			table.add(cell, "1")
			out = table.String()
		}); !c.Within(adversary.Bar) {
			t.Errorf("%q took %.2f s and %d MB", letter, c.Seconds, c.Bytes>>20)
		}
		if got := strings.Count(out, letter); got < bytes/len(letter)*9/10 { // blanks that lines end with are none of them
			t.Errorf("%q: %d of %d are left", letter, got, bytes/len(letter))
		}
	}
}
