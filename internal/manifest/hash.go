package manifest

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/attest"
)

// identity is which file something is, and in what state.
type identity struct {
	size, modifiedNsec int64
	system
}

func identify(info fs.FileInfo) identity {
	return identity{info.Size(), info.ModTime().UnixNano(), systemOf(info)}
}

// maxWorkers is where more workers only take memory from one another.
const maxWorkers = 8

// Hash digests the files, several at once and the largest first, and makes sure that the model is still what List saw.
func (l *Listing) Hash(ctx context.Context) (*Manifest, error) {
	m := &Manifest{Name: l.Name, Files: make([]File, len(l.files))}
	order := make([]int, len(l.files))
	for i, f := range l.files {
		m.Files[i], order[i] = File{Name: f.name, Bytes: f.size}, i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := l.files[a].size, l.files[b].size; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if err := l.digest(ctx, order, m.Files); err != nil {
		return nil, err
	}
	return m, l.unchanged(ctx)
}

// digest shares the files out among workers. Each result goes to its place, so that their number does not matter.
func (l *Listing) digest(ctx context.Context, order []int, out []File) error {
	workers := l.opt.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	meter := &meter{tell: l.opt.Progress, now: Progress{AllFiles: len(l.files), AllBytes: l.Bytes}}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(order)) {
		group.Go(func() {
			w := &worker{meter: meter}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(order) {
					return
				}
				f := l.files[order[i]]
				sum, err := w.file(ctx, f)
				if err == nil && f.first != nil && *f.first != sum {
					err = changedError(f.name)
				}
				if err != nil {
					stop(err)
					return
				}
				out[order[i]].Sum = sum
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// meter adds up what the workers did.
type meter struct {
	mu   sync.Mutex
	tell func(Progress)
	now  Progress
}

func (m *meter) add(files int, bytes int64) {
	if m.tell == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Files += files
	m.now.Bytes += bytes
	m.tell(m.now)
}

// worker digests one file after the other, with the same memory.
type worker struct {
	meter *meter
	bufs  [chunks][]byte
}

func (w *worker) buf(i int) []byte {
	if w.bufs[i] == nil {
		w.bufs[i] = make([]byte, chunkBytes)
	}
	return w.bufs[i]
}

// file digests a file that must still be the one that was listed, and must be so when it has been read.
func (w *worker) file(ctx context.Context, e *entry) (sum attest.Sum, err error) {
	f, err := e.at.OpenFile(e.path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return sum, changedError(e.name)
		}
		return sum, fault(action.CodeFile, e.name, "cannot be read: %v", reason(err))
	}
	defer f.Close()
	if err := e.still(f); err != nil {
		return sum, err
	}
	var n int64
	if e.size < chunkBytes {
		sum, n, err = w.small(f, e.size)
	} else {
		sum, n, err = w.large(ctx, f, e.size)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return sum, err
	case err != nil:
		return sum, fault(action.CodeFile, e.name, "cannot be read: %v", reason(err))
	case n != e.size:
		return sum, changedError(e.name)
	}
	w.meter.add(1, 0)
	return sum, e.still(f)
}

// still makes sure that an open file is the one that was listed.
func (e *entry) still(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fault(action.CodeFile, e.name, "cannot be read: %v", reason(err))
	}
	if !info.Mode().IsRegular() || identify(info) != e.id {
		return changedError(e.name)
	}
	return nil
}

// ErrChanged is that the model is not what it was when it was listed.
var ErrChanged = errors.New("changed while it was being read, so nothing can be said about it")

type changedFile struct{ name string }

func (e *changedFile) Error() string   { return Shown(e.name) + " " + ErrChanged.Error() }
func (e *changedFile) Is(t error) bool { return t == ErrChanged }

func changedError(name string) error { return &changedFile{name} }

// small digests a file that is read at once. More than it has is asked for, so that one that grew is seen; a file gives less than was asked
// for only at its end.
func (w *worker) small(f *os.File, size int64) (attest.Sum, int64, error) {
	buf, n := w.buf(0), 0
	for n < len(buf) {
		k, err := f.Read(buf[n:])
		n += k
		if err == io.EOF || err == nil && int64(n) == size {
			break
		}
		if err != nil {
			return attest.Sum{}, 0, err
		}
	}
	w.meter.add(0, int64(n))
	return sha256.Sum256(buf[:n]), int64(n), nil
}

// unchanged lists the model again and compares.
func (l *Listing) unchanged(ctx context.Context) error {
	again := &Listing{Path: l.Path, Name: l.Name, Single: l.Single, opt: l.opt, ignored: l.ignored, model: l.model, blobs: l.blobs, roots: l.roots}
	if err := again.walk(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		return changedError(l.Path)
	}
	for i, f := range l.files {
		if i >= len(again.files) || again.files[i].name > f.name {
			return changedError(f.name)
		}
		if g := again.files[i]; g.name != f.name || g.id != f.id || g.link != f.link || g.path != f.path {
			return changedError(g.name)
		}
	}
	if len(again.files) > len(l.files) {
		return changedError(again.files[len(l.files)].name)
	}
	return l.inPlace()
}

// inPlace makes sure that the path still leads to the folder that was listed, and not to one that was put there.
func (l *Listing) inPlace() error {
	path := l.Path
	if l.Single {
		path = l.model.Name()
	}
	now, err := os.Stat(path)
	if err != nil {
		return changedError(l.Path)
	}
	if then, err := l.model.Stat("."); err != nil || !os.SameFile(now, then) {
		return changedError(l.Path)
	}
	return nil
}
