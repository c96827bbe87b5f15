package hub

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// folder is a folder below a root that is not left. Nothing but regular files and folders is opened: opening a pipe waits for its other end.
type folder struct {
	root *os.Root
	at   string
}

func (f *folder) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return path.Join(f.at, name), nil
}

// Open opens a file.
func (f *folder) Open(name string) (fs.File, error) {
	full, err := f.path("open", name)
	if err != nil {
		return nil, err
	}
	info, err := f.root.Stat(full)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	return f.root.Open(full)
}

// Stat describes a file without opening it.
func (f *folder) Stat(name string) (fs.FileInfo, error) {
	full, err := f.path("stat", name)
	if err != nil {
		return nil, err
	}
	return f.root.Stat(full)
}

// ReadDir lists a folder by name.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	full, err := f.path("readdir", name)
	if err != nil {
		return nil, err
	}
	return fs.ReadDir(f.root.FS(), full)
}
