package hub

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/modelverifier/verifier/internal/fence"
)

// disk is where references are looked up: anywhere, for what a person names, or within a root.
type disk struct {
	root *os.Root // nil: anywhere
}

// path is a reference as a path on disk.
func (d disk) path(ref string) string {
	if d.root == nil {
		return ref
	}
	return filepath.Join(d.root.Name(), ref)
}

func (d disk) stat(ref string) (fs.FileInfo, error) {
	if d.root == nil {
		return os.Stat(ref)
	}
	return d.root.Stat(ref)
}

// open opens a regular file.
func (d disk) open(ref string) (fs.File, error) {
	if d.root == nil {
		return fence.Open(ref)
	}
	return fence.In(d.root, filepath.Dir(ref)).Open(filepath.Base(ref))
}

// folder opens a folder that its files do not lead out of, or not out of the root.
func (d disk) folder(ref string) (*fence.Dir, error) {
	if d.root == nil {
		return fence.Folder(ref)
	}
	return fence.In(d.root, ref), nil
}

// rootOf finds where a Python source lies behind links, and what its imports do not lead out of: the root, else its repository, else
// nothing yet, since that is the folder above its outermost package. Both are names alone: what is read is opened beneath the root.
func (d disk) rootOf(ref string) (target, root string, err error) {
	if target, err = filepath.Abs(d.path(ref)); err == nil {
		target, err = filepath.EvalSymlinks(target)
	}
	if err != nil {
		return "", "", err
	}
	if d.root == nil {
		root, _ = fence.Repository(filepath.Dir(target))
		return target, root, nil
	}
	if root, err = filepath.Abs(d.root.Name()); err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if _, ok := fence.Within(root, target); err == nil && !ok {
		err = fmt.Errorf("leads out of the root %s", root)
	}
	return target, root, err
}

// below opens a folder beneath a root that rootOf found. Mounted is that the folder is the one above the root.
func (d disk) below(root, dir string, mounted bool) (*fence.Dir, error) {
	rel, _ := fence.Within(root, dir)
	switch {
	case root == "":
		return fence.Folder(dir)
	case mounted && d.root == nil:
		return fence.Mounted(root)
	case mounted:
		return fence.MountedIn(d.root, filepath.Base(root)), nil
	case d.root == nil:
		return fence.Below(root, rel)
	}
	return fence.In(d.root, rel), nil
}
