package manifest

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/attest"
)

// Listing is what a model holds, with the identity of each file at that moment. Close it.
type Listing struct {
	Path   string
	Name   string
	Single bool     // the model is one file
	Bytes  int64    // of all files
	Notes  []string // what was passed over, and names that are alike

	files   []*entry // by name
	ignored ignores
	opt     Options
	model   *os.Root // the model's folder, or that of the one file
	blobs   *os.Root // of its cache entry, nil where there is none
	roots   []*os.Root
	blobDir string
}

// entry is a file of the model, and where its bytes lie.
type entry struct {
	name string
	at   *os.Root
	path string // within at
	link string // where a link led, "" for a file
	size int64
	id   identity

	first *attest.Sum // the digest when it was listed, of some
}

// Files lists the names, sorted.
func (l *Listing) Files() []string {
	out := make([]string, len(l.files))
	for i, f := range l.files {
		out[i] = f.name
	}
	return out
}

// Holds reports whether a file is one of the model's, under whatever name.
func (l *Listing) Holds(info fs.FileInfo) bool {
	id := identify(info)
	return slices.ContainsFunc(l.files, func(e *entry) bool { return e.id.same(id.system) })
}

// Close lets go of the folders.
func (l *Listing) Close() error {
	var errs []error
	for _, r := range l.roots {
		errs = append(errs, r.Close())
	}
	l.roots = nil
	return errors.Join(errs...)
}

// List finds the files of a model and notes what they are now.
func List(ctx context.Context, path string, opt Options) (*Listing, error) {
	if opt.MaxFiles == 0 {
		opt.MaxFiles = defaultMaxFiles
	}
	name, err := nameOf(path)
	if err != nil {
		return nil, err
	}
	l := &Listing{Path: path, Name: name, opt: opt, ignored: ignoring(opt.Ignore)}
	if err := l.open(); err != nil {
		_ = l.Close()
		return nil, err
	}
	if err := l.walk(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	l.Notes = append(l.Notes, alike(l.files)...)
	if err := l.digestTexts(ctx); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// What is digested when it is listed and again by Hash. Some file systems tell the time only to some milliseconds, so a description that is
// written twice within them looks the same; weights are not written that fast.
const maxTexts, maxTextBytes = 64, 1 << 20

// digestTexts digests the small files at the top of the model: descriptions, which others read between List and Hash.
func (l *Listing) digestTexts(ctx context.Context) error {
	w := &worker{meter: &meter{}}
	n := 0
	for _, f := range l.files {
		if n == maxTexts {
			break
		}
		if f.size > maxTextBytes || strings.Contains(f.name, "/") {
			continue
		}
		sum, err := w.file(ctx, f)
		if err != nil {
			return err
		}
		f.first = &sum
		n++
	}
	return nil
}

// Name is what a model at a path is called.
func Name(path string) (string, error) { return nameOf(path) }

// nameOf is the last part of a path, or of the folder that it is where it has none.
func nameOf(path string) (string, error) {
	trimmed := path
	for len(trimmed) > 1 && (strings.HasSuffix(trimmed, "/") || os.IsPathSeparator(trimmed[len(trimmed)-1])) || strings.HasSuffix(trimmed, "/.") {
		trimmed = trimmed[:len(trimmed)-1]
	}
	name := filepath.Base(trimmed)
	if trimmed == "" || name == "." || name == ".." {
		full, err := filepath.Abs(path)
		if err == nil {
			full, err = filepath.EvalSymlinks(full)
		}
		if err != nil {
			return "", fault(action.CodeNotFound, path, "cannot be opened: %v", reason(err))
		}
		name = filepath.Base(full)
	}
	switch {
	case name == string(filepath.Separator):
		return "", fault(action.CodeUnsupported, path, "is the root of a file system and no model")
	case !utf8.ValidString(name):
		return "", fault(action.CodeUnsupported, path, "has a name that is not UTF-8, which no record can hold")
	}
	return name, nil
}

// open finds out what the path is, and opens the folders that nothing may leave.
func (l *Listing) open() error {
	info, err := os.Lstat(l.Path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if !l.opt.AllowSymlinks {
			return fault(action.CodeUnsupported, l.Path, "is a symbolic link; give what it leads to, or --allow-symlinks")
		}
		info, err = os.Stat(l.Path)
	}
	if err != nil {
		return fault(action.CodeNotFound, l.Path, "cannot be opened: %v", reason(err))
	}
	dir := l.Path
	if l.Single = !info.IsDir(); l.Single {
		if !info.Mode().IsRegular() {
			return special(l.Path, info.Mode())
		}
		target, err := filepath.EvalSymlinks(l.Path) // a link that was named is followed wherever it leads
		if err != nil {
			return fault(action.CodeNotFound, l.Path, "cannot be opened: %v", reason(err))
		}
		dir = filepath.Dir(target)
	}
	if l.model, err = l.root(dir); err != nil {
		return err
	}
	if blobs, ok := blobsOf(dir); ok && l.opt.AllowSymlinks && !l.Single {
		if l.blobs, err = l.root(blobs); err != nil {
			return err
		}
		l.blobDir = blobs
	}
	return nil
}

// root opens a folder by its full path, so that the links in it can be compared with those of another.
func (l *Listing) root(dir string) (*os.Root, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault(action.CodeNotFound, dir, "cannot be opened: %v", err)
	}
	r, err := os.OpenRoot(full)
	if err != nil {
		return nil, fault(action.CodeNotFound, dir, "cannot be opened: %v", reason(err))
	}
	l.roots = append(l.roots, r)
	return r, nil
}

// blobsOf finds the folder of blobs that a snapshot of a Hugging Face cache links into: models--org--name/snapshots/commit.
func blobsOf(dir string) (string, bool) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	snapshots := filepath.Dir(full)
	entry := filepath.Dir(snapshots)
	blobs := filepath.Join(entry, "blobs")
	if filepath.Base(snapshots) != "snapshots" || !strings.HasPrefix(filepath.Base(entry), "models--") {
		return "", false
	}
	info, err := os.Lstat(blobs)
	return blobs, err == nil && info.IsDir()
}

// walk fills in the files.
func (l *Listing) walk(ctx context.Context) error {
	if l.Single {
		target, err := filepath.EvalSymlinks(l.Path)
		if err != nil {
			return fault(action.CodeNotFound, l.Path, "cannot be opened: %v", reason(err))
		}
		e, err := l.regular(l.Name, l.model, filepath.Base(target))
		if err != nil {
			return err
		}
		l.files = []*entry{e}
	} else if err := l.folder(ctx, l.model, ""); err != nil {
		return err
	}
	if len(l.files) == 0 {
		return fault(action.CodeUnsupported, l.Path, "holds no files, so there is nothing to digest")
	}
	slices.SortFunc(l.files, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	for _, f := range l.files {
		l.Bytes += f.size
	}
	return nil
}

// batch is how many names of a folder are held at once.
const batch = 1024

// folder adds what lies in a folder of the model. A folder is opened by its own name in the one above it.
func (l *Listing) folder(ctx context.Context, at *os.Root, prefix string) error {
	d, err := at.Open(".")
	if err != nil {
		return fault(action.CodeFile, l.Path+"/"+prefix, "cannot be listed: %v", reason(err))
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(batch)
		for _, n := range names {
			if err := l.add(ctx, at, prefix, n); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return ctx.Err()
		case err != nil:
			return fault(action.CodeFile, l.Path+"/"+prefix, "cannot be listed: %v", reason(err))
		}
	}
}

func (l *Listing) add(ctx context.Context, at *os.Root, prefix, base string) error {
	name := prefix + base
	if l.ignored[name] {
		return nil
	}
	if !utf8.ValidString(name) {
		return fault(action.CodeUnsupported, name, "is a name that is not UTF-8, which no record can hold")
	}
	if len(name) > maxName {
		return fault(action.CodeUnsupported, name[:64]+"…", "is a path of %d bytes, more than %d", len(name), maxName)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := at.Lstat(base)
	if err != nil {
		return fault(action.CodeFile, name, "cannot be read: %v", reason(err))
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		sub, err := at.OpenRoot(base)
		if err != nil {
			return fault(action.CodeFile, name, "cannot be listed: %v", reason(err))
		}
		defer sub.Close()
		return l.folder(ctx, sub, name+"/")
	case mode&fs.ModeSymlink != 0:
		return l.addLink(name)
	case !mode.IsRegular():
		return special(name, mode)
	}
	return l.put(&entry{name: name, at: l.model, path: name, size: info.Size(), id: identify(info)})
}

func (l *Listing) put(e *entry) error {
	if len(l.files) >= l.opt.MaxFiles {
		return tooMany(l.Path, l.opt.MaxFiles)
	}
	l.files = append(l.files, e)
	return nil
}

func special(name string, mode fs.FileMode) error {
	what := "a special file"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fault(action.CodeUnsupported, name, "is %s and no file; leave it out with --ignore-paths", what)
}

// regular describes a file by its path within a root.
func (l *Listing) regular(name string, at *os.Root, path string) (*entry, error) {
	info, err := at.Lstat(path)
	if err != nil {
		return nil, fault(action.CodeFile, name, "cannot be read: %v", reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, special(name, info.Mode())
	}
	return &entry{name: name, at: at, path: path, size: info.Size(), id: identify(info)}, nil
}

// reason strips what an error repeats of the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
