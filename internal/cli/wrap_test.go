package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLongLinesHangUnderTheirText(t *testing.T) {
	long := "block  " + strings.Repeat("word ", 20) + " [rule]"
	want := "block  " + strings.TrimRight(strings.Repeat("word ", 14), " ") + "\n       " + strings.Repeat("word ", 6) + " [rule]"
	if got := wrap(long); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := wrap("\x1b[1;31mblock\x1b[0m  " + long[7:]); got != "\x1b[1;31mblock\x1b[0m  "+want[7:] {
		t.Errorf("in colour\n%s", got)
	}
	if short := "  a  b"; wrap(short) != short {
		t.Error("a short line is changed")
	}
}

// TestNoLineIsLongerThanATerminal breaks lines and cells of any words: none is too long, and nothing but blanks is lost.
func TestNoLineIsLongerThanATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab.é界_"))), 1, 30).Draw(t, "words")
		line := strings.Repeat(" ", rapid.IntRange(0, 9).Draw(t, "indent")) + strings.Join(words, rapid.SampledFrom([]string{" ", "  "}).Draw(t, "gap"))
		got := wrap(line)
		cell := broken(line, 20)
		for l := range strings.SplitSeq(got, "\n") {
			if width(l) > columns {
				t.Fatalf("%d columns: %q of %q", width(l), l, line)
			}
		}
		for l := range strings.SplitSeq(cell, "\n") {
			if width(l) > 20 {
				t.Fatalf("a cell of %d columns: %q", width(l), l)
			}
		}
		for _, text := range []string{got, cell} {
			if squeeze(text) != squeeze(line) || !utf8.ValidString(text) {
				t.Fatalf("%q became %q", line, text)
			}
		}
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
