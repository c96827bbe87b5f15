package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
)

// addLink adds the file that a link leads to, under the link's own name. One to a folder is passed over: what it leads to is listed
// where it is.
func (l *Listing) addLink(name string) error {
	if !l.opt.AllowSymlinks {
		return fault(action.CodeUnsupported, name, "is a symbolic link: --allow-symlinks takes what it leads to, --ignore-paths leaves it out")
	}
	at, path, err := l.follow(name)
	if err != nil {
		return err
	}
	info, err := at.Lstat(path)
	if err != nil {
		return fault(action.CodeFile, name, "leads nowhere: %v", reason(err))
	}
	if info.IsDir() {
		l.Notes = append(l.Notes, Shown(name)+" is a link to a folder, which is not entered")
		return nil
	}
	e, err := l.regular(name, at, path)
	if err != nil {
		return err
	}
	e.link = path
	return l.put(e)
}

// follow finds where a link leads: the root that holds it, and the path within that. A link that leads anywhere else is refused. The
// path has no link in it any more, so that opening it cannot lead out even if someone replaces a part of it meanwhile.
func (l *Listing) follow(name string) (*os.Root, string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(l.model.Name(), filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", fault(action.CodeFile, name, "is a symbolic link that leads nowhere")
	case err != nil:
		return nil, "", fault(action.CodeFile, name, "is a symbolic link that cannot be followed: %v", reason(err))
	}
	for _, r := range l.roots {
		dir, err := filepath.EvalSymlinks(r.Name())
		if err != nil {
			continue
		}
		if path, err := filepath.Rel(dir, target); err == nil && path != ".." && !strings.HasPrefix(path, ".."+string(filepath.Separator)) {
			return r, filepath.ToSlash(path), nil
		}
	}
	where := "the model"
	if l.blobs != nil {
		where += " and the blobs beside it"
	}
	return nil, "", fault(action.CodeUnsupported, name, "is a symbolic link that leads out of %s", where)
}
