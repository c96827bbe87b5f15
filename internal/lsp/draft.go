package lsp

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// draft is a document that is being changed. A change costs what it moves: an editor that replaces a name everywhere sends thousands of
// them at once.
type draft struct {
	data  []byte
	lines []int    // the byte that each line begins with
	last  position // where the newest change begins, which the next one is often near to
	at    int      // the byte of last
}

// changed is the text with changes made one behind the other, as the protocol has them.
func (t *text) changed(changes []contentChange) (*text, error) {
	d := &draft{data: []byte(t.data), lines: slices.Clone(t.lines)}
	for _, c := range changes {
		if c.Range == nil {
			d = &draft{data: []byte(c.Text), lines: newText(c.Text).lines}
		} else if err := d.replace(*c.Range, c.Text); err != nil {
			return nil, err
		}
	}
	return &text{data: string(d.data), lines: d.lines}, nil
}

// replace puts a text in the place of a part.
func (d *draft) replace(part span, with string) error {
	start, err := d.offset(part.Start)
	if err != nil {
		return err
	}
	last, at := d.last, d.at
	end, err := d.offset(part.End)
	if err != nil {
		return err
	}
	if end < start {
		return fmt.Errorf("a range ends at line %d, character %d, before it begins", part.End.Line, part.End.Character)
	}
	d.last, d.at = last, at
	from, _ := slices.BinarySearch(d.lines, start+1) // the first line that the change takes away, or moves
	to, _ := slices.BinarySearch(d.lines, end+1)
	for i := to; i < len(d.lines); i++ {
		d.lines[i] += len(with) - (end - start)
	}
	var lines []int
	for i := range len(with) {
		if with[i] == '\n' {
			lines = append(lines, start+i+1)
		}
	}
	d.lines = slices.Replace(d.lines, from, to, lines...)
	d.data = slices.Replace(d.data, start, end, []byte(with)...)
	return nil
}

// offset is the byte of a position. A position behind the end of its line is that end, as the protocol says.
func (d *draft) offset(p position) (int, error) {
	if p.Line < 0 || p.Character < 0 || p.Line > len(d.lines) {
		return 0, fmt.Errorf("line %d, character %d is outside of the document, which has %d lines", p.Line, p.Character, len(d.lines))
	}
	if p.Line == len(d.lines) {
		d.last, d.at = position{p.Line - 1, 0}, d.lines[p.Line-1]
		return len(d.data), nil
	}
	end := d.lineEnd(p.Line)
	if d.last.Line != p.Line || d.at > end {
		d.last, d.at = position{p.Line, 0}, d.lines[p.Line]
	}
	for d.at > d.lines[p.Line] {
		r, size := utf8.DecodeLastRune(d.data[:d.at])
		if d.last.Character-width(r) < p.Character {
			break
		}
		d.last.Character, d.at = d.last.Character-width(r), d.at-size
	}
	for d.last.Character < p.Character && d.at < end {
		r, size := utf8.DecodeRune(d.data[d.at:end])
		d.last.Character, d.at = d.last.Character+width(r), d.at+size
	}
	return d.at, nil
}

// lineEnd is the byte behind a line, without its end.
func (d *draft) lineEnd(n int) int {
	end := len(d.data)
	if n+1 < len(d.lines) {
		end = d.lines[n+1] - 1
	}
	if end > d.lines[n] && d.data[end-1] == '\r' {
		end--
	}
	return end
}
