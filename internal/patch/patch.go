// Package patch changes text files: edits at byte offsets, search-and-replace blocks of an answer in prose, and unified diffs
// that were applied again before they are handed out.
//
// It must not know what the files mean, where they lie, or who wrote the answer. It opens nothing.
package patch

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// File is a text with the name that it was sent under.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Edit replaces the bytes from Start up to End of a file, as it was sent, with New. Where Start is End it inserts.
type Edit struct {
	Path       string
	Start, End int
	New        string
}

// CheckPath returns why a path can name no file below the folder that a diff is applied in, or nil. What it allows needs no
// quoting in the head of a diff.
func CheckPath(name string) error {
	switch {
	case name == "":
		return errors.New("a path is empty; it names a file below the folder that the diff is applied in")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("path %q has control characters or is not UTF-8", name)
	case strings.ContainsRune(name, '\\'):
		return fmt.Errorf("path %q has a backslash; folders are separated by /", name)
	case name[0] == '"':
		return fmt.Errorf("path %q begins with a quotation mark, which a diff cannot tell from a quoted name", name)
	case name != strings.TrimSpace(name):
		return fmt.Errorf("path %q begins or ends with a space", name)
	case path.IsAbs(name) || len(name) > 1 && name[1] == ':':
		return fmt.Errorf("path %q is absolute; it has to be relative", name)
	case path.Clean(name) != name || name == "." || name == ".." || strings.HasPrefix(name, "../"):
		return fmt.Errorf("path %q is not a plain relative path; it has no . or .. and no empty part", name)
	}
	return nil
}

// Apply returns the files with the edits made; those without an edit are the same. All edits refer to the texts as they were
// sent, so their order does not matter. Edits that overlap, or insert at one offset, are an error: their result would depend
// on which came first.
func Apply(files []File, edits []Edit) ([]File, error) {
	byPath := map[string][]Edit{}
	for _, e := range edits {
		byPath[e.Path] = append(byPath[e.Path], e)
	}
	out := slices.Clone(files)
	seen := map[string]bool{}
	for i := range out {
		f := &out[i]
		if seen[f.Path] {
			return nil, fmt.Errorf("%s: the path was sent twice", f.Path)
		}
		seen[f.Path] = true
		text, err := edited(f, byPath[f.Path])
		if err != nil {
			return nil, err
		}
		f.Text = text
	}
	for _, e := range edits {
		if !seen[e.Path] {
			return nil, fmt.Errorf("%s: the path was never sent; those sent are %s", e.Path, names(files))
		}
	}
	return out, nil
}

// edited returns the text of a file with its edits made.
func edited(f *File, edits []Edit) (string, error) {
	if len(edits) == 0 {
		return f.Text, nil
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var b strings.Builder
	at := 0
	for i, e := range edits {
		if e.Start < 0 || e.End < e.Start || e.End > len(f.Text) {
			return "", fmt.Errorf("%s: bytes %d to %d are outside of the file, which has %d", f.Path, e.Start, e.End, len(f.Text))
		}
		if i > 0 && (e.Start < at || e.Start == edits[i-1].Start && e.End == edits[i-1].End) {
			return "", fmt.Errorf("%s: two edits change the same place in line %d", f.Path, lineAt(f.Text, e.Start))
		}
		b.WriteString(f.Text[at:e.Start])
		b.WriteString(e.New)
		at = e.End
	}
	b.WriteString(f.Text[at:])
	return b.String(), nil
}

// lineAt returns the line, counted from 1, that an offset of a text lies in.
func lineAt(text string, offset int) int {
	return strings.Count(text[:offset], "\n") + 1
}

// names lists paths for a message, the first ten of them.
func names(files []File) string {
	const shown = 10
	if len(files) == 0 {
		return "none"
	}
	var out []string
	for _, f := range files[:min(shown, len(files))] {
		out = append(out, f.Path)
	}
	if n := len(files) - shown; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}
