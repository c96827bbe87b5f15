package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/modelverifier/verifier/internal/graph"
)

// How long another edit of the same file is waited for.
const (
	lockTries = 40
	lockPause = 25 * time.Millisecond
)

// save writes a changed graph over its file, unless someone else changed the file since it was read. The new text is written to a file
// beside it that only one writer can create, and then takes the place of the old one at once: a reader sees the one or the other, two
// writers never both believe that they were first, and a fault leaves the old file.
func (s *Server) save(m *model, g *graph.Graph) (digest string, err error) {
	text, err := written(m, g)
	if err != nil {
		return "", err
	}
	if len(text) > limits.Bytes {
		return "", &graph.Error{Code: graph.CodeBytes, Message: "the changed file would be too large", Limit: int64(limits.Bytes)}
	}
	path, err := s.behindLinks(m.path)
	if err != nil {
		return "", err
	}
	mode := fs.FileMode(0o644)
	if info, err := s.root.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	beside := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".edit")
	f, err := s.lock(beside, mode)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = s.root.Remove(beside) // the error that is returned says more
		}
	}()
	now, err := s.readOnce(path)
	if err == nil && !bytes.Equal(now, m.data) {
		err = refuse(codeChanged, "", m.path+" was changed by someone else meanwhile; nothing was written", "Read it again, see whether your changes still make sense, and call again.")
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = s.root.Rename(beside, path)
	}
	if err != nil {
		return "", s.notWritten(m.path, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// behindLinks follows links to the file that is meant, so that a link stays one. os.Root refuses what leads out.
func (s *Server) behindLinks(path string) (string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(s.real, path))
	if err != nil {
		return "", s.fault(path, err)
	}
	rel, err := filepath.Rel(s.real, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", s.outside(path)
	}
	return rel, nil
}

// lock creates the file beside the model, waiting a moment for another who has.
func (s *Server) lock(beside string, mode fs.FileMode) (*os.File, error) {
	for range lockTries {
		f, err := s.root.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, s.notWritten(beside, err)
		}
		time.Sleep(lockPause)
	}
	return nil, refuse(codeBusy, "", "another edit of this file is under way; nothing was written",
		fmt.Sprintf("Call again. If no other client is editing, one was ended in the middle: remove %s.", filepath.Join(s.real, beside)))
}

func (s *Server) notWritten(path string, err error) error {
	var own *refusal
	var coded *graph.Error
	if errors.As(err, &own) || errors.As(err, &coded) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return refuse("cannot-write", "", fmt.Sprintf("%s cannot be written: %v; the file is as it was", path, err), "Ask the one who started the server to make it writable.")
}
