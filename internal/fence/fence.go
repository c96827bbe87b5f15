// Package fence opens regular files beneath a root, and reads no more of them than it is told to.
//
// The rule, for every program and every format: a file that a person names is read wherever it lies, through links too. What that file
// leads to (imports, links, indexes, external data, the files of its folder, policies and baselines that are looked for) is read beneath
// its root alone. The root is what a server was started with (--root), else the repository that holds the file, else its entry in a
// Hugging Face cache, else its folder.
//
// Checking and using are one step: os.Root resolves a name without leaving the root, and what was opened is asked for its kind and size,
// not its name. Only regular files are read: a pipe would wait and a device has no end. It must not know what is in a file.
package fence

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrNotRegular is that a name is that of a pipe, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink is that a file is a link where none is followed.
var ErrLink = errors.New("is a link, which is not followed: put a regular file in its place")

// TooLarge is that a file has more bytes than are read of its kind.
type TooLarge struct {
	Name  string
	Limit int64
}

func (e *TooLarge) Error() string { return fmt.Sprintf("%s has more than %d bytes", e.Name, e.Limit) }

// Root is the folder that nothing may lead out of that a file or folder leads to.
func Root(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	dir := abs
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		dir = filepath.Dir(abs)
	}
	if top, ok := Repository(dir); ok {
		return top, nil
	}
	return dir, nil
}

// Repository is the repository, or the entry in a Hugging Face cache, that holds a folder given by its absolute path.
func Repository(dir string) (string, bool) {
	for ; ; dir = filepath.Dir(dir) {
		if isRepository(dir) || isEntry(dir) {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
	}
}

// isRepository reports whether a folder is the top of a working tree: .git is a folder or, in a worktree or a submodule, a file.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// isEntry reports whether a folder is an entry of a Hugging Face cache: its snapshots are links into its blobs.
func isEntry(dir string) bool {
	kind, _, ok := strings.Cut(filepath.Base(dir), "--")
	if !ok || kind != "models" && kind != "datasets" && kind != "spaces" {
		return false
	}
	info, err := os.Lstat(filepath.Join(dir, "snapshots"))
	return err == nil && info.IsDir()
}

// Open opens a regular file that a person named. A pipe is refused and not waited for.
func Open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, kindFault(name, info)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return regular(f, name)
}

// Read reads a regular file that a person named, of at most so many bytes.
func Read(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, name, most)
}

// ReadFile reads a file of a file system, of at most so many bytes. Its size is asked first, so that a large one takes no memory.
func ReadFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bounded(f, name, most)
}

// ReadPlain reads a file of a folder, and refuses one that is a link, wherever it leads.
func ReadPlain(d *Dir, name string, most int64) ([]byte, error) {
	full, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	link, err := d.root.Lstat(full)
	if err != nil {
		return nil, err
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(info, link) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("was replaced while it was opened")}
	}
	return bounded(f, name, most)
}

// bounded reads what was opened. A file can grow, so the size that it said is not believed.
func bounded(f fs.File, name string, most int64) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, kindFault(name, info)
	case info.Size() > most:
		return nil, &TooLarge{name, most}
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead) // room for the end to be seen in, so that nothing is copied
	if _, err := b.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > most {
		return nil, &TooLarge{name, most}
	}
	return b.Bytes(), nil
}

// regular asks what was opened, and not its name, whether it is a regular file.
func regular(f *os.File, name string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = kindFault(name, info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

func kindFault(name string, info fs.FileInfo) error {
	err := ErrNotRegular
	if info.IsDir() {
		err = errors.New("is a folder; give a file")
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// Within is the path of a file or folder from a root, with slashes, and whether it lies beneath it by name.
func Within(root, name string) (string, bool) {
	from, err := filepath.Abs(root)
	if err != nil {
		return "", false
	}
	to, err := filepath.Abs(name)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(from, to)
	return path.Clean(filepath.ToSlash(rel)), err == nil && filepath.IsLocal(rel)
}
