package hub

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/modelverifier/verifier/internal/fence"
)

// store writes what was downloaded: whole files into the Hugging Face cache, in its layout, so that other tools find them; headers and what
// was cut short into a folder of our own, where no other tool looks.
type store struct {
	entry  *os.Root // of the cache
	ours   *os.Root
	commit string
}

func openStore(cache, ours string, i id, commit string) (*store, error) {
	s := &store{commit: commit}
	for _, dir := range []struct {
		path string
		root **os.Root
	}{{filepath.Join(cache, i.folder()), &s.entry}, {filepath.Join(ours, i.folder()), &s.ours}} {
		err := os.MkdirAll(dir.path, 0o755)
		if err == nil {
			*dir.root, err = os.OpenRoot(dir.path)
		}
		if err != nil {
			s.close()
			return nil, fmt.Errorf("cannot write to %s: %w", dir.path, reason(err))
		}
	}
	for _, dir := range []string{"blobs", s.snapshot(""), "refs"} {
		if err := s.entry.MkdirAll(dir, 0o755); err != nil {
			s.close()
			return nil, fmt.Errorf("cannot write to %s: %w", s.entry.Name(), reason(err))
		}
	}
	return s, nil
}

func (s *store) close() {
	for _, r := range []*os.Root{s.entry, s.ours} {
		if r != nil {
			_ = r.Close()
		}
	}
}

func (s *store) snapshot(name string) string { return path.Join("snapshots", s.commit, name) }

// has reports whether the snapshot holds a file whole, and links it from the blobs where another snapshot has brought it.
func (s *store) has(f *remoteFile) bool {
	if info, err := s.entry.Stat(s.snapshot(f.name)); err == nil {
		return info.Size() == f.bytes
	}
	info, err := s.entry.Stat("blobs/" + f.digest)
	return err == nil && info.Size() == f.bytes && s.link(f) == nil
}

// put verifies a file and writes it.
func (s *store) put(f *remoteFile, data []byte) error {
	if got := digest(data, f.digest); got != f.digest {
		return fmt.Errorf("%s is damaged: its digest is %s, and should be %s", f.name, got, f.digest)
	}
	if err := write(s.entry, "blobs/"+f.digest, data); err != nil {
		return err
	}
	return s.link(f)
}

// digest makes the digest of data that is of the same sort as want: git's of a file, or SHA-256.
func digest(data []byte, want string) string {
	if len(want) == 2*sha256.Size {
		sum := sha256.Sum256(data)
		return hex.EncodeToString(sum[:])
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// link puts a blob into the snapshot: by a relative link, or by a copy where there are no links.
func (s *store) link(f *remoteFile) error {
	name := s.snapshot(f.name)
	if dir := path.Dir(name); dir != s.snapshot("") {
		if err := s.entry.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("hub: link %s: %w", f.name, err)
		}
	}
	if _, err := s.entry.Lstat(name); err == nil { // a link to a blob that is gone, or a file that was cut short
		if err := s.entry.Remove(name); err != nil {
			return fmt.Errorf("hub: link %s: %w", f.name, err)
		}
	}
	up := strings.Repeat("../", strings.Count(name, "/"))
	err := s.entry.Symlink(filepath.FromSlash(up+"blobs/"+f.digest), name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	blob, err := s.entry.Open("blobs/" + f.digest)
	if err != nil {
		return fmt.Errorf("hub: link %s: %w", f.name, err)
	}
	defer blob.Close()
	data, err := io.ReadAll(blob)
	if err != nil {
		return fmt.Errorf("hub: link %s: %w", f.name, err)
	}
	return write(s.entry, name, data)
}

// read reads a file of the snapshot that is known to be small.
func (s *store) read(name string, limit int64) ([]byte, error) {
	f, err := s.entry.Open(s.snapshot(name))
	if err != nil {
		return nil, fmt.Errorf("hub: read %s: %w", name, err)
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// putRef notes which commit a branch or tag is.
func (s *store) putRef(revision string) error {
	if isCommit(revision) {
		return nil
	}
	name := "refs/" + revision
	if err := s.entry.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("hub: write %s: %w", name, err)
	}
	return write(s.entry, name, []byte(s.commit))
}

// headerName is where the header of a file is kept.
func (s *store) headerName(name string) string {
	return s.commit + "/" + strings.ReplaceAll(name, "/", "--") + headerEnding
}

// hasHeader reports whether the header of a file is kept, and of that very file.
func (s *store) hasHeader(f *remoteFile) bool {
	h, err := readHeader(fence.In(s.ours, "."), s.headerName(f.name))
	return err == nil && h.Name == f.name && h.ETag == f.digest && h.Bytes == f.bytes
}

// putHeader keeps a header.
func (s *store) putHeader(f *remoteFile, data []byte) error {
	h := &headerFile{Name: f.name, Bytes: f.bytes, ETag: f.digest, data: data}
	encoded, err := h.encode()
	if err != nil {
		return err
	}
	if err := s.ours.MkdirAll(s.commit, 0o755); err != nil {
		return fmt.Errorf("hub: keep header of %s: %w", f.name, err)
	}
	return write(s.ours, s.headerName(f.name), encoded)
}

// partial returns what an earlier download got of a file before it was cut short.
func (s *store) partial(f *remoteFile, limit int64) []byte {
	r, err := s.ours.Open(f.digest + ".partial")
	if err != nil {
		return nil
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return nil
	}
	return data
}

// keepPartial keeps what there is of a file, or forgets it. A download goes on without it, so that it cannot be written is no failure.
func (s *store) keepPartial(f *remoteFile, data []byte) {
	name := f.digest + ".partial"
	if len(data) == 0 {
		_ = s.ours.Remove(name)
		return
	}
	_ = write(s.ours, name, data)
}

// writes tells the files apart that are being written at once, two of which may have the same digest.
var writes atomic.Int64

// write writes a file so that nobody ever sees a part of it.
func write(root *os.Root, name string, data []byte) error {
	temp := fmt.Sprintf("%s.%d-%d.incomplete", name, os.Getpid(), writes.Add(1))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("hub: write %s: %w", name, err)
	}
	_, err = io.Copy(f, bytes.NewReader(data))
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return fmt.Errorf("hub: write %s: %w", name, err)
	}
	return nil
}
