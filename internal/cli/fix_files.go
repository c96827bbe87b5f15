package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/patch"
)

// tree is the models that lie beneath one root, which nothing is read or written outside of.
type tree struct {
	root    string // absolute, behind links
	dir     *fence.Dir
	request fix.Request
	diffs   string // of all patches, file by file
}

// addTo puts a model into the tree of its root, with the files that it was read from.
func addTo(trees *[]*tree, in *input, target fix.Target, command string) error {
	file, err := filepath.Abs(in.loaded.File)
	if err == nil {
		file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return err
	}
	root, err := fence.Root(file)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(*trees, func(t *tree) bool { return t.root == root })
	if i < 0 {
		dir, err := fence.Folder(root)
		if err != nil {
			return err
		}
		i = len(*trees)
		*trees = append(*trees, &tree{root: root, dir: dir, request: fix.Request{Rest: dir}})
	}
	t := (*trees)[i]
	rel, ok := fence.Within(root, file)
	if !ok {
		return fmt.Errorf("%s: lies outside of %s", in.name, root)
	}
	target.Path = filepath.ToSlash(rel)
	if in.loaded.Kind == hub.Python {
		from := fix.ImportDir(t.dir, target.Path)
		for _, s := range in.loaded.Imported {
			if strings.HasPrefix(s.Name, "<") { // of an installed package, which nobody changes
				continue
			}
			if err := t.read(from + s.Name); err != nil {
				return err
			}
		}
	}
	if command != "" {
		if target.Command, err = t.within(command); err != nil {
			return err
		}
		if err := t.read(target.Command); err != nil {
			return err
		}
	}
	t.request.Targets = append(t.request.Targets, target)
	return t.read(target.Path)
}

// within is the name of a file beneath the root.
func (t *tree) within(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", err
	}
	rel, ok := fence.Within(t.root, abs)
	if !ok {
		return "", fmt.Errorf("%s: lies outside of %s, which holds the model; fix changes nothing there", name, t.root)
	}
	return filepath.ToSlash(rel), nil
}

// read adds a file that may be changed.
func (t *tree) read(path string) error {
	if slices.ContainsFunc(t.request.Files, func(f patch.File) bool { return f.Path == path }) {
		return nil
	}
	data, err := fence.ReadFile(t.dir, path, int64(graph.LocalLimits.Bytes))
	if err != nil {
		return err
	}
	t.request.Files = append(t.request.Files, patch.File{Path: path, Text: string(data)})
	return nil
}

// namer names files as from the working directory, where they lie beneath it.
func (t *tree) namer() (func(path string) string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if wd, err = filepath.EvalSymlinks(wd); err != nil {
		return nil, err
	}
	return func(path string) string {
		rel, err := filepath.Rel(wd, filepath.Join(t.root, filepath.FromSlash(path)))
		if err != nil || !filepath.IsLocal(rel) {
			return path
		}
		return filepath.ToSlash(rel)
	}, nil
}

// shown names files as from the working directory, where they lie beneath it.
func (t *tree) shown(r *fix.Result) error {
	name, err := t.namer()
	if err != nil {
		return err
	}
	rename := func(diff, path string) string {
		head := func(p string) string {
			if strings.ContainsRune(p, ' ') {
				p += "\t"
			}
			return "--- " + p + "\n+++ " + p + "\n"
		}
		return strings.Replace(diff, head(path), head(name(path)), 1)
	}
	for i, f := range r.Files {
		was := t.request.Files[i]
		diff, err := patch.Diff(patch.File{Path: name(f.Path), Text: was.Text}, patch.File{Path: name(f.Path), Text: f.Text})
		if err != nil {
			return err
		}
		t.diffs += diff
	}
	for i := range r.Patches {
		p := &r.Patches[i]
		p.Diff, p.Path, p.Target = rename(p.Diff, p.Path), name(p.Path), nameOfTarget(p.Target, name)
	}
	for i := range r.Choices {
		c := &r.Choices[i]
		c.Target = nameOfTarget(c.Target, name)
		for k := range c.Options {
			c.Options[k].Diff, c.Options[k].Path = rename(c.Options[k].Diff, c.Options[k].Path), name(c.Options[k].Path)
		}
	}
	for i := range r.Left {
		r.Left[i].Target = nameOfTarget(r.Left[i].Target, name)
	}
	for i := range r.Arguments {
		r.Arguments[i].Target = nameOfTarget(r.Arguments[i].Target, name)
	}
	for i := range r.Dropped {
		r.Dropped[i].Path = name(r.Dropped[i].Path)
	}
	return nil
}

func nameOfTarget(target string, name func(string) string) string {
	if i := strings.LastIndex(target, ".py:"); i >= 0 {
		return name(target[:i+len(".py")]) + target[i+len(".py"):]
	}
	return name(target)
}

// write makes the patches that are proved. A file that has changed since it was read is left as it is.
func (t *tree) write(r *fix.Result) error {
	if slices.ContainsFunc(r.Patches, func(p fix.Patch) bool { return !p.Proved }) {
		return nil // they are shown; applied in part, they are not proved
	}
	for i, f := range r.Files {
		if was := t.request.Files[i]; was.Text != f.Text {
			if err := replace(filepath.Join(t.root, filepath.FromSlash(f.Path)), was.Text, f.Text); err != nil {
				return fmt.Errorf("%w: %s: %w", errWrite, f.Path, err)
			}
		}
	}
	return nil
}

// replace writes a file anew, whole or not at all, with the mode that it has.
func replace(name, was, is string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	now, err := fence.Read(name, int64(len(was))+1)
	if err != nil || string(now) != was {
		return errors.New("has changed since it was read, so that nothing was written; run the command again")
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".verifier-fix-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // nothing is there any more once it was renamed
	_, err = f.WriteString(is)
	if err == nil {
		err = f.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
