package fence

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Dir is a folder at or below a root that no name and no link in it leads out of. It is a file system of regular files and folders.
type Dir struct {
	root  *os.Root
	at    string // of the folder below the root
	mount string // what every name begins with, where the folder stands for one that lies above the root
	owned bool   // whether Close closes the root
}

// Folder opens a folder as its own root.
func Folder(dir string) (*Dir, error) { return Below(dir, ".") }

// Below opens a folder beneath a root, by its path with slashes.
func Below(root, at string) (*Dir, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &Dir{root: r, at: path.Clean(at), owned: true}, nil
}

// Mounted opens a root so that its files have names below the folder above it: of /src/pkg those are pkg/a.py. That is what the imports
// of a package need whose folder is the root. Nothing beside the root is there.
func Mounted(root string) (*Dir, error) {
	d, err := Below(root, ".")
	if err == nil {
		d.mount = filepath.Base(root)
	}
	return d, err
}

// MountedIn is Mounted of a root that is open already, and stays so.
func MountedIn(root *os.Root, name string) *Dir { return &Dir{root: root, at: ".", mount: name} }

// Named opens a folder that a person named beneath its root. One that is, or lies behind, a link out of that root is followed.
func Named(dir string) (*Dir, error) {
	d, err := named(dir)
	if err == nil {
		if _, err = d.Stat("."); err == nil {
			return d, nil
		}
		_ = d.Close() // the folder behind the link has a root of its own
	}
	target, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return named(target)
}

func named(dir string) (*Dir, error) {
	root, err := Root(dir)
	if err != nil {
		return nil, err
	}
	at, _ := Within(root, dir)
	return Below(root, at)
}

// NamedFile opens the folder of a file that a person named, and returns the name of the file in it, behind a link where that leads
// elsewhere.
func NamedFile(file string) (*Dir, string, error) {
	d, err := Named(filepath.Dir(file))
	if err != nil {
		return nil, "", err
	}
	base := filepath.Base(file)
	if _, err := d.Stat(base); err == nil {
		return d, base, nil
	}
	_ = d.Close() // as above
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, "", err
	}
	d, err = Named(filepath.Dir(target))
	return d, filepath.Base(target), err
}

// In is a folder beneath a root that is open already, and stays so.
func In(root *os.Root, at string) *Dir { return &Dir{root: root, at: path.Clean(filepath.ToSlash(at))} }

// Sub is a folder within this one, under the same root. Closing it closes nothing.
func (d *Dir) Sub(at string) *Dir {
	return &Dir{root: d.root, at: path.Join(d.at, at), mount: d.mount}
}

// Close lets go of a root that was opened for this folder.
func (d *Dir) Close() error {
	if !d.owned {
		return nil
	}
	return d.root.Close()
}

func (d *Dir) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if d.mount == "" {
		return path.Join(d.at, name), nil
	}
	rest, ok := strings.CutPrefix(name+"/", d.mount+"/")
	if !ok {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return path.Join(d.at, rest), nil
}

// Open opens a regular file or a folder.
func (d *Dir) Open(name string) (fs.File, error) {
	full, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	info, err := d.root.Stat(full) // no device is opened that is known to be one: opening a tape winds it
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, kindFault(name, info)
	}
	f, err := d.root.OpenFile(full, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return f, nil
	}
	opened, err := regular(f, name)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Stat describes a file without opening it.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	full, err := d.path("stat", name)
	if err != nil {
		return nil, err
	}
	return d.root.Stat(full)
}

// ReadDir lists a folder by name.
func (d *Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	folder, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	entries, err := folder.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
