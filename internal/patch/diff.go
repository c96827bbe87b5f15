package patch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// contextLines is what diff -u and git show around a change.
const contextLines = 3

// Diff returns the unified diff between two texts of one path, or nothing where they are the same. The path stands bare in its
// head, so that `patch -p0` and `git apply -p0` apply it. Another library has applied it by the time it is returned; an error is
// a fault of ours.
func Diff(before, after File) (string, error) {
	if err := CheckPath(before.Path); err != nil {
		return "", err
	}
	if before.Path != after.Path {
		return "", fmt.Errorf("%s and %s: a diff has one path", before.Path, after.Path)
	}
	if before.Text == after.Text {
		return "", nil
	}
	label := label(before.Path)
	diff, err := udiff.ToUnified(label, label, before.Text, udiff.Lines(before.Text, after.Text), contextLines)
	if err != nil {
		return "", fmt.Errorf("diff of %s: %w", before.Path, err)
	}
	if err := Check(diff, before, after.Text); err != nil {
		return "", err
	}
	return diff, nil
}

// label returns a path as it stands in the head of a diff.
func label(path string) string {
	if strings.ContainsRune(path, ' ') {
		return path + "\t" // without it patch takes what follows the first space for a date
	}
	return path
}

// Check applies a diff to the text that it is of, and returns an error unless exactly the other text comes out.
func Check(diff string, before File, after string) error {
	fault := func(err error) error {
		return fmt.Errorf("diff of %s does not apply again: %w", before.Path, err)
	}
	if head := "--- " + label(before.Path) + "\n+++ " + label(before.Path) + "\n"; !strings.HasPrefix(diff, head) {
		return fault(fmt.Errorf("it does not begin with %q", head))
	}
	files, preamble, err := gitdiff.Parse(strings.NewReader(diff))
	switch {
	case err != nil:
		return fault(err)
	case len(files) != 1 || preamble != "":
		return fault(fmt.Errorf("it is of %d files", len(files)))
	case files[0].OldName != before.Path || files[0].NewName != before.Path || files[0].IsBinary:
		return fault(fmt.Errorf("it is of %q and %q", files[0].OldName, files[0].NewName))
	}
	var out bytes.Buffer
	if err := gitdiff.Apply(&out, strings.NewReader(before.Text), files[0]); err != nil {
		return fault(err)
	}
	if out.String() != after {
		return fault(errors.New("another text comes out"))
	}
	return nil
}

// Patched applies a diff that somebody else made to a file. It must be of that file alone, with the path bare.
func Patched(f File, diff string) (File, error) {
	files, _, err := gitdiff.Parse(strings.NewReader(diff))
	if err != nil || len(files) != 1 || files[0].OldName != f.Path || files[0].NewName != f.Path || files[0].IsBinary {
		return f, fmt.Errorf("%s: the diff is none of this file alone", f.Path)
	}
	var out bytes.Buffer
	if err := gitdiff.Apply(&out, strings.NewReader(f.Text), files[0]); err != nil {
		return f, fmt.Errorf("%s: the diff does not apply: %w", f.Path, err)
	}
	f.Text = out.String()
	return f, nil
}

// Between is the one edit that makes a text of another: from the first byte that differs to the last.
func Between(before, after File) Edit {
	a, b := before.Text, after.Text
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return Edit{Path: before.Path, Start: start, End: len(a) - end, New: b[start : len(b)-end]}
}
