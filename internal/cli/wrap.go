package cli

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/modelverifier/verifier/internal/report/annotate"
)

// columns is the width of text where the terminal's is not known: what every terminal and log shows.
const columns = 80

// columnsOf is how wide a table may be on a writer: as COLUMNS says, else as wide as the terminal, else what every log shows.
func columnsOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return max(n, columns/2)
	}
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return max(n, columns/2)
		}
	}
	return columns
}

// width is how many columns a string takes on a terminal, colours aside.
func width(s string) int { return text.StringWidthWithoutEscSequences(s) }

// text is the page as it is printed: no line of it is a command of a service that reads the log.
func (p *page) text() string { return annotate.Harmless(p.String()) }

// longWord is how many bytes of a word are looked at for one line: more than any line shows. A word of a megabyte has thousands of lines.
const longWord = 512

// wrap breaks a line that is too long between words. What follows hangs under the text of the first line, behind its label. A
// word that is longer than a line is broken too.
func wrap(line string) string {
	if width(line) <= columns {
		return line
	}
	hang := hangOf(line)
	indent := strings.Repeat(" ", hang)
	var out []string
	at := ""
	for _, w := range words(line) {
		for {
			if len(w) <= longWord && width(at+w) <= columns {
				at += w
				break
			}
			bare := strings.TrimLeft(w, " ")
			if strings.TrimSpace(at) != "" && at != indent && (len(bare) <= longWord && hang+width(bare) <= columns || width(at) > columns/2) {
				out, at, w = append(out, at), indent, bare
				continue
			}
			line := at + w[:min(len(w), longWord)]
			head := text.Trim(line, columns)
			if !strings.HasPrefix(line, head) || len(head) <= len(at) { // colours within a word: leave it whole
				at += w
				break
			}
			out, at, w = append(out, head), indent, w[len(head)-len(at):]
		}
	}
	return strings.Join(append(out, at), "\n")
}

// words splits a line before its blanks, which stay with the word behind them.
func words(line string) []string {
	var out []string
	start, inWord := 0, false
	for i := range len(line) {
		if blank := line[i] == ' '; blank && inWord {
			out, start = append(out, line[start:i]), i
			inWord = false
		} else if !blank {
			inWord = true
		}
	}
	return append(out, line[start:])
}

// hangOf is the column that text starts at behind labels, which two blanks set off; two more than the line's own indentation where
// it has none. Labels stand in the first third of a line.
func hangOf(line string) int {
	own := width(line) - width(strings.TrimLeft(line, " "))
	hang, at := own+2, 0
	for i, w := range words(line) {
		if i > 0 && strings.HasPrefix(w, "  ") {
			if start := at + len(w) - len(strings.TrimLeft(w, " ")); start <= columns/3 {
				hang = start
			}
		}
		at += width(w)
	}
	return hang
}
