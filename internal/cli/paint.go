package cli

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/quantity"
)

// isTerminal reports whether a person reads what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// wantsColour reports whether a writer takes colours: a terminal that has any, and nobody said NO_COLOR (no-color.org).
func wantsColour(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// colours are those of the words that a verdict is told in.
var colours = map[string]string{
	"block": "1;31", "blocked": "1;31", "fail": "1;31",
	"warn": "33", "warning": "33", "attention": "33",
	"ask": "36", "needs_input": "36", "info": "36",
	"ok": "32", "pass": "32", "legal": "32",
}

// painted is text with colours in it already, or none of the caller's.
type painted string

// page is text for people. Strings of the caller's cannot break lines or reach the terminal's controls.
type page struct {
	strings.Builder
	coloured bool
}

// word sets a word to a width, in its colour.
func (p *page) word(word string, width int) painted {
	blanks := strings.Repeat(" ", max(0, width-len(word)))
	if c := colours[word]; p.coloured && c != "" {
		return painted("\x1b[" + c + "m" + word + "\x1b[0m" + blanks)
	}
	return painted(word + blanks)
}

// line appends a line, broken where it is too long.
func (p *page) line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = clean(s)
		}
	}
	p.WriteString(wrap(quantity.Sprintf(format, args...)) + "\n")
}

// clean replaces what would not show.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
