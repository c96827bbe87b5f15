package lsp

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a document with where its lines begin.
type text struct {
	data  string
	lines []int // the byte that each line begins with

	mu    sync.Mutex
	spans map[int]span // of the lines that were asked for: a whole graph may be one long line, and each of its findings stands on it
}

func newText(data string) *text {
	t := &text{data: data, lines: []int{0}}
	for i := range len(data) {
		if data[i] == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line is a line from 0, without its end; "" where there is none.
func (t *text) line(n int) string {
	if n < 0 || n >= len(t.lines) {
		return ""
	}
	end := len(t.data)
	if n+1 < len(t.lines) {
		end = t.lines[n+1] - 1
	}
	return strings.TrimSuffix(t.data[t.lines[n]:end], "\r")
}

// written is where the statement of a line stands: from its first character to its last, without a comment's worth of spaces.
func (t *text) written(n int) span {
	n = min(max(n, 0), len(t.lines)-1)
	t.mu.Lock()
	defer t.mu.Unlock()
	out, known := t.spans[n]
	if !known {
		if t.spans == nil {
			t.spans = map[int]span{}
		}
		line := t.line(n)
		start := len(line) - len(strings.TrimLeft(line, " \t"))
		end := len(strings.TrimRight(line, " \t"))
		out = span{position{n, units(line[:min(start, end)])}, position{n, units(line[:end])}}
		t.spans[n] = out
	}
	return out
}

// at is the position of a byte.
func (t *text) at(offset int) position {
	offset = min(max(offset, 0), len(t.data))
	n := sort.SearchInts(t.lines, offset+1) - 1
	return position{n, units(t.data[t.lines[n]:offset])}
}

// units counts UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += width(r)
	}
	return n
}

func width(r rune) int {
	if r == utf8.RuneError {
		return 1
	}
	return max(1, utf16.RuneLen(r))
}
