package lsp

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text is a document with where its lines begin.
type text struct {
	data  string
	lines []int // the byte that each line begins with
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
	line := t.line(n)
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	end := len(strings.TrimRight(line, " \t"))
	return span{position{n, units(line[:min(start, end)])}, position{n, units(line[:end])}}
}

// offset is the byte of a position. A position behind the end of its line is that end, as the protocol says.
func (t *text) offset(p position) (int, error) {
	if p.Line < 0 || p.Character < 0 || p.Line > len(t.lines) {
		return 0, fmt.Errorf("line %d, character %d is outside of the document, which has %d lines", p.Line, p.Character, len(t.lines))
	}
	if p.Line == len(t.lines) {
		return len(t.data), nil
	}
	line, seen := t.line(p.Line), 0
	for i, r := range line {
		if seen >= p.Character {
			return t.lines[p.Line] + i, nil
		}
		seen += width(r)
	}
	return t.lines[p.Line] + len(line), nil
}

// at is the position of a byte.
func (t *text) at(offset int) position {
	offset = min(max(offset, 0), len(t.data))
	n := sort.SearchInts(t.lines, offset+1) - 1
	return position{n, units(t.data[t.lines[n]:offset])}
}

// replace is the document with a part of it changed; without a part all of it is.
func (t *text) replace(part *span, with string) (*text, error) {
	if part == nil {
		return newText(with), nil
	}
	start, err := t.offset(part.Start)
	if err != nil {
		return nil, err
	}
	end, err := t.offset(part.End)
	if err != nil {
		return nil, err
	}
	if end < start {
		return nil, fmt.Errorf("a range ends at line %d, character %d, before it begins", part.End.Line, part.End.Character)
	}
	return newText(t.data[:start] + with + t.data[end:]), nil
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
