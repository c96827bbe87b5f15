package patch

import (
	"cmp"
	"slices"
	"strings"
)

// Lines replaces whole lines of a file: what a reviewer can take with one click. No line ends with a line ending here.
type Lines struct {
	Path        string `json:"path"`
	First, Last int    // from 1; at least one line is replaced, also where lines are only added
	Old, New    string
}

// Replaced returns edits of a file as whole lines, the first first. Edits on the same or on neighbouring lines become one.
func Replaced(f File, edits []Edit) ([]Lines, error) {
	var own []Edit
	for _, e := range edits {
		if e.Path == f.Path {
			own = append(own, e)
		}
	}
	if _, err := edited(&f, own); err != nil { // which also sorts them
		return nil, err
	}
	slices.SortStableFunc(own, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var out []Lines
	for at := 0; at < len(own); {
		start, end := wholeLines(f.Text, own[at])
		next := at + 1
		for next < len(own) {
			s, e := wholeLines(f.Text, own[next])
			if s > end+1 {
				break
			}
			end, next = max(end, e), next+1
		}
		part := File{Path: f.Path, Text: f.Text[start:end]}
		moved := slices.Clone(own[at:next])
		for i := range moved {
			moved[i].Start, moved[i].End = moved[i].Start-start, moved[i].End-start
			if moved[i].End > len(part.Text) { // it takes the line ending away with it
				moved[i].End, moved[i].New = len(part.Text), strings.TrimSuffix(strings.TrimSuffix(moved[i].New, "\n"), "\r")
			}
		}
		text, err := edited(&part, moved)
		if err != nil {
			return nil, err
		}
		out = append(out, Lines{f.Path, lineAt(f.Text, start), lineAt(f.Text, end), withoutReturns(part.Text), withoutReturns(text)})
		at = next
	}
	return out, nil
}

// wholeLines is where the lines that an edit touches begin, and where the last of them ends, before its line ending.
func wholeLines(text string, e Edit) (start, end int) {
	start = strings.LastIndexByte(text[:e.Start], '\n') + 1
	end = max(e.Start, e.End-1)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return start, end + i
	}
	return start, len(text)
}

// withoutReturns ends lines as reviewers' services write them; they keep those of the file.
func withoutReturns(text string) string {
	return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\r")
}
