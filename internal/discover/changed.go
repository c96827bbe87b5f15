package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/fence"
)

// Change is a file that a pull request changed.
type Change struct {
	Path string
	Was  string // its path before, "" of one that is new
}

// status is one line of the list.
type status struct {
	change Change
	gone   bool
}

// Parse reads what git diff --name-status -z writes. Files that are gone are left out.
func Parse(text string) ([]Change, error) {
	var out []Change
	fields := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	if text == "" {
		return nil, nil
	}
	for len(fields) > 0 {
		s, rest, err := next(fields)
		if err != nil {
			return nil, err
		}
		if fields = rest; !s.gone {
			out = append(out, s.change)
		}
	}
	return out, nil
}

func next(fields []string) (s status, rest []string, err error) {
	need, bad := 2, errors.New("is not what git diff --name-status -z writes")
	if fields[0] == "" {
		return s, nil, bad
	}
	letter := fields[0][0]
	if letter == 'R' || letter == 'C' {
		need = 3
	}
	if len(fields) < need || fields[need-1] == "" || strings.Trim(fields[0][1:], "0123456789") != "" {
		return s, nil, bad
	}
	s.change = Change{Path: fields[need-1], Was: fields[1]}
	switch letter {
	case 'A':
		s.change.Was = ""
	case 'D':
		s.gone = true
	case 'M', 'T', 'R', 'C':
	default:
		return s, nil, fmt.Errorf("%w: status %q", bad, fields[0])
	}
	return s, fields[need:], nil
}

// Pick returns the references to the models that were changed, each with its path before. Patterns say which files count; without any
// every file that is a model does. A class of a source, file.py:Name, counts when any source has changed, because sources import each
// other; and only where it is named, because nothing else says what it is called with.
func Pick(root string, changes []Change, patterns []string, match func(pattern, path string) bool) ([]Change, error) {
	top, err := fence.Folder(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = top.Close() }() // everything was read
	var out []Change
	sources := slices.ContainsFunc(changes, func(c Change) bool { return path.Ext(c.Path) == ".py" })
	for _, p := range patterns {
		if file, class, ok := strings.Cut(p, ".py:"); ok && sources && !strings.ContainsAny(p, "*?") {
			ref := file + ".py:" + class
			out = append(out, Change{ref, before(file+".py", changes)})
		}
	}
	for _, c := range changes {
		if named(c.Path, patterns) || matches(c.Path, patterns, match) && isModel(top, c.Path) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	out = slices.CompactFunc(out, func(a, b Change) bool { return a.Path == b.Path })
	for _, c := range out {
		if strings.ContainsFunc(c.Path+c.Was, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
			return nil, fmt.Errorf("the name %q has characters that cannot be written on a line: rename the file", c.Path)
		}
		if leadsOut(top, c.Path) {
			return nil, fmt.Errorf("%s leads out of the repository, by a link or by its name", c.Path)
		}
	}
	return out, nil
}

// leadsOut reports whether a file lies elsewhere, by its name or through links: a pull request must not have other files of the machine read.
func leadsOut(top *fence.Dir, file string) bool {
	if source, _, ok := strings.Cut(file, ".py:"); ok {
		file = source + ".py"
	}
	_, err := top.Stat(file)
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// before is the path that a source had before, its own where it has not changed.
func before(file string, changes []Change) string {
	for _, c := range changes {
		if c.Path == file {
			return c.Was
		}
	}
	return file
}

func named(file string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return p == file && !strings.ContainsAny(p, "*?") && path.Ext(p) != ".py" })
}

func matches(file string, patterns []string, match func(pattern, path string) bool) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return match(p, file) })
}

func isModel(top *fence.Dir, file string) bool {
	return len(in(top, file)) > 0
}
